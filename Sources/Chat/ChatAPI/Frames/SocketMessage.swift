public import ChatProtocol
public import SMPWire

/// A message that a core sends over its WebSocket: `{"corrId": "1", "resp": …}`, without `corrId` for events.
public enum SocketMessage: Sendable, Hashable {
    /// The result of the command with that mark.
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

    /// The frame for the newest version of the API.
    public var frame: Bytes { frame(for: .newest) }

    /// The frame for a version of the API.
    public func frame(for version: APIVersion) -> Bytes {
        var memory = JSONWriter.Memory(for: version)
        return frame(remembering: &memory)
    }

    /// The frame for the version of the API that the memory is for.
    ///
    /// - Parameter memory: of the frames before it, which often are about the same chat.
    public func frame(remembering memory: inout JSONWriter.Memory) -> Bytes {
        var writer = JSONWriter(remembering: memory)
        // It has one owner at any time, so that it is never copied.
        memory = JSONWriter.Memory(for: writer.version)
        writer.beginObject()
        switch self {
        case .result(let correlationID, let result):
            writer.write(name: "corrId")
            writer.write(string: correlationID)
            writer.write(name: "resp")
            result.write(to: &writer)
        case .event(let event):
            writer.write(name: "resp")
            event.write(to: &writer)
        }
        writer.endObject()
        memory = writer.memory
        return writer.bytes
    }
}
