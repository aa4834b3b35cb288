public import ChatProtocol

/// A value whose JSON form is an object.
///
/// Members that this version does not know are dropped, absent and null members are the same, and nil is left out.
public protocol JSONObjectConvertible: JSONConvertible {
    /// Reads the members of the object.
    init(object: JSONObject) throws(JSONError)

    /// Adds the members of the value to an object.
    func write(into object: inout JSONObjectWriter)
}

extension JSONObjectConvertible {
    public init(json: JSONValue) throws(JSONError) { try self.init(object: JSONObject(json: json)) }

    public var json: JSONValue {
        var object = JSONObjectWriter()
        write(into: &object)
        return object.json
    }
}

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
