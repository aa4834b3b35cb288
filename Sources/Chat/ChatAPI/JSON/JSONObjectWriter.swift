public import ChatProtocol

/// Collects the members of an object that is being written. Each name may be set once.
public struct JSONObjectWriter: Sendable {
    private var members: [(key: String, value: JSONValue)] = []
    private var replacement: JSONValue?

    /// An empty object.
    public init() {}

    /// The finished value.
    public var json: JSONValue { replacement ?? .object(JSONObject(distinct: members)) }

    /// Sets a member; nil leaves it out.
    public subscript<Value: JSONConvertible>(_ key: String) -> Value? {
        @available(*, unavailable) get { nil }
        set { if let newValue { members.append((key, newValue.json)) } }
    }

    /// Sets a member whose value is an object with names that are data.
    public subscript<Value: JSONConvertible>(_ key: String) -> [String: Value] {
        @available(*, unavailable) get { [:] }
        set {
            let sorted = newValue.sorted { $0.key < $1.key }
            members.append((key, .object(JSONObject(sorted.map { ($0.key, $0.value.json) }))))
        }
    }

    /// Writes a tagged form: the member `type` and the members given; those that are nil are left out.
    mutating func write(_ tag: String, _ values: KeyValuePairs<String, (any JSONConvertible)?> = [:]) {
        members.append(("type", .string(tag)))
        for (key, value) in values {
            if let value { members.append((key, value.json)) }
        }
    }

    /// Makes the value something that is no object of known members.
    mutating func replace(with json: JSONValue) { replacement = json }
}

extension JSONObjectWriter {
    /// Writes a tagged form whose values have no names: they are an array in the member `data`, or the only one itself.
    mutating func writePositional(_ tag: String, _ values: [(any JSONConvertible)?]) {
        members.append(("type", .string(tag)))
        let values = values.map { $0?.json ?? .null }
        members.append(("data", values.count == 1 ? values[0] : .array(values)))
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
