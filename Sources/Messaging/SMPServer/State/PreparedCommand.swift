import SMPCrypto
import SMPProtocol
import SMPWire

/// A command whose authorisation was checked, with the random values that it needs: executing it takes no cryptography.
struct PreparedCommand: Sendable {
    var correlationID: CorrelationID
    var entity: EntityID
    var command: SMPCommand
    /// The protocol version of the session, or of a forwarded command.
    var version: UInt16
    /// The key that authorised the command; nil if it needed none.
    var key: PublicAuthKey?
    var material: Material = .none

    enum Material: Sendable {
        case none
        case queue(NewQueueMaterial)
        /// The id of a message, and the nonce of its notification if it asks for one.
        case message(Identifier, notification: BoxNonce?)
        case notifier(NotifierMaterial)
    }
}

/// The ids and keys that a router generates for a new queue.
struct NewQueueMaterial: Sendable {
    var recipientID: Identifier
    /// The sender id of a queue without a link; with a link, the client chooses it.
    var senderID: Identifier
    /// The id for the link of a messaging queue.
    var linkID: Identifier
    var publicKey: X25519.PublicKey
    var secret: StoredSecret
    var notifier: NotifierMaterial?

    /// - Throws: ``SMPErrorType`` if a key of the request cannot be agreed with.
    init(_ request: NewQueueRequest, random: any RandomSource) throws(SMPErrorType) {
        let pair = X25519.generateKeyPair(random)
        guard let recipientID = Identifier(random.bytes(24)), let senderID = Identifier(random.bytes(24)),
            let linkID = Identifier(random.bytes(24))
        else { throw .internal }
        guard let secret = try? pair.privateKey.sharedSecret(with: request.encryptionKey) else { throw .auth }
        self.recipientID = recipientID
        self.senderID = senderID
        self.linkID = linkID
        publicKey = pair.publicKey
        self.secret = StoredSecret(bytes: secret)
        notifier = try request.notifications.map { credentials throws(SMPErrorType) in
            try NotifierMaterial(credentials, random: random)
        }
    }
}

/// The ids and keys that a router generates for the notifications of a queue.
struct NotifierMaterial: Sendable {
    var notifier: QueueRecord.Notifier
    var publicKey: X25519.PublicKey

    init(_ credentials: NotificationCredentials, random: any RandomSource) throws(SMPErrorType) {
        let pair = X25519.generateKeyPair(random)
        guard let id = Identifier(random.bytes(24)) else { throw .internal }
        guard let secret = try? pair.privateKey.sharedSecret(with: credentials.encryptionKey) else { throw .auth }
        notifier = QueueRecord.Notifier(id: id, key: credentials.notifierKey, secret: StoredSecret(bytes: secret))
        publicKey = pair.publicKey
    }
}
