/// A client that asks for names, by which the bounds count.
struct NameClient: Hashable, Sendable {
    let client: RouterClient
    /// True for names that came through a proxy: they are those of many clients, none of which the router sees.
    let isProxy: Bool
}

/// The names that are looked up and those that wait, as a value without tasks: who may wait, who is refused, and whose turn it is.
///
/// Clients take turns, so that one with many names delays the others by one name each. A full queue gives a place to a client with fewer names, at
/// the cost of the client with most.
struct NameQueue<Entry> {
    struct Limits: Sendable {
        /// Names that are looked up at the same time, for all clients and for one. Slow names of one client leave half of the places.
        var concurrent = 32
        var concurrentOfClient = 16
        /// Names that wait for their turn.
        var waiting = 1_000
        /// Names of one address, or of one session of this machine, that are looked up or wait.
        var ofClient = 16
        /// The same for those that an address passes on as a proxy.
        var ofProxy = 256

        func held(by client: NameClient) -> Int { client.isProxy ? ofProxy : ofClient }
    }

    enum Admission {
        /// The name is to be looked up now.
        case start
        /// The name waits. The name that has lost its place is to be refused.
        case waits(displaced: Entry?)
        case refused
    }

    private struct Share {
        var active = 0
        var waiting: [(session: SessionID, entry: Entry)] = []

        var held: Int { active + waiting.count }
    }

    private let limits: Limits
    private var shares: [NameClient: Share] = [:]
    /// Clients with waiting names, in the order of their turns.
    private var turns: [NameClient] = []
    private(set) var active = 0
    private(set) var waiting = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of clients that are remembered.
    var clients: Int { shares.count }

    /// Takes a name of a client's session.
    mutating func add(_ entry: Entry, of session: SessionID, _ client: NameClient) -> Admission {
        var share = shares[client] ?? Share()
        guard share.held < limits.held(by: client) else { return .refused }
        // Where a place is free, those that wait have as many names looked up as one client may.
        if active < limits.concurrent, share.active < limits.concurrentOfClient {
            active += 1
            share.active += 1
            shares[client] = share
            return .start
        }
        var displaced: Entry?
        if waiting >= limits.waiting {
            guard let entry = displace(atLeast: share.waiting.count + 2) else { return .refused }
            displaced = entry
        }
        if share.waiting.isEmpty { turns.append(client) }
        share.waiting.append((session, entry))
        shares[client] = share
        waiting += 1
        return .waits(displaced: displaced)
    }

    /// Takes the latest name of the client with most that wait, if these are as many as that.
    private mutating func displace(atLeast count: Int) -> Entry? {
        guard let client = turns.max(by: { waitingNames(of: $0) < waitingNames(of: $1) }), waitingNames(of: client) >= count else { return nil }
        waiting -= 1
        return shares[client]?.waiting.popLast()?.entry
    }

    private func waitingNames(of client: NameClient) -> Int { shares[client]?.waiting.count ?? 0 }

    /// Ends the lookup of a name of a client.
    ///
    /// - Returns: the name that is to be looked up in its place.
    mutating func end(of client: NameClient) -> (entry: Entry, client: NameClient)? {
        guard let share = shares[client], share.active > 0 else { return nil }
        active -= 1
        shares[client]?.active -= 1
        forgetIfIdle(client)
        guard let turn = turns.firstIndex(where: { shares[$0].map { $0.active < limits.concurrentOfClient } ?? false }) else { return nil }
        let next = turns.remove(at: turn)
        guard let entry = shares[next]?.waiting.remove(at: 0).entry else { return nil }
        if waitingNames(of: next) > 0 { turns.append(next) }
        waiting -= 1
        active += 1
        shares[next]?.active += 1
        return (entry, next)
    }

    /// Drops the waiting names of a session that has ended. Those that are looked up still count.
    ///
    /// - Returns: the number of names.
    mutating func drop(_ session: SessionID, of client: RouterClient) -> Int {
        var dropped = 0
        for client in [NameClient(client: client, isProxy: false), NameClient(client: client, isProxy: true)] {
            let before = waitingNames(of: client)
            guard before > 0 else { continue }
            shares[client]?.waiting.removeAll { $0.session == session }
            dropped += before - waitingNames(of: client)
            if waitingNames(of: client) == 0 { turns.removeAll { $0 == client } }
            forgetIfIdle(client)
        }
        waiting -= dropped
        return dropped
    }

    /// Takes all names that wait.
    mutating func dropAll() -> [Entry] {
        let entries = turns.flatMap { shares[$0]?.waiting.map(\.entry) ?? [] }
        for client in turns {
            shares[client]?.waiting = []
            forgetIfIdle(client)
        }
        turns = []
        waiting = 0
        return entries
    }

    private mutating func forgetIfIdle(_ client: NameClient) {
        if shares[client]?.held == 0 { shares[client] = nil }
    }
}
