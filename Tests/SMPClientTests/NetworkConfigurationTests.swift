import SMPProtocol
import SMPTransport
import SMPWire
import TestSupport
import Testing

@testable import SMPClient

@Suite("How routers are reached")
struct NetworkConfigurationTests {
    private let onion = TransportHost.onion("abc.onion")
    private let named = TransportHost.domain("smp.example")
    private var server: SMPServerAddress { SMPServerAddress(hosts: [named, onion], keyHash: .none) ?? onlyNamed }
    private var onlyNamed: SMPServerAddress { SMPServerAddress(host: named, keyHash: .none) }
    private var onlyOnion: SMPServerAddress { SMPServerAddress(host: onion, keyHash: .none) }

    private func settings(_ mode: NetworkConfiguration.HostMode, socks: Bool, required: Bool = false) -> NetworkConfiguration {
        var settings = NetworkConfiguration()
        settings.hostMode = mode
        settings.socksProxy = socks ? SOCKSProxy() : nil
        settings.isHostModeRequired = required
        return settings
    }

    @Test("The hosts of the wanted kind are tried, and only those")
    func hosts() {
        #expect(settings(.onionViaSOCKS, socks: true).hosts(of: server) == [onion])
        #expect(settings(.onionViaSOCKS, socks: false).hosts(of: server) == [named])
        #expect(settings(.onion, socks: true).hosts(of: server) == [onion])
        #expect(settings(.public, socks: true).hosts(of: server) == [named])
        #expect(settings(.onion, socks: true).hosts(of: onlyNamed) == [named])
        #expect(settings(.public, socks: true).hosts(of: onlyOnion) == [onion])
    }

    @Test("A router without a host that may be used is not connected to")
    func unreachable() {
        #expect(settings(.onion, socks: true, required: true).hosts(of: onlyNamed) == [])
        #expect(settings(.public, socks: true, required: true).hosts(of: onlyOnion) == [])
        for mode in NetworkConfiguration.HostMode.allCases { #expect(settings(mode, socks: false).hosts(of: onlyOnion) == []) }
    }

    @Test("The proxy is used always, or for onion hosts only")
    func proxy() {
        var settings = settings(.onionViaSOCKS, socks: true)
        #expect(settings.usesProxy(for: named))
        settings.socksMode = .onion
        #expect(!settings.usesProxy(for: named))
        #expect(settings.usesProxy(for: onion))
        settings.socksProxy = nil
        #expect(!settings.usesProxy(for: onion))
    }

    @Test("What a proxy must keep apart has other purposes", arguments: NetworkConfiguration.SessionMode.allCases)
    func isolation(_ mode: NetworkConfiguration.SessionMode) {
        var settings = NetworkConfiguration()
        settings.sessionMode = mode
        func purpose(_ user: Int64, _ server: SMPServerAddress, _ entity: EntityID?, _ epoch: String) -> String {
            settings.purpose(of: TransportSessionKey(userID: user, server: server, entity: entity), epoch: epoch)
        }
        let one = purpose(1, server, queueID(1), "e")
        #expect(one != purpose(2, server, queueID(1), "e"))
        #expect((one != purpose(1, server, queueID(1), "f")) == (mode != .user))
        #expect((one != purpose(1, onlyNamed, queueID(1), "e")) == (mode == .server || mode == .entity))
        #expect((one != purpose(1, server, queueID(2), "e")) == (mode == .entity))
    }

    @Test("The web port is for routers without a port of their own")
    func ports() {
        var configuration = SMPClientConfiguration()
        let preset = SMPServerAddress(host: .domain("smp8.simplex.im"), keyHash: .none)
        #expect(configuration.port(of: preset) == 443)
        #expect(configuration.port(of: onlyNamed) == 5223)
        configuration.network.webPortServers = .all
        #expect(configuration.port(of: onlyNamed) == 443)
        configuration.network.webPortServers = .off
        #expect(configuration.port(of: preset) == 5223)
        #expect(configuration.port(of: SMPServerAddress(host: .domain("smp8.simplex.im"), port: 9, keyHash: .none)) == 9)
    }

    @Test("A router does not see the address if every host that is tried is reached through the proxy")
    func hidden() throws {
        let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let onion = String(repeating: "a", count: 56) + ".onion"
        let plain = try SMPServerAddress(wireString: "smp://\(key)@smp.example"), both = try SMPServerAddress(wireString: "smp://\(key)@smp.example,\(onion)")
        var settings = NetworkConfiguration()
        #expect(!settings.hidesAddress(from: plain) && !settings.hidesAddress(from: both))
        settings.socksProxy = SOCKSProxy(port: 9050)
        #expect(settings.hidesAddress(from: plain) && settings.hidesAddress(from: both))
        settings.socksMode = .onion
        #expect(!settings.hidesAddress(from: plain) && settings.hidesAddress(from: both))
        settings.hostMode = .public
        #expect(!settings.hidesAddress(from: both))
    }

    @Test("Slow networks get half as much time again")
    func slow() {
        func limits(_ settings: NetworkConfiguration) -> [Duration] {
            [true, false].flatMap { isInteractive in
                [settings.connectLimit(isInteractive: isInteractive)]
                    + [0, 1023, 2048].map { settings.responseLimit(isInteractive: isInteractive, bytes: $0) }
            }
        }
        var settings = NetworkConfiguration()
        #expect(limits(settings) == [15_000, 10_000, 10_000, 10_010, 45_000, 30_000, 30_000, 30_010].map { .milliseconds($0) })
        settings.isSlow = true
        #expect(limits(settings) == [22_500, 15_000, 15_000, 15_015, 67_500, 45_000, 45_000, 45_015].map { .milliseconds($0) })
    }

    @Test("A command that a person waits for has less time than others, and one with a limit of its own has that")
    func commands() {
        func limit(_ command: SMPCommand, _ timeout: Duration? = nil, isSlow: Bool = false) -> Duration {
            var settings = NetworkConfiguration()
            settings.isSlow = isSlow
            return settings.limit(of: SMPRequest(command: command, timeout: timeout), bytes: 1024)
        }
        for interactive in [SMPCommand.que, .lget, .ndel, .off] { #expect(limit(interactive) == .milliseconds(10_005)) }
        for other in [SMPCommand.sub, .ping, .del, .send(MessageFlags(), [])] { #expect(limit(other) == .milliseconds(30_005)) }
        #expect(limit(.que, .seconds(1)) == .milliseconds(1_005))
        #expect(limit(.que, .seconds(1), isSlow: true) == .microseconds(1_007_500))
    }

    @Test("Connections stay when the network has become slow, and are given more time when they are made anew")
    func slower() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            #expect(code(await client.pool.subscribe(client.subscriptions(1...2), over: client.session)[0]) == nil)
            #expect(await events.next() == "connected")
            var settings = NetworkConfiguration()
            settings.isSlow = true
            try await client.pool.setNetwork(settings)
            #expect(router.clients.count == 1)
            await client.pool.reconnect { _ in true }
            for expected in ["disconnected 1,2", "connected", "subscribed 1,2"] { #expect(await events.next() == expected) }
            #expect(router.clients.count == 2)
        }
    }

    @Test("Other settings, and a request for it, make connections anew at once and keep subscriptions")
    func live() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            #expect(code(await client.pool.subscribe(client.subscriptions(1...2), over: client.session)[0]) == nil)
            #expect(await events.next() == "connected")
            var settings = NetworkConfiguration()
            try await client.pool.setNetwork(settings)
            settings.responseTimeout.background = .seconds(1)
            try await client.pool.setNetwork(settings)
            // The clock does not move: nothing is waited for.
            for expected in ["disconnected 1,2", "connected", "subscribed 1,2"] { #expect(await events.next() == expected) }
            await client.pool.reconnect { $0.userID == 2 }
            await client.pool.reconnect { $0.userID == 1 }
            for expected in ["disconnected 1,2", "connected", "subscribed 1,2"] { #expect(await events.next() == expected) }
            #expect(router.clients.count == 3)
            #expect(await client.pool.sessionStates() == [client.session: .connected])
        }
    }
}
