public import ChatProtocol
public import SMPWire

/// What a core sends over its WebSocket: `{"corrId": "1", "resp": …}`, without `corrId` for events.
public enum SocketMessage: Sendable, Hashable {
    /// What became of the command with that mark.
    case result(correlationID: String, ChatResult)
    /// Something that nobody asked for.
    case event(ChatEvent)

    /// Reads a frame.
    public init(frame: Bytes) throws(JSONError) {
        let object = try JSONObject(json: JSONParser.parse(frame))
        if let correlationID: String = try object.optional("corrId") {
            self = .result(correlationID: correlationID, try object.required("resp"))
        } else {
            self = .event(try object.required("resp"))
        }
    }

    /// The frame.
    public var frame: Bytes {
        switch self {
        case .result(let correlationID, let result):
            JSONValue.object(["corrId": .string(correlationID), "resp": result.json]).bytes()
        case .event(let event): JSONValue.object(["resp": event.json]).bytes()
        }
    }
}
