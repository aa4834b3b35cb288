import NIOCore
import SMPProtocol
import SMPTransport

/// The routers that a proxy is connected to, is connecting to, and has failed to reach: a value without sockets.
///
/// The proxy connects to a few routers at a time, for all clients in turn, so that a client that names a thousand unreachable routers does not
/// delay the others. At the maximum number of connections, the client with most of them loses its least recently used one.
struct RelayTable<Waiter> {
    struct Limits: Sendable {
        /// Routers connected to.
        var connections: Int
        /// Routers being connected to, for all clients and for one.
        var attempts = 64
        var attemptsPerClient = 4
        /// Routers that wait to be connected to, for all clients and for one.
        var queued = 4_096
        var queuedPerClient = 256
        /// Answers that wait for one router.
        var waiters = 4_096
        /// Unreachable routers that are remembered.
        var failures = 4_096
    }

    enum Entry {
        /// Waits for its turn.
        case queued([Waiter])
        /// Being connected to; further requests wait. Late if the time to report a failure is over: then only the end
        /// of the attempt answers the waiters.
        case connecting([Waiter], RouterClient, isLate: Bool)
        /// Could not be reached; the waiters are answered when the time to report a failure is over.
        case overdue([Waiter])
        case connected(Connected)
    }

    struct Connected {
        let number: UInt64
        /// The client that used it last.
        var client: RouterClient
        var lastUse: NIODeadline
    }

    enum Request {
        /// The router is connected; the number of its connection.
        case known(UInt64)
        /// The waiter is kept.
        case waits
        /// The waiter is not kept: too many wait already.
        case refused
        /// The router could not be reached a moment ago.
        case failed
    }

    private let limits: Limits
    private var entries: [SMPServerAddress: Entry] = [:]
    private var failures: [SMPServerAddress: NIODeadline] = [:]
    private var servers: [UInt64: SMPServerAddress] = [:]
    private var queues: [RouterClient: [SMPServerAddress]] = [:]
    /// Clients with a queue, in the order of their rotation.
    private var rotation: [RouterClient] = []
    private var queuedCount = 0
    private var attempts: [RouterClient: Int] = [:]
    private var attemptCount = 0
    private var owned: [RouterClient: Int] = [:]

    init(_ limits: Limits) { self.limits = limits }

    /// Routers connected to.
    var count: Int { servers.count }

    /// Requests the connection to a router.
    mutating func request(_ server: SMPServerAddress, for client: RouterClient, _ waiter: Waiter, at now: NIODeadline) -> Request {
        switch entries[server] {
        case .connected(let connected):
            use(connected.number, by: client, at: now)
            return .known(connected.number)
        case .queued(let waiters):
            // The first turn of any client counts: a client with many routers before this one does not delay it for the others.
            if queues[client]?.contains(server) != true { enqueue(server, for: client) }
            return add(waiter, to: waiters, server) { .queued($0) }
        case .connecting(let waiters, let first, let isLate): return add(waiter, to: waiters, server) { .connecting($0, first, isLate: isLate) }
        case .overdue(let waiters): return add(waiter, to: waiters, server) { .overdue($0) }
        case nil: break
        }
        if let until = failures[server] {
            if now < until { return .failed }
            failures[server] = nil
        }
        guard enqueue(server, for: client) else { return .refused }
        entries[server] = .queued([waiter])
        return .waits
    }

    @discardableResult
    private mutating func enqueue(_ server: SMPServerAddress, for client: RouterClient) -> Bool {
        let queue = queues[client] ?? []
        guard queuedCount < limits.queued, queue.count < limits.queuedPerClient else { return false }
        if queue.isEmpty { rotation.append(client) }
        queues[client] = queue + [server]
        queuedCount += 1
        return true
    }

    private mutating func add(
        _ waiter: Waiter, to waiters: [Waiter], _ server: SMPServerAddress, _ entry: ([Waiter]) -> Entry
    ) -> Request {
        guard waiters.count < limits.waiters else { return .refused }
        entries[server] = nil
        entries[server] = entry(waiters + [waiter])
        return .waits
    }

    /// Takes the router to connect to next; nil if there is none, or none is allowed now. To be called after every request and every end of
    /// an attempt, until it returns nil.
    mutating func next() -> SMPServerAddress? {
        guard attemptCount < limits.attempts else { return nil }
        var passedOver = 0
        while passedOver < rotation.count {
            let client = rotation.removeFirst()
            guard attempts[client, default: 0] < limits.attemptsPerClient, var queue = queues[client], !queue.isEmpty else {
                rotation.append(client)
                passedOver += 1
                continue
            }
            let server = queue.removeFirst()
            queuedCount -= 1
            queues[client] = queue.isEmpty ? nil : queue
            if !queue.isEmpty { rotation.append(client) }
            // Another client's turn may have come first.
            guard case .queued(let waiters) = entries[server] else {
                passedOver = 0
                continue
            }
            entries[server] = .connecting(waiters, client, isLate: false)
            attempts[client, default: 0] += 1
            attemptCount += 1
            return server
        }
        return nil
    }

    private mutating func endAttempt(of client: RouterClient) {
        attemptCount -= 1
        let left = attempts[client, default: 0] - 1
        attempts[client] = left > 0 ? left : nil
    }

    /// Adds a new connection.
    ///
    /// - Parameter isBusy: whether something waits on a connection.
    /// - Returns: the waiters, and the connection to close in exchange. If `isKept` is false, there was no room: the new connection must be closed.
    mutating func connected(
        _ server: SMPServerAddress, as number: UInt64, at now: NIODeadline, isBusy: (UInt64) -> Bool
    ) -> (waiters: [Waiter], isKept: Bool, evicted: UInt64?) {
        guard case .connecting(let waiters, let client, _) = entries[server] else { return ([], false, nil) }
        endAttempt(of: client)
        var evicted: UInt64?
        if servers.count >= limits.connections {
            evicted = victim(for: client, isBusy: isBusy)
            guard let evicted else {
                entries[server] = nil
                return (waiters, false, nil)
            }
            end(evicted)
        }
        entries[server] = .connected(Connected(number: number, client: client, lastUse: now))
        servers[number] = server
        owned[client, default: 0] += 1
        return (waiters, true, evicted)
    }

    /// Chooses the connection to close for a new one: the least recently used one of the client with most connections. A busy connection is
    /// closed only for another client, which has fewer connections.
    private func victim(for client: RouterClient, isBusy: (UInt64) -> Bool) -> UInt64? {
        guard let most = owned.values.max() else { return nil }
        let isOwn = owned[client, default: 0] >= most
        let candidates = entries.values.compactMap { entry -> (connected: Connected, isBusy: Bool)? in
            guard case .connected(let connected) = entry else { return nil }
            guard isOwn ? connected.client == client : owned[connected.client] == most else { return nil }
            return (connected, isBusy(connected.number))
        }
        let best = candidates.min { left, right in
            left.isBusy == right.isBusy ? left.connected.lastUse < right.connected.lastUse : !left.isBusy
        }
        guard let best, !best.isBusy || !isOwn else { return nil }
        return best.connected.number
    }

    /// Records that a router could not be reached. Its waiters wait until ``expire(_:at:until:)``.
    ///
    /// - Returns: the waiters to answer at once, because the time is over.
    mutating func attemptFailed(_ server: SMPServerAddress, at now: NIODeadline, until: NIODeadline) -> [Waiter] {
        guard case .connecting(let waiters, let client, let isLate) = entries[server] else { return [] }
        endAttempt(of: client)
        entries[server] = .overdue(waiters)
        return isLate ? expire(server, at: now, until: until) : []
    }

    /// Ends the time to report a failure: after a failed attempt, or during an attempt that takes too long and may still succeed.
    ///
    /// - Returns: the waiters to answer.
    mutating func expire(_ server: SMPServerAddress, at now: NIODeadline, until: NIODeadline) -> [Waiter] {
        switch entries[server] {
        case .connecting(let waiters, let client, _):
            entries[server] = .connecting([], client, isLate: true)
            return waiters
        case .overdue(let waiters):
            entries[server] = nil
            if failures.count >= limits.failures { failures = failures.filter { now < $0.value } }
            if failures.count < limits.failures { failures[server] = until }
            return waiters
        case .queued, .connected, nil: return []
        }
    }

    /// Records the use of a connection.
    mutating func use(_ number: UInt64, by client: RouterClient, at now: NIODeadline) {
        guard let server = servers[number], case .connected(var connected) = entries[server] else { return }
        if connected.client != client {
            disown(connected.client)
            owned[client, default: 0] += 1
            connected.client = client
        }
        connected.lastUse = now
        entries[server] = .connected(connected)
    }

    /// Removes a connection that has ended.
    mutating func end(_ number: UInt64) {
        guard let server = servers.removeValue(forKey: number), case .connected(let connected) = entries[server] else { return }
        entries[server] = nil
        disown(connected.client)
    }

    private mutating func disown(_ client: RouterClient) {
        let left = owned[client, default: 0] - 1
        owned[client] = left > 0 ? left : nil
    }

    /// Removes all entries.
    ///
    /// - Returns: the waiters.
    mutating func clear() -> [Waiter] {
        let waiters = entries.values.flatMap { entry -> [Waiter] in
            switch entry {
            case .queued(let waiters), .connecting(let waiters, _, _), .overdue(let waiters): waiters
            case .connected: []
            }
        }
        self = RelayTable(limits)
        return waiters
    }
}

extension RelayTable: Sendable where Waiter: Sendable {}
extension RelayTable.Entry: Sendable where Waiter: Sendable {}
