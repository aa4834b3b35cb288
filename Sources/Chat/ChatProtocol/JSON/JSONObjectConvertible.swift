/// A value whose JSON form is an object.
///
/// Absent and null members are the same, and nil is left out. An ``ExtensibleObject`` keeps the members that this version does not know; other types drop
/// them.
public protocol JSONObjectConvertible: JSONConvertible {
    /// Reads the members of the object.
    init(object: JSONObject) throws(JSONError)

    /// Adds the members of the value to an object.
    func write(into object: inout JSONObjectWriter)
}

extension JSONObjectConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) { try self.init(object: JSONObject(json: json)) }

    /// The JSON form.
    public var json: JSONValue {
        var object = JSONObjectWriter()
        write(into: &object)
        return object.json
    }

    /// The members of the value.
    var members: JSONObject { json.objectValue ?? JSONObject() }

    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.writeObject { write(into: &$0) } }
}
