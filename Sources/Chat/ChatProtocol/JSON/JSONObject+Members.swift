extension JSONObject: JSONConvertible {
    /// The members of a value that must be an object.
    public init(json: JSONValue) throws(JSONError) {
        guard case .object(let object) = json else { throw JSONError(.wrongType, "an object is expected, not \(json.kind)") }
        self = object
    }

    /// The JSON form.
    public var json: JSONValue { .object(self) }
}

extension JSONObject {
    /// The value of a member that must be there.
    public func required<Value: JSONConvertible>(_ key: String, as type: Value.Type = Value.self) throws(JSONError) -> Value {
        guard let value = self[key] else { throw JSONError(.missingMember, "\"\(key)\" is missing") }
        do { return try Value(json: value) } catch { throw error.under(key) }
    }

    /// The value of a member, nil if it is absent or null.
    public func optional<Value: JSONConvertible>(_ key: String, as type: Value.Type = Value.self) throws(JSONError) -> Value? {
        guard let value = self[key], !value.isNull else { return nil }
        do { return try Value(json: value) } catch { throw error.under(key) }
    }

    /// The members of an object whose names are data; empty when it is absent or null.
    public func map<Value: JSONConvertible>(_ key: String) throws(JSONError) -> [String: Value] {
        guard let object = try optional(key, as: JSONObject.self) else { return [:] }
        var map: [String: Value] = [:]
        for (name, value) in object.members {
            do { map[name] = try Value(json: value) } catch { throw error.under(name) }
        }
        return map
    }

    /// The seconds of a member that says for how long something lives, within ``TimeToLive/range``; nil if it is absent or null.
    func optionalTimeToLive(_ key: String) throws(JSONError) -> Int? {
        try optional(key, as: Int.self).map(TimeToLive.bounded)
    }

    /// Adds a member. Its name must not be there yet.
    mutating func add(_ key: String, _ value: some JSONConvertible) { append(key, value.json) }

    /// Adds a member unless the value is nil. Its name must not be there yet.
    mutating func add(_ key: String, _ value: (some JSONConvertible)?) {
        if let value { append(key, value.json) }
    }
}
