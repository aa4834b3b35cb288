import ChatAPI
import ChatProtocol
import SMPWire

/// A message ready to be sent, under the id by which both sides know it.
struct OutgoingMessage {
    var id: SharedMessageID
    var event: ChatMessageEvent
    /// The item whose status follows the delivery.
    var itemID: ChatItemID?
    /// The encoded message, at most ``ChatLimits/encodedMessage`` bytes.
    var body: Bytes

    /// - Throws: `largeMessage` if the message does not fit.
    init(_ event: ChatMessageEvent, id: SharedMessageID, itemID: ChatItemID? = nil) throws {
        self.id = id
        self.event = event
        self.itemID = itemID
        do {
            body = try ChatMessage(messageID: id, event: event).body(limit: ChatLimits.encodedMessage)
        } catch {
            throw Refusal.store(.largeMessage)
        }
    }
}

/// Encodes messages into bodies for peers: once for each combination of version and encryption, whatever the number of peers.
struct OutgoingBodyEncoder {
    /// A body that is stored, with the items whose statuses follow its deliveries.
    struct Body {
        var stored: DeliveryBody
        var items: [ChatItemID]
    }

    /// The properties of a connection on which the encoding depends.
    private struct Variant: Hashable {
        var version: ChatVersion
        var postQuantum: Bool

        init(_ connection: ChatAPI.Connection) {
            version = ChatVersion(clamping: connection.chatVersion)
            postQuantum = connection.pqSupport
        }
    }

    private let messages: [OutgoingMessage]
    private var encoded: [Variant: [Body]] = [:]

    init(_ messages: [OutgoingMessage]) { self.messages = messages }

    /// The bodies for a connection.
    ///
    /// - Parameter store: Stores a body that no earlier connection had.
    /// - Throws: `largeMessage` if a message does not fit in a body; `exception` if it does not after compression.
    mutating func bodies(for connection: ChatAPI.Connection, store: (Bytes) throws -> DeliveryBody) throws -> [Body] {
        let variant = Variant(connection)
        if let known = encoded[variant] { return known }
        let bodies = try batches(for: variant).map { body, range in
            let fitted: Bytes
            do {
                fitted = try MessageCompression.fit(body, as: .message, postQuantum: variant.postQuantum, peerVersion: variant.version)
            } catch {
                throw Refusal.chat(.exception(message: "large compressed message"))
            }
            return Body(stored: try store(fitted), items: messages[range].compactMap(\.itemID))
        }
        encoded[variant] = bodies
        return bodies
    }

    /// As few bodies as the messages fit in, or one for each if the peer cannot read batches.
    private func batches(for variant: Variant) throws -> [(body: Bytes, range: Range<Int>)] {
        guard variant.version >= ChatVersions.directBatching else {
            return messages.enumerated().map { ($0.element.body, $0.offset..<$0.offset + 1) }
        }
        return try MessageBatching.batches(of: messages.map(\.body), mode: .json).map { outcome in
            guard case .batch(let body, let range) = outcome else { throw Refusal.store(.largeMessage) }
            return (body, range)
        }
    }
}
