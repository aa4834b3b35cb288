import SMPCrypto
import SMPProtocol
import SMPWire

/// A client that serves many users, as its session knows it: a certificate identifies it, and all its queues are subscribed to at once.
struct SessionService: Sendable {
    let id: Identifier
    let role: SMPClientService.Role
    /// The key of this session that signs the service's part of commands.
    let key: Ed25519.PublicKey
    /// The SHA-256 hash of the identity certificate, which precedes the bytes that the queue's key signs.
    let certificateHash: Bytes

    /// - Parameters:
    ///   - router: the router of the service, so that routers cannot recognize a common service by its id.
    ///   - certificateHash: 32 bytes.
    init(_ role: SMPClientService.Role, key: Ed25519.PublicKey, certificateHash: Bytes, router: KeyHash) {
        self.role = role
        self.key = key
        self.certificateHash = certificateHash
        id = Self.id(role, certificateHash, router)
    }

    /// Computes the id. It is the same for every session, so that a service without queues need not be stored.
    static func id(_ role: SMPClientService.Role, _ certificateHash: Bytes, _ router: KeyHash) -> Identifier {
        Identifier(hashing: router.bytes + certificateHash + [role.rawValue])
    }
}

/// The services that have queues or a session.
struct ServiceStore: Sendable {
    struct Service: Sendable {
        /// Slots of its queues: by its role, the service receives their messages or their notifications.
        var slots: Set<Int32> = []
        /// These queues as clients count them: by recipient ids, or by notifier ids for a service that hears of messages.
        var queues = ServiceQueues.none
        /// The session that gets the messages of these queues.
        var session: SessionID?
    }

    private var services: [Identifier: Service] = [:]

    var count: Int { services.count }
    /// Queues that belong to a service, counted once for receiving and once for notifications.
    private(set) var associationCount = 0

    subscript(id: Identifier) -> Service? { services[id] }

    func session(of id: Identifier) -> SessionID? { services[id]?.session }

    /// Adds a queue, which the service knows by an id.
    mutating func insert(_ slot: Int32, _ queue: Identifier, into id: Identifier) {
        guard services[id, default: Service()].slots.insert(slot).inserted else { return }
        services[id]?.queues.insert(queue.entity)
        associationCount += 1
    }

    mutating func remove(_ slot: Int32, _ queue: Identifier, from id: Identifier) {
        guard services[id]?.slots.remove(slot) != nil else { return }
        services[id]?.queues.remove(queue.entity)
        associationCount -= 1
        forgetIfEmpty(id)
    }

    /// Gives the messages of a service to a session.
    ///
    /// - Returns: the session that had them before, if it is another.
    mutating func claim(_ id: Identifier, for session: SessionID) -> SessionID? {
        let former = services[id]?.session
        services[id, default: Service()].session = session
        return former == session ? nil : former
    }

    mutating func release(_ id: Identifier, by session: SessionID) {
        guard services[id]?.session == session else { return }
        services[id]?.session = nil
        forgetIfEmpty(id)
    }

    private mutating func forgetIfEmpty(_ id: Identifier) {
        guard let service = services[id], service.slots.isEmpty, service.session == nil else { return }
        services[id] = nil
    }
}

extension Identifier {
    /// Creates an id of the first bytes of SHA3-384.
    init(hashing bytes: Bytes) {
        let hash = Hash.sha3_384(bytes)
        self.init(prefix: hash)
    }
}
