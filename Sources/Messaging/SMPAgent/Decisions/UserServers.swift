import SMPCrypto
import SMPProtocol
import SMPWire

/// The routers of a user. Chooses among them so that as few as possible, and as few of their operators as possible, see both sides of a
/// connection.
struct UserServers: Sendable, Equatable {
    let all: [AgentServer]

    init(_ all: [AgentServer] = []) { self.all = all }

    /// All routers, which are the user's own as far as private routing is concerned.
    var known: [SMPServerWithAuth] { all.map(\.server) }

    /// Those that new queues are made on; all if there are none that are meant for it.
    private var storage: [AgentServer] { Self.preferred(all) { $0.isForStorage } }

    /// A random router for a new queue: of an operator that is not used yet if there is one, and among those one that is not used yet.
    ///
    /// - Parameter used: the routers of the connection's other queues.
    func next(avoiding used: [SMPServerAddress], _ random: any RandomSource) -> SMPServerWithAuth? {
        choose(among: storage, avoiding: used, random)
    }

    /// The same, but none of those that are used; nil if there is no other.
    func another(than used: [SMPServerAddress], _ random: any RandomSource) -> SMPServerWithAuth? {
        choose(among: storage.filter { !used.contains($0.server.server) }, avoiding: used, random)
    }

    private func choose(
        among servers: [AgentServer], avoiding used: [SMPServerAddress], _ random: any RandomSource
    ) -> SMPServerWithAuth? {
        let hosts = Set(used.flatMap(\.hosts))
        let ofOthers = ofOtherOperators(servers, than: hosts)
        let candidates = Self.preferred(ofOthers) { hosts.isDisjoint(with: $0.server.server.hosts) }
        guard !candidates.isEmpty else { return nil }
        let number = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return candidates[Int(number % UInt32(candidates.count))].server
    }

    /// The routers that may be a proxy for this one: of other operators if there are such.
    func proxies(for destination: SMPServerAddress) -> [SMPServerWithAuth] {
        ofOtherOperators(Self.preferred(all) { $0.isForProxy }, than: Set(destination.hosts)).map(\.server)
    }

    /// The routers that may be a proxy for this one so that nobody learns both who asks and for what: on other hosts, and of other operators where
    /// these are known.
    func separateProxies(for destination: SMPServerAddress) -> [SMPServerWithAuth] {
        let hosts = Set(destination.hosts)
        let operators = Set(all.filter { !hosts.isDisjoint(with: $0.server.server.hosts) }.compactMap(\.operatorID))
        return Self.preferred(all) { $0.isForProxy }.filter { proxy in
            hosts.isDisjoint(with: proxy.server.server.hosts) && !(proxy.operatorID.map(operators.contains) ?? false)
        }.map(\.server)
    }

    /// The routers that resolve names, in a random order.
    func names(_ random: any RandomSource) -> [SMPServerAddress] {
        var servers = all.filter(\.isForNames).map(\.server.server)
        for index in servers.indices.dropFirst() {
            let number = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            servers.swapAt(index, Int(number % UInt32(index + 1)))
        }
        return servers
    }

    private func ofOtherOperators(_ servers: [AgentServer], than hosts: Set<TransportHost>) -> [AgentServer] {
        let operators = Set(all.filter { !hosts.isDisjoint(with: $0.server.server.hosts) }.map(\.operatorID))
        return Self.preferred(servers) { !operators.contains($0.operatorID) }
    }

    /// Those that `isWanted`, or all if there are none.
    private static func preferred(_ servers: [AgentServer], _ isWanted: (AgentServer) -> Bool) -> [AgentServer] {
        let wanted = servers.filter(isWanted)
        return wanted.isEmpty ? servers : wanted
    }
}
