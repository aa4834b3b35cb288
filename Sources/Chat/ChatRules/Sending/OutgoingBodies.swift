package import ChatAPI
package import ChatProtocol
package import SMPWire

/// A message ready to be sent, under the id by which both sides know it.
package struct OutgoingMessage {
    package var id: SharedMessageID
    /// The item whose status follows the delivery.
    package var itemID: ChatItemID?
    /// The encoded message, at most ``ChatLimits/encodedMessage`` bytes.
    package var body: Bytes
    /// True if the recipient's notification server should be notified.
    package var notifies: Bool
    /// True for messages that the host of a group forwards to members that are not connected yet.
    package var isForwardable = false
    /// True for messages of others that are passed on.
    package var isForward = false
    /// True if the author has signed the message.
    package var isSigned = false

    /// - Parameter signer: Signs events that must be signed; nil where nothing is.
    /// - Throws: `largeMessage` if the message does not fit.
    package init(_ event: ChatMessageEvent, id: SharedMessageID, itemID: ChatItemID? = nil, signer: ChannelSigner? = nil) throws {
        self.id = id
        self.itemID = itemID
        notifies = event.tag.hasNotification
        isForwardable = event.isForwardedInGroups
        if case .forwardMessage = event { isForward = true }
        do {
            body = try ChatMessage(messageID: id, event: event).body(limit: ChatLimits.encodedMessage)
        } catch {
            throw Refusal.store(.largeMessage)
        }
        if let signed = signer?.element(of: body, tag: event.tag) { (body, isSigned) = (signed, true) }
    }

    /// The outcome of checking the signature, as items of this profile show it.
    package var signature: SignatureStatus? { isSigned ? .verified : nil }

    /// Signs a message that needs no signature.
    ///
    /// - Throws: `largeMessage` if there is no room for a signature that was asked for.
    package mutating func sign(_ signing: MessageSigning) throws {
        guard let signer = signing.signer, !isSigned else { return }
        let signed = signer.proof(of: body)
        guard signed.count <= MessageSigning.limit else {
            if signing.isRequired { throw Refusal.store(.largeMessage) }
            return
        }
        (body, isSigned) = (signed, true)
    }

    /// A message that was encoded earlier.
    package init(encoded body: Bytes, id: SharedMessageID, itemID: ChatItemID?) {
        self.id = id
        self.itemID = itemID
        self.body = body
        notifies = true
    }
}

/// Encodes messages into bodies for peers: once for each combination of version and encryption, whatever the number of peers.
package struct OutgoingBodyEncoder {
    /// A body that is stored, with the items whose statuses follow its deliveries.
    package struct Body {
        package var stored: DeliveryBody
        package var items: [ChatItemID]

        package init(
            stored: DeliveryBody, items: [ChatItemID]
        ) {
            self.stored = stored
            self.items = items
        }
    }

    /// The properties of a connection on which the encoding depends.
    private struct Variant: Hashable {
        var version: ChatVersion
        var postQuantum: Bool
        var isBatched: Bool

        init(_ connection: Connection, isBatched: Bool?) {
            let agreed = ChatVersion(clamping: connection.chatVersion)
            // Above the version that reads compressed messages the encoding is the same.
            version = min(agreed, ChatVersions.compressionAndPostQuantum)
            postQuantum = connection.pqSupport
            self.isBatched = isBatched ?? (agreed >= ChatVersions.directBatching)
        }
    }

    private let messages: [OutgoingMessage]
    private let mode: MessageBatching.Mode
    private var encoded: [Variant: [Body]] = [:]

    /// - Parameter mode: The form of bodies with several messages.
    package init(_ messages: [OutgoingMessage], mode: MessageBatching.Mode = .json) {
        self.messages = messages
        self.mode = mode
    }

    /// The bodies for a connection.
    ///
    /// - Parameters:
    ///   - isBatched: Whether the peer reads several messages in one body; nil for what a contact of its version does.
    ///   - store: Stores a body that no earlier connection had.
    /// - Throws: `largeMessage` if a message does not fit in a body; `exception` if it does not after compression.
    package mutating func bodies(
        for connection: Connection, isBatched: Bool? = nil, store: (Bytes) throws -> DeliveryBody
    ) throws -> [Body] {
        let variant = Variant(connection, isBatched: isBatched)
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
        guard variant.isBatched else {
            return messages.enumerated().map { ($0.element.body, $0.offset..<$0.offset + 1) }
        }
        return try MessageBatching.batches(of: messages.map(\.body), mode: mode).map { outcome in
            guard case .batch(let body, let range) = outcome else { throw Refusal.store(.largeMessage) }
            return (body, range)
        }
    }
}

/// A body that is stored once for any number of deliveries.
package struct DeliveryBody: Sendable {
    package var id: Int64
    package var bytes: Bytes

    package init(
        id: Int64, bytes: Bytes
    ) {
        self.id = id
        self.bytes = bytes
    }
}
