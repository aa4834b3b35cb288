import ChatProtocol

extension JSONObjectWriter {
    /// Writes a tagged form: the member `type` and the members given; those that are nil are left out.
    mutating func write(_ tag: String, _ values: KeyValuePairs<String, (any JSONConvertible)?> = [:]) {
        add("type", tag)
        for (key, value) in values {
            if let value { add(key, value) }
        }
    }

    /// Writes a tagged form whose values have no names: they are an array in the member `data`, or the only one itself.
    mutating func writePositional(_ tag: String, _ values: [(any JSONConvertible)?]) {
        let values = values.map { $0?.json ?? .null }
        write(tag, ["data": values.count == 1 ? values[0] : .array(values)])
    }
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
