import AsyncPrimitives
import RouterSupport
import SMPClient
import SMPProtocol
import SMPServer
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Names that an agent has resolved, over real connections.
@Suite struct NameTests {
    /// Knows one name.
    private struct OneName: NameResolver {
        let name: String

        func resolve(_ domain: SimpleXDomain) async -> Result<NameRecord, NameResolutionError> {
            guard domain.fullName == name else { return .failure(.notFound) }
            let json =
                #"{"name":"\#(name)","nickname":"Ann","website":"","location":"","simplexContact":["simplex:/a#1"],"simplexChannel":[],"owner":"","resolver":""}"#
            return (try? NameRecord(json: Bytes(json.utf8))).map { .success($0) } ?? .failure(.resolver("test"))
        }
    }

    private struct Away: NameResolver {
        func resolve(_: SimpleXDomain) async -> Result<NameRecord, NameResolutionError> { .failure(.resolver("timeout")) }
    }

    /// - Parameter host: those that resolve names are on another host than proxies.
    private static func router(
        _ resolver: (any NameResolver)? = nil, versions: VersionRange = SMPVersion.offered, host: String = "localhost"
    ) async throws -> SMPRouter {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        configuration.advertisedHosts = [try TransportHost(parsing: host)]
        configuration.nameResolver = resolver
        configuration.versions = versions
        return try await SMPRouter.start(configuration)
    }

    /// An agent whose user has a proxy, and routers for names.
    private func withAgent(
        _ routers: [SMPRouter], _ body: (SMPAgent, AgentUserID, _ proxy: SMPRouter) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let proxy = try await Self.router(host: "127.0.0.1")
        let pool = try SMPClientPool()
        let agent = SMPAgent(configuration: .quick, store: try AgentStore(path: folder.path + "/agent.db"), network: pool)
        try await agent.start()
        let servers =
            [AgentServer(SMPServerWithAuth(proxy.address))]
            + routers.map { AgentServer(SMPServerWithAuth($0.address), isForStorage: false, isForProxy: false, isForNames: true) }
        let user = try await agent.createUser(servers: servers)
        do {
            try await body(agent, user, proxy)
        } catch {
            Issue.record(error)
        }
        await agent.close()
        await pool.close()
        for router in routers + [proxy] { await router.stop() }
    }

    private func reason(_ body: () async throws(AgentError) -> NameRecord) async -> AgentError.Reason? {
        do throws(AgentError) {
            _ = try await body()
            return nil
        } catch {
            return error.reason
        }
    }

    private let ann: SimpleXDomain

    init() throws { ann = try SimpleXDomain(wireString: "ann.simplex") }

    @Test(.timeLimit(.minutes(5)))
    func `A name is resolved through a proxy whatever the settings of private routing are, and directly only where that is asked for`() async throws {
        let names = try await Self.router(OneName(name: "ann.simplex"))
        try await withAgent([names]) { agent, user, proxy in
            let record = try await AgentNames(agent).resolve(ann, user: user)
            #expect(record.nickname == "Ann" && record.contactLinks == ["simplex:/a#1"])
            #expect(names.statistics.counters.commandsForwarded == 1 && proxy.statistics.counters.commandsRelayed == 1)
            #expect(try await AgentNames(agent).resolve(ann, user: user, allowsDirect: true) == record)
            #expect(names.statistics.counters.commandsForwarded == 1 && names.statistics.counters.namesResolved == 2)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `A router that resolves nothing is passed over, and one that has answered is the last that learns the name`() async throws {
        let (without, old) = (try await Self.router(), try await Self.router(versions: VersionRange(9...18)))
        let names = try await Self.router(OneName(name: "ann.simplex"))
        try await withAgent([without, old, names]) { agent, user, _ in
            for _ in 0..<5 { #expect(try await AgentNames(agent).resolve(ann, user: user).name == "ann.simplex") }
            #expect(old.statistics.counters.namesRequested == 0, "it would not know the command")
            let bob = try SimpleXDomain(wireString: "bob.simplex")
            #expect(
                await reason { () throws(AgentError) in try await AgentNames(agent).resolve(bob, user: user) }
                    == .smp(server: names.address.wireString, .name(.notFound)))
        }
        let both = [try await Self.router(OneName(name: "x.simplex")), try await Self.router(OneName(name: "x.simplex"))]
        try await withAgent(both) { agent, user, _ in
            guard case .smp(_, .name(.notFound))? = await reason({ () throws(AgentError) in try await AgentNames(agent).resolve(ann, user: user) }) else {
                Issue.record("found")
                return
            }
            #expect(both.map(\.statistics.counters.namesRequested).reduce(0, +) == 1)
        }
        let failing = [try await Self.router(Away()), try await Self.router(Away())]
        try await withAgent(failing) { agent, user, _ in
            guard case .smp(_, .name(.resolver("timeout")))? = await reason({ () throws(AgentError) in try await AgentNames(agent).resolve(ann, user: user) })
            else {
                Issue.record("another error")
                return
            }
            #expect(failing.map(\.statistics.counters.namesRequested).reduce(0, +) == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `Without a router that is meant for names, nobody is asked`() async throws {
        try await withAgent([]) { agent, user, proxy in
            #expect(await reason { () throws(AgentError) in try await AgentNames(agent).resolve(ann, user: user) } == .noNameServers)
            #expect(AgentError(.noNameServers).code == "NO_NAME_SERVERS")
            #expect(proxy.statistics.counters.namesRequested == 0 && proxy.statistics.counters.commandsRelayed == 0)
            #expect(await reason { () throws(AgentError) in try await AgentNames(agent).resolve(ann, user: 99) } == .noUser)
        }
        let old = try await Self.router(versions: VersionRange(9...19))
        try await withAgent([old]) { agent, user, _ in
            guard case .broker(_, .transport(.version))? = await reason({ () throws(AgentError) in try await AgentNames(agent).resolve(ann, user: user) })
            else {
                Issue.record("another error")
                return
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `A router that resolves names is not its own proxy: without another nobody is asked, unless that may be done directly`() async throws {
        let names = try await Self.router(OneName(name: "ann.simplex"), host: "127.0.0.1")
        try await withAgent([names]) { agent, user, proxy in
            #expect(await reason { () throws(AgentError) in try await AgentNames(agent).resolve(ann, user: user) } == .noNameProxy)
            #expect(AgentError(.noNameProxy).code == "NO_NAME_PROXY")
            #expect(names.statistics.counters.namesRequested == 0 && proxy.statistics.counters.commandsRelayed == 0)
            let record = try await AgentNames(agent).resolve(ann, user: user, allowsDirect: true)
            #expect(record.nickname == "Ann")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `The routers for names are remembered`() async throws {
        let folder = try TemporaryFolder()
        let address = SMPServerAddress(host: .domain("names.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
        let servers = [AgentServer(SMPServerWithAuth(address)), AgentServer(SMPServerWithAuth(address), isForNames: true)]
        var store = try AgentStore(path: folder.path + "/agent.db")
        let user = try await store.createUser(servers: servers)
        #expect(try await store.users()[user]?.all == servers)
        try await store.close()
        store = try AgentStore(path: folder.path + "/agent.db")
        #expect(try await store.users()[user]?.all == servers)
        try await store.close()
    }
}
