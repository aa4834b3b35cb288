import ListenerSupport
import NIOCore
import Synchronization

/// Which connections a listener has and takes: a value without sockets.
///
/// Connections from this machine itself have no prefix and are bounded by the totals only.
struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
    struct Limits: Sendable {
        /// Open at once.
        var connections: Int
        /// Open at once from one address; nil: as many as there are.
        var connectionsPerAddress: Int?
        /// In their TLS handshake at once.
        var handshakes: Int

        /// Made from one address: as many as may be open at once, and as many again in each minute. A handshake takes about a
        /// millisecond, and an address that closes its connections could otherwise have them made without end.
        var arrivals: TokenBucket.Rate? { connectionsPerAddress.map { TokenBucket.Rate($0, in: .seconds(60)) } }

        /// In their TLS handshake at once from one address.
        var handshakesPerAddress: Int { max(1, handshakes / 8) }
    }

    enum Decision: Equatable {
        case accept
        /// Accepted in the place of one that has been in its handshake for longest. A stranger who opens connections and says nothing
        /// loses them so, and one who shakes hands at once gets through.
        case acceptInsteadOf(ID)
        case refuse
    }

    private struct Connection {
        let prefix: NetworkPrefix?
        /// The order of its handshake among those under way; nil once that is over.
        var handshake: UInt64?
    }

    private struct Counts {
        var connections = 0
        var handshakes = 0
    }

    /// Addresses whose arrivals are counted apart.
    static var rememberedAddresses: Int { 65_536 }

    private let limits: Limits
    private var arrivals: TokenBuckets<NetworkPrefix>?
    private var connections: [ID: Connection] = [:]
    private var handshakes: [UInt64: ID] = [:]
    private var addresses: [NetworkPrefix: Counts] = [:]
    private var nextNumber: UInt64 = 0
    /// The handshakes before this number are over.
    private var oldestNumber: UInt64 = 0

    init(_ limits: Limits) {
        self.limits = limits
        arrivals = limits.arrivals.map { TokenBuckets($0, limit: Self.rememberedAddresses) }
    }

    var count: Int { connections.count }
    var handshakeCount: Int { handshakes.count }
    var ids: [ID] { Array(connections.keys) }

    /// - Parameter now: nanoseconds of a clock that only goes forward.
    mutating func add(_ id: ID, from prefix: NetworkPrefix?, at now: Int64) -> Decision {
        guard connections.count < limits.connections else { return .refuse }
        if let prefix {
            let counts = addresses[prefix] ?? Counts()
            if let limit = limits.connectionsPerAddress, counts.connections >= limit { return .refuse }
            guard counts.handshakes < limits.handshakesPerAddress else { return .refuse }
            guard arrivals?.take(1, for: prefix, at: now) ?? true else { return .refuse }
        }
        var replaced: ID?
        if handshakes.count >= limits.handshakes, let oldest = oldestHandshake {
            remove(oldest)
            replaced = oldest
        }
        connections[id] = Connection(prefix: prefix, handshake: nextNumber)
        handshakes[nextNumber] = id
        nextNumber += 1
        if let prefix {
            addresses[prefix, default: Counts()].connections += 1
            addresses[prefix, default: Counts()].handshakes += 1
        }
        return replaced.map { .acceptInsteadOf($0) } ?? .accept
    }

    mutating func finishHandshake(_ id: ID) {
        guard let connection = connections[id], let number = connection.handshake else { return }
        connections[id]?.handshake = nil
        handshakes[number] = nil
        if let prefix = connection.prefix { addresses[prefix]?.handshakes -= 1 }
    }

    mutating func remove(_ id: ID) {
        finishHandshake(id)
        guard let connection = connections.removeValue(forKey: id), let prefix = connection.prefix else { return }
        addresses[prefix]?.connections -= 1
        if addresses[prefix]?.connections == 0 { addresses[prefix] = nil }
    }

    private var oldestHandshake: ID? {
        mutating get {
            while oldestNumber < nextNumber {
                if let id = handshakes[oldestNumber] { return id }
                oldestNumber += 1
            }
            return nil
        }
    }
}

/// The open connections of a listener, bounded.
final class AcceptedConnections: Sendable {
    private struct State {
        var table: ConnectionTable<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
    }

    private let state: Mutex<State>

    init(_ limits: ConnectionTable<ObjectIdentifier>.Limits) { state = Mutex(State(table: ConnectionTable(limits))) }

    var count: Int { state.withLock { $0.channels.count } }

    /// - Returns: false if the connection must be closed.
    func add(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let prefix = channel.remoteAddress.flatMap(IPAddress.init)?.limitedPrefix
        let (isAdded, replaced) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isStopped else { return (false, nil) }
            let replaced: ObjectIdentifier?
            switch state.table.add(key, from: prefix, at: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) {
            case .refuse: return (false, nil)
            case .accept: replaced = nil
            case .acceptInsteadOf(let id): replaced = id
            }
            state.channels[key] = channel
            return (true, replaced.flatMap { state.channels[$0] })
        }
        replaced?.close(promise: nil)
        guard isAdded else { return false }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                state.channels[key] = nil
                state.table.remove(key)
            }
        }
        return true
    }

    func finishHandshake(_ key: ObjectIdentifier) { state.withLock { $0.table.finishHandshake(key) } }

    func stop() -> [any Channel] {
        state.withLock { state in
            state.isStopped = true
            return Array(state.channels.values)
        }
    }
}
