import ChatProtocol

extension JSONObjectWriter {
    /// Writes a tagged form whose values have no names: they are an array in the member `data`.
    mutating func writePositional(_ tag: String, _ values: [(any JSONConvertible)?]) {
        add("type", tag)
        add("data", values.map(PositionalValue.init))
    }
}

/// A value in a list of values of different types; nil is null.
private struct PositionalValue: JSONConvertible {
    let value: (any JSONConvertible)?

    init(value: (any JSONConvertible)?) { self.value = value }

    init(json: JSONValue) { value = json }

    var json: JSONValue { value?.json ?? .null }

    func write(to writer: inout JSONWriter) { if let value { value.write(to: &writer) } else { writer.write(JSONValue.null) } }
}

extension JSONObject {
    /// A value of a tagged form whose values have no names.
    func positional<Value: JSONConvertible>(_ index: Int) throws(JSONError) -> Value {
        guard let value: Value = try positional(index) else { throw JSONError(.missingMember, "a value is missing", path: ["data"]) }
        return value
    }

    /// A value of a tagged form whose values have no names; nil if it is null or absent.
    func positional<Value: JSONConvertible>(_ index: Int) throws(JSONError) -> Value? {
        let data: [JSONValue] = try required("data")
        guard index < data.count, !data[index].isNull else { return nil }
        return try Value(json: data[index])
    }
}
