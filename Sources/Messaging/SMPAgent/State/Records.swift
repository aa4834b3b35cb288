import SMPCrypto
import SMPProtocol
import SMPWire

/// A row's key. Keys are drawn at random, so that a decision can name a row before it exists.
typealias RowID = Int64

extension RandomSource {
    /// A positive number of 62 bits.
    func rowID() -> RowID { Int64(bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2) + 1 }
}

/// A connection without its queues and keys.
struct ConnectionRecord: Sendable, Equatable {
    /// The progress of a connection's deletion.
    enum Deletion: Sendable, Equatable {
        case none
        /// Its queues are being deleted.
        case started
        /// The same, and its messages are still being sent; since when, in milliseconds since 1970.
        case waitingForDelivery(since: Int64)
    }

    let row: RowID
    let id: ConnectionID
    var user: AgentUserID
    let mode: ConnectionMode
    /// The agent version that both sides support, or ours until the peer's is known.
    var agentVersion: UInt16
    var pqSupport: Bool
    /// The number of the last message, sent or received.
    var lastMessageID: AgentMessageID = 0
    /// The sender's number and the hash of the last sent message.
    var lastSentID: Int64 = 0
    var lastSentHash: Bytes = []
    /// The peer's number and the hash of the last received message.
    var lastReceivedID: Int64 = 0
    var lastReceivedHash: Bytes = []
    var ratchetSync = AgentRatchetSyncState.ok
    var deletion = Deletion.none
}

/// A queue that we receive from.
struct ReceiveQueue: Sendable, Equatable {
    let row: RowID
    let server: SMPServerAddress
    let recipientID: EntityID
    /// Authorises our commands.
    let privateKey: PrivateAuthKey
    /// The secret with which the router encrypts messages.
    let routerSecret: BoxSecret
    /// Our key for the encryption between sender and us.
    let encryptionKey: X25519.PrivateKey
    /// The secret with which the sender encrypts; nil before its confirmation, and always for contact addresses.
    var peerSecret: BoxSecret?
    let senderID: EntityID
    let mode: QueueMode?
    var status = QueueStatus.new
    var clientVersion: UInt16
    var isPrimary = true
    /// The queue that this one takes the place of.
    var replaces: RowID?
    var switchStatus: ReceiveSwitchStatus?
    var link: ShortLinkCredentials?
    var deleteAttempts = 0
    /// The notifier that it was made with, until that is stored, apart from the queue.
    var newNotifier: QueueNotifier?

    /// The queue's address for its sender.
    var address: QueueAddress { QueueAddress(server: server, senderID: senderID) }

    var key: QueueKey { QueueKey(server: server, recipientID: recipientID) }

    /// True if the sender secures this queue.
    var senderCanSecure: Bool { mode == .messaging && clientVersion >= ClientVersion.senderSecuresQueue }

    /// True if it is there besides others, and takes the place of none.
    var isAddition: Bool { !isPrimary && replaces == nil && switchStatus == nil }

    /// True if it is one of those that a connection may have so many of: not one in another's place, nor one that is only left to be deleted.
    var isCounted: Bool { replaces == nil && status != .disabled }

    /// True if it is an addition, and the peer was told that it may be used.
    var isSecuredAddition: Bool { isAddition && (status == .secured || status == .active) }
}

/// Which of a router's queues a message came from.
struct QueueKey: Hashable, Sendable {
    let server: SMPServerAddress
    let recipientID: EntityID
}

/// The keys that the owner of a short link needs to change its data.
struct ShortLinkCredentials: Sendable, Equatable {
    let linkID: EntityID
    let linkKey: LinkKey
    let privateKey: Ed25519.PrivateKey
    /// The key in the fixed data, if it is not that of `privateKey`: the link was made by another owner.
    let rootKey: Ed25519.PublicKey?
    let encryptedFixedData: Bytes
}

/// A queue that we send to.
struct SendQueue: Sendable, Equatable {
    let row: RowID
    let server: SMPServerAddress
    let senderID: EntityID
    /// Authorises our commands.
    let privateKey: PrivateAuthKey
    /// The secret with which we encrypt for the recipient.
    let peerSecret: BoxSecret
    /// Our key that the recipient needs to agree on that secret; it goes into confirmations.
    let encryptionKey: X25519.PublicKey
    let mode: QueueMode?
    var status = QueueStatus.new
    var clientVersion: UInt16
    var isPrimary = true
    /// The queue that this one takes the place of.
    var replaces: RowID?
    var switchStatus: SendSwitchStatus?

    var address: QueueAddress { QueueAddress(server: server, senderID: senderID) }

    /// True if we secure this queue ourselves, instead of sending our key to its recipient.
    var senderCanSecure: Bool { mode == .messaging && clientVersion >= ClientVersion.senderSecuresQueue }

    /// True if messages may be sent to it besides the primary queue.
    var isActive: Bool { status == .secured || status == .active }

    /// True if it was announced besides others, and takes the place of none.
    var isAddition: Bool { !isPrimary && replaces == nil }

    /// True if messages go to it, and it takes the place of none.
    var isInUse: Bool { replaces == nil && (isPrimary || isActive) }

    /// True if it shall take the place of another queue and its recipient has not said yet that it may be used: messages are kept for it.
    var isOffered: Bool { replaces != nil && !isActive }
}

/// A secured sender's key for a one-time short link, kept so that opening the link can be repeated.
struct InvitationLinkRecord: Sendable, Equatable {
    let server: SMPServerAddress
    let linkID: EntityID
    let linkKey: LinkKey
    let senderKey: PrivateAuthKey
    /// Known once the link's data was fetched.
    var senderID: EntityID?
}

/// The confirmation of a party that joined our invitation.
struct ConfirmationRecord: Sendable, Equatable {
    let id: ConfirmationID
    let connection: RowID
    /// Authorises the sender's commands; nil if it secured the queue itself.
    let senderKey: PublicAuthKey?
    let senderInfo: Bytes
    let replyQueues: [SMPQueueInfo]
    /// Set once the user has accepted.
    var ownInfo: Bytes?
}

/// A request that came to a contact address.
struct InvitationRecord: Sendable, Equatable {
    let id: InvitationID
    let contactConnection: RowID?
    var request: ConnectionRequestURI
    var senderInfo: Bytes
    /// The router's id of the message, by which a repeated delivery is known.
    var brokerID: Bytes
    var isAccepted = false
}

extension ConnectionRequestURI {
    /// A digest of the address of the first queue that is offered; nil if there is none.
    ///
    /// A client makes one queue for each of its requests, and sends the request with the same queue again if it does not know that the
    /// router has it.
    var queueDigest: Bytes? {
        guard let address = request.queues.first?.address else { return nil }
        var writer = WireWriter()
        writer.write(address.server.keyHash)
        writer.write(address.senderID)
        return Hash.sha256(writer.bytes)
    }
}
