import SMPCrypto
import SMPProtocol
import Testing

@testable import SMPAgent

@Suite struct UserServersTests {
    private let random = SeededRandomSource(seed: 5)

    private func address(_ name: String) -> SMPServerAddress {
        SMPServerAddress(host: .domain(name), keyHash: KeyHash(Array(repeating: 1, count: 32)))
    }

    private func server(_ name: String, by operatorID: Int64?, storage: Bool = true, proxy: Bool = true) -> AgentServer {
        AgentServer(SMPServerWithAuth(address(name)), operatorID: operatorID, isForStorage: storage, isForProxy: proxy)
    }

    /// All that are drawn in many draws.
    private func draws(_ servers: UserServers, avoiding used: [String] = []) -> Set<SMPServerAddress> {
        Set((0..<200).compactMap { _ in servers.next(avoiding: used.map { address($0) }, random)?.server })
    }

    @Test func `A queue is made on a router of an operator that is not used yet`() {
        let servers = UserServers([server("a1", by: 1), server("a2", by: 1), server("b1", by: 2), server("own", by: nil)])
        #expect(draws(servers) == [address("a1"), address("a2"), address("b1"), address("own")])
        #expect(draws(servers, avoiding: ["a1"]) == [address("b1"), address("own")])
        #expect(draws(servers, avoiding: ["a1", "b1"]) == [address("own")])
        // All operators are used: another router of one of them.
        #expect(draws(servers, avoiding: ["a1", "b1", "own"]) == [address("a2")])
        #expect(draws(servers, avoiding: ["a1", "a2", "b1", "own"]).count == 4)
        // Routers of others have no operator that we know.
        #expect(draws(servers, avoiding: ["stranger"]).count == 4)
    }

    @Test func `Only routers that are meant for it resolve names, in any order`() {
        func meant(_ name: String) -> AgentServer { AgentServer(SMPServerWithAuth(address(name)), isForNames: true) }
        #expect(UserServers([server("a", by: 1), server("b", by: 2)]).names(random) == [])
        let servers = UserServers([server("a", by: 1), meant("n1"), meant("n2"), meant("n3")])
        let orders = Set((0..<300).map { _ in servers.names(random) })
        #expect(orders.count == 6 && orders.allSatisfy { Set($0) == [address("n1"), address("n2"), address("n3")] })
    }

    @Test func `A proxy that sees who asks is on another host and of another operator, or there is none`() {
        func proxies(_ servers: [AgentServer], for name: String) -> Set<SMPServerAddress> {
            Set(UserServers(servers).separateProxies(for: address(name)).map(\.server))
        }
        let (a1, a2, b1) = (server("a1", by: 1), server("a2", by: 1), server("b1", by: 2))
        let (own1, own2) = (server("own1", by: nil), server("own2", by: nil))
        #expect(proxies([a1, a2, b1, own1], for: "a1") == [address("b1"), address("own1")])
        #expect(proxies([a1, a2], for: "a1").isEmpty)
        #expect(proxies([own1], for: "own1").isEmpty)
        #expect(proxies([own1, own2], for: "own1") == [address("own2")], "who runs them is not known")
        #expect(proxies([a1, server("b1", by: 2, proxy: false)], for: "a1").isEmpty, "another may not be a proxy where one is meant for it")
        #expect(proxies([a1], for: "stranger") == [address("a1")])
    }

    @Test func `Routers are used for what they are meant for, if there are such`() {
        let servers = UserServers([
            server("store", by: 1, proxy: false), server("proxy", by: 2, storage: false), server("both", by: 3),
        ])
        #expect(draws(servers) == [address("store"), address("both")])
        #expect(Set(servers.proxies(for: address("stranger")).map(\.server)) == [address("proxy"), address("both")])
        #expect(servers.proxies(for: address("both")).map(\.server) == [address("proxy")])
        #expect(servers.known.count == 3)
        let proxies = UserServers([server("p", by: 1, storage: false)])
        #expect(draws(proxies) == [address("p")])
        #expect(UserServers().next(avoiding: [], random) == nil)
    }
}
