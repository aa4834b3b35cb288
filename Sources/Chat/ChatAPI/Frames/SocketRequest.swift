import ChatProtocol
public import SMPWire

/// A command as a client sends it over the WebSocket of a core: `{"corrId": "1", "cmd": "/users"}`.
public struct SocketRequest: Sendable, Hashable {
    /// Marks the response; any text.
    public var correlationID: String
    /// The command in the official syntax.
    public var command: String

    /// A command with its mark.
    public init(correlationID: String, command: String) {
        self.correlationID = correlationID
        self.command = command
    }

    /// Reads a text or binary frame. Members that are not known are allowed.
    ///
    /// - Throws: `commandError` with the message `invalid request`, which the official core sends without a mark.
    public init(frame: Bytes) throws(ChatError) {
        guard let object = (try? JSONParser.parse(frame))?.objectValue,
            let correlationID = object["corrId"]?.stringValue, let command = object["cmd"]?.stringValue
        else { throw .invalidRequest }
        self.init(correlationID: correlationID, command: command)
    }

    /// The frame.
    public var frame: Bytes {
        JSONValue.object(["corrId": .string(correlationID), "cmd": .string(command)]).bytes()
    }
}

extension ChatError {
    /// The answer to a frame that is no request.
    public static let invalidRequest = ChatError.chat(error: .commandError(message: "invalid request"))
}
