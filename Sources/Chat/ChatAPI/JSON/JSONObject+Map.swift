import ChatProtocol

extension JSONObject {
    /// The members of an object whose names are data; empty when it is absent.
    func map<Value: JSONConvertible>(_ key: String) throws(JSONError) -> [String: Value] {
        guard let members: JSONObject = try optional(key, as: JSONValue.self).map(JSONObject.init(json:)) else { return [:] }
        var map: [String: Value] = [:]
        for (name, _) in members.members { map[name] = try members.required(name) }
        return map
    }
}

extension Optional {
    /// `map` that keeps the type of the error.
    fileprivate func map<Result>(_ transform: (Wrapped) throws(JSONError) -> Result) throws(JSONError) -> Result? {
        guard let self else { return nil }
        return try transform(self)
    }
}
