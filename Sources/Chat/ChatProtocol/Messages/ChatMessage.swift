public import SMPWire

/// A chat message: an event with the sender's versions and, for what others may refer to, an identifier.
public struct ChatMessage: Hashable, Sendable {
    /// The chat versions that the sender supports.
    public var versions: VersionRange
    /// Set for what edits, deletions, reactions and quotes may refer to.
    public var messageID: SharedMessageID?
    /// The content.
    public var event: ChatMessageEvent
    /// The abilities of the sender that no version implies.
    public var capabilities: Set<ChatCapability> = []
    /// The members of the message that this version does not know, as they came.
    public var unknownMembers = JSONObject()
    /// The parameters of the event that this version does not know, as they came; none for events that keep them themselves.
    public var unknownParameters = JSONObject()

    /// Creates the value from its parts.
    public init(versions: VersionRange = ChatVersions.supported, messageID: SharedMessageID? = nil, event: ChatMessageEvent) {
        self.versions = versions
        self.messageID = messageID
        self.event = event
    }

    /// The tag of the event.
    public var tag: ChatEventTag { event.tag }
}

extension ChatMessage: JSONObjectConvertible {
    /// Reads `{"v", "msgId", "event", "params"}`; without `v` the message is of version 1.
    public init(object: JSONObject) throws(JSONError) {
        versions = try object.optional("v") ?? ChatVersions.initial
        messageID = try object.optional("msgId")
        capabilities = ChatCapability.known(in: object["caps"])
        let tag = ChatEventTag(rawValue: try object.required("event"))
        guard tag.isValid, tag != .fileChunk else { throw JSONError(.invalidValue, "no event of chat clients", path: ["event"]) }
        let parameters: JSONObject = try object.required("params")
        do {
            event = try ChatMessageEvent(tag: tag, parameters: parameters)
            unknownParameters = event.unknown(of: parameters)
        } catch {
            throw error.under("params")
        }
        unknownMembers = object.unknown(to: Self.memberNames)
    }

    private static let memberNames = ["v", "msgId", "event", "params", "caps"]

    /// The message as JSON. The binary event has no such form: it is an object without parameters then, which no client
    /// takes; use ``body``.
    public func write(into object: inout JSONObjectWriter) {
        object.add("v", versions)
        object.add("msgId", messageID)
        object.add("event", tag.rawValue)
        var parameters = event.parameters
        UnknownMembers.add(unknownParameters, to: &parameters)
        object.add("params", parameters)
        if !capabilities.isEmpty { object.add("caps", capabilities.map(\.rawValue).sorted()) }
        object.add(unknown: unknownMembers, to: Self.memberNames)
    }
}

extension ChatMessage {
    /// The bytes of the message: JSON, or the binary form of the one event that has it.
    public var body: Bytes {
        if case .fileChunk(let messageID, let chunk) = event { return chunk.body(messageID: messageID) }
        return json.bytes()
    }

    /// The bytes of the message if they fit.
    ///
    /// - Parameter limit: Bytes, ``ChatLimits/encodedMessage`` or ``ChatLimits/encodedInfo``.
    /// - Throws: `tooLarge`.
    public func body(limit: Int) throws(ChatProtocolError) -> Bytes {
        let body = body
        guard body.count <= limit else {
            throw ChatProtocolError(.tooLarge, "\(tag) of \(body.count) bytes where \(limit) are allowed")
        }
        return body
    }

    /// Reads a message that takes up all the bytes, as ``body`` makes it.
    public init(body: Bytes) throws(ChatProtocolError) {
        switch body.first {
        case nil: throw ChatProtocolError(.emptyBody, "a message without bytes")
        case UInt8(ascii: "F"):
            do {
                self = try ChatMessage(binary: body)
            } catch {
                throw ChatProtocolError(.malformedBinary, "a binary message", cause: error)
            }
        case UInt8(ascii: "{"):
            do {
                self = try ChatMessage(received: JSONParser.parse(body))
            } catch {
                throw ChatProtocolError(.malformedJSON, "a message", cause: error)
            }
        default: throw ChatProtocolError(.unknownPrefix, "a message starts with { or F")
        }
    }

    /// Reads the JSON form of a received message.
    ///
    /// - Throws: `tooManyElements` for a list longer than ``ChatLimits/listElements``, wherever it is in the message.
    init(received json: JSONValue) throws(JSONError) {
        guard json.hasLists(ofAtMost: ChatLimits.listElements) else {
            throw JSONError(.tooManyElements, "more than \(ChatLimits.listElements) elements in one array or object")
        }
        try self.init(json: json)
    }

    /// `F`, the identifier of the message, then the identifier of the file's message and the piece.
    private init(binary body: Bytes) throws(WireError) {
        var parser = WireParser(body)
        try parser.expect(UInt8(ascii: "F"))
        let id = try parser.short()
        let fileMessageID = SharedMessageID(try parser.short())
        let number = try parser.byte()
        versions = ChatVersions.initial
        messageID = id.isEmpty ? nil : SharedMessageID(id)
        if number == 0 {
            event = .fileChunk(messageID: fileMessageID, .cancel)
            try parser.finish()
        } else {
            event = .fileChunk(messageID: fileMessageID, .piece(number: number, parser.rest()))
        }
    }
}

extension FileChunk {
    /// The body of the message; it carries no identifier of its own.
    fileprivate func body(messageID: SharedMessageID) -> Bytes {
        var writer = WireWriter()
        writer.write(byte: UInt8(ascii: "F"))
        writer.write(short: Bytes())
        writer.write(short: messageID.bytes.prefix(255))
        switch self {
        case .cancel: writer.write(byte: 0)
        case .piece(let number, let bytes):
            writer.write(byte: number)
            writer.write(raw: bytes)
        }
        return writer.bytes
    }
}
