public import ChatProtocol

/// A value with several forms that the member `type` of its JSON object tells apart.
///
/// Reading never fails: a form that is not known, or not as expected, is kept whole as the form `other`.
public protocol JSONTagged: JSONConvertible {
    /// Reads the form that `tag` names; nil when this version does not know it.
    init?(tag: String, object: JSONObject) throws(JSONError)

    /// A form that is kept as it came.
    static func other(tag: String, json: JSONValue) -> Self

    /// Writes the member `type` and those of the form.
    func write(into object: inout JSONObjectWriter)
}

extension JSONTagged {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let tag = json["type"]?.stringValue ?? ""
        guard let object = json.objectValue, let value = try? Self(tag: tag, object: object) else {
            self = .other(tag: tag, json: json)
            return
        }
        self = value
    }

    /// The JSON form.
    public var json: JSONValue {
        var object = JSONObjectWriter()
        write(into: &object)
        return object.json
    }

    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.writeObject { write(into: &$0) } }

    /// The value of the member `type`; empty when there is none.
    public var tag: String {
        var object = JSONObjectWriter(only: "type")
        write(into: &object)
        return object.json["type"]?.stringValue ?? ""
    }
}
