import AsyncPrimitives
import NIOCore
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPServer

/// A proxy between clients that it does not trust and routers that it does not trust.
@Suite struct RouterRelayTests {
    private static let unreachable = SMPBrokerMessage.err(.proxy(.broker(.network(.failed))))

    /// The proxy's connection to a relay, which a client has had made.
    private func connection(_ proxy: SMPRouter, to relay: FakeRelay) async throws -> (client: TestClient, relay: RelayConnection) {
        let client = try await TestClient(proxy.address)
        guard case .pkey(let session) = try await client.request(.prxy(relay.address, nil)) else { throw TestClientError.closed }
        let relays = try #require(proxy.core.relays)
        return (client, try #require(relays.relay(session.sessionID, for: .session(SessionID(number: 1)))))
    }

    private func command(_ relay: RelayConnection) throws -> ForwardedCommand {
        ForwardedCommand(
            version: 17, key: X25519.generateKeyPair(SystemRandomSource()).publicKey,
            encryptedTransmission: Bytes(repeating: 7, count: ProxyEncryption.paddedLength))
    }

    @Test func whatARelayDoesNotReadIsBoundedAndGoesWithItsConnection() async throws {
        let fake = try await FakeRelay(.deaf)
        var times = RelayTimes()
        (times.stall, times.watch) = (.seconds(1), .milliseconds(20))
        try await withRouter(.memory, { $0.relayTimes = times }) { proxy in
            let (_, relay) = try await connection(proxy, to: fake)
            let command = try command(relay)
            let answers = Mutex<[SMPBrokerMessage]>([])
            let count = 3_000
            var largest = 0
            for _ in 0..<count {
                relay.forward(command, .random(SystemRandomSource())) { answer in answers.withLock { $0.append(answer) } }
                largest = max(largest, relay.held)
            }
            #expect(largest <= RelayBudget.perConnection)
            // More than the kernel holds for a peer that does not read was refused at once, with an error that a client knows.
            #expect(answers.withLock { $0.count } > 0)
            #expect(answers.withLock { $0.allSatisfy { $0 == Self.unreachable } })
            // It reads nothing: its connection is closed, and all that waited is answered.
            try await eventually("the relay has gone") { proxy.statistics.relays == 0 }
            try await eventually("all are answered") { answers.withLock { $0.count } == count }
            #expect(proxy.core.relays?.budget.used == 0 && relay.held == 0)
        }
        await fake.close()
    }

    @Test func aRelayThatReadsAndAnswersNothingLosesItsConnection() async throws {
        let fake = try await FakeRelay(.mute)
        var times = RelayTimes()
        times.response = .milliseconds(50)
        try await withRouter(.memory, { $0.relayTimes = times }) { proxy in
            let (client, relay) = try await connection(proxy, to: fake)
            let session = EntityID(relay.session.sessionID)
            #expect(try await client.request(.pfwd(try command(relay)), session) == .err(.proxy(.broker(.timeout))))
            try await eventually("the relay has gone") { proxy.statistics.relays == 0 }
            #expect(try await client.request(.pfwd(try command(relay)), session) == .err(.proxy(.noSession)))
        }
        await fake.close()
    }

    @Test func aConnectionThatNothingWasPassedOnOverIsNotKeptForLong() async throws {
        let fake = try await FakeRelay(.mute)
        var times = RelayTimes()
        (times.unused, times.watch) = (.milliseconds(50), .milliseconds(20))
        try await withRouter(.memory, { $0.relayTimes = times }) { proxy in
            // On a slow machine it can be gone before it is looked for.
            let client = try await TestClient(proxy.address)
            guard case .pkey = try await client.request(.prxy(fake.address, nil)) else { throw TestClientError.closed }
            try await eventually("the relay has gone") { proxy.statistics.relays == 0 }
        }
        await fake.close()
    }

    // MARK: Slots

    /// The relay's process ends when the proxy has connected to its port and waits for the handshake.
    @Test func aRelayThatRestartsWhileItIsConnectedToIsReachedAgain() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let address = try await withRouter(.folder(folder.path)) { $0.address }
        let port = try #require(address.port)
        let dying = try await SilentPort(Int(port))
        var times = RelayTimes()
        times.failureMemory = .zero
        try await withRouter(.memory, { $0.relayTimes = times }) { proxy in
            let client = try await TestClient(proxy.address)
            let ids = try await client.send([Request(.prxy(address, nil)), Request(.prxy(address, nil))])
            try await eventually("the proxy connects") { dying.count > 0 }
            try await dying.die()
            for id in ids { #expect(try await client.response(to: id) == Self.unreachable) }
            try await withRouter(.folder(folder.path), { $0.port = Int(port) }) { relay in
                #expect(relay.address == address)
                guard case .pkey(let session) = try await client.request(.prxy(address, nil)) else { throw TestClientError.closed }
                #expect(session.key.identityFingerprint == address.keyHash)
            }
        }
    }

    @Test func aClientWithManyRelaysLosesItsOwnAndNotAnothers() async throws {
        let credential = try ServerCredential.generate()
        var fakes: [FakeRelay] = []
        for _ in 0..<8 { fakes.append(try await FakeRelay(.mute, credential: credential)) }
        try await withRouter { destination in
            try await withRouter(.memory, { $0.maximumRelays = 3 }) { proxy in
                let honest = try await TestClient(proxy.address)
                guard case .pkey(let session) = try await honest.request(.prxy(destination.address, nil)) else { throw TestClientError.closed }
                let attacker = try await TestClient(proxy.address)
                for fake in fakes {
                    guard case .pkey = try await attacker.request(.prxy(fake.address, nil)) else { throw TestClientError.closed }
                    #expect(proxy.statistics.relays <= 3)
                }
                // The first that the proxy connected to, and used by nobody since.
                #expect(try await honest.request(.prxy(destination.address, nil)) == .pkey(session))
                #expect(proxy.core.relays?.relay(session.sessionID, for: .session(SessionID(number: 1))) != nil)
            }
        }
        for fake in fakes { await fake.close() }
    }

    @Test func routersThatNeverAnswerKeepNobodyFromHis() async throws {
        let silent = try await SilentPort()
        try await withRouter { destination in
            try await withRouter(.memory, { $0.maximumRelays = 10 }) { proxy in
                let attacker = try await TestClient(proxy.address)
                let random = SystemRandomSource()
                let requests = (0..<30).map { _ in
                    Request(.prxy(SMPServerAddress(host: .ipv4(127, 0, 0, 1), port: UInt16(silent.number), keyHash: KeyHash(random.bytes(32))), nil))
                }
                _ = try await attacker.send(requests)
                let honest = try await TestClient(proxy.address)
                guard case .pkey = try await honest.request(.prxy(destination.address, nil)) else { throw TestClientError.closed }
            }
        }
        try await silent.close()
    }

    // MARK: Where it connects to

    @Test(arguments: ["localhost", "127.0.0.1", "relay.example", "[::1]"])
    func aRouterForTheInternetConnectsToNothingPrivate(_ host: String) async throws {
        let seen = Mutex(0)
        try await withRouter { destination in
            var times = RelayTimes()
            times.connect = .milliseconds(100)
            try await withRouter(.memory) {
                $0.allowsPrivateRelays = false
                $0.relayTimes = times
                $0.lookup = { name in
                    seen.withLock { $0 += 1 }
                    return [IPAddress(parsing: name == "localhost" ? "::1" : "127.0.0.1"), IPAddress(parsing: "169.254.169.254")].compactMap { $0 }
                }
            } _: { proxy in
                let client = try await TestClient(proxy.address)
                let address = SMPServerAddress(
                    host: try TransportHost(parsing: host), port: UInt16(destination.port), keyHash: destination.address.keyHash)
                #expect(try await client.request(.prxy(address, nil)) == Self.unreachable)
                #expect(destination.statistics.counters.sessionsOpened == 0 && destination.statistics.connections == 0)
                #expect(seen.withLock { $0 } == (host.contains("l") ? 1 : 0))
            }
        }
    }

    @Test func itConnectsToTheAddressThatItHasCheckedAndAsksForTheNameOnce() async throws {
        let seen = Mutex(0)
        try await withRouter { destination in
            try await withRouter(.memory) {
                $0.lookup = { name in
                    // A name server that answers differently the second time, and a name that nobody else knows.
                    seen.withLock { seen in
                        seen += 1
                        return seen == 1 && name == "relay.invalid" ? IPAddress(parsing: "127.0.0.1").map { [$0] } ?? [] : []
                    }
                }
            } _: { proxy in
                let client = try await TestClient(proxy.address)
                let address = SMPServerAddress(
                    host: try TransportHost(parsing: "relay.invalid"), port: UInt16(destination.port), keyHash: destination.address.keyHash)
                guard case .pkey = try await client.request(.prxy(address, nil)) else { throw TestClientError.closed }
                #expect(seen.withLock { $0 } == 1)
            }
        }
    }

    @Test func aRouterWhoseNameIsLookedUpForTooLongIsAnsweredForEachTime() async throws {
        let isAnswered = Promise<Void>()
        var times = RelayTimes()
        times.connect = .milliseconds(20)
        try await withRouter(.memory) {
            $0.allowsPrivateRelays = false
            $0.relayTimes = times
            $0.lookup = { _ in
                await isAnswered.value()
                return []
            }
        } _: { proxy in
            let client = try await TestClient(proxy.address)
            let address = SMPServerAddress(host: .domain("relay.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
            #expect(try await client.request(.prxy(address, nil)) == Self.unreachable)
            // One that asks before the name server answers, and more than a session may have under way after it.
            let early = try await client.send([Request(.prxy(address, nil))])
            #expect(try await client.request(.ping) == .pong)
            isAnswered.resolve(())
            #expect(try await client.response(to: early[0]) == Self.unreachable)
            for _ in 0..<40 { #expect(try await client.request(.prxy(address, nil)) == Self.unreachable) }
        }
    }

    @Test func theSystemsNamesAreFound() async throws {
        let addresses = RelayAddresses(allowsPrivate: true)
        #expect(await addresses.addresses(of: try TransportHost(parsing: "localhost")).allSatisfy(\.isLoopback))
        #expect(await !addresses.addresses(of: try TransportHost(parsing: "localhost")).isEmpty)
        #expect(await RelayAddresses(allowsPrivate: false).addresses(of: try TransportHost(parsing: "localhost")).isEmpty)
        addresses.close()
    }

    @Test func itIsToldOfNothingWhatThereIsAtAnAddress() async throws {
        let silent = try await SilentPort()
        try await withRouter { destination in
            var times = RelayTimes()
            times.connect = .seconds(2)
            try await withRouter(.memory, { $0.relayTimes = times }) { proxy in
                let wrong = KeyHash(Bytes(repeating: 9, count: 32))
                // Refused, silent, another identity: the client's answer is the same.
                for port in [1, silent.number, destination.port] {
                    let address = SMPServerAddress(host: .ipv4(127, 0, 0, 1), port: UInt16(port), keyHash: wrong)
                    let answer = Mutex<Result<RelaySession, SMPErrorType>?>(nil)
                    proxy.core.relays?.session(with: address, for: .session(SessionID(number: 9))) { result in answer.withLock { $0 = result } }
                    try await eventually("it is answered") { answer.withLock { $0 != nil } }
                    guard case .failure(RelayPool.unreachable) = answer.withLock({ $0 }) else {
                        Issue.record("port \(port) is told apart")
                        continue
                    }
                }
            }
        }
        try await silent.close()
    }

    @Test func aRouterForThisMachineOnlyMayConnectToIt() throws {
        var configuration = RouterConfiguration(storage: .memory)
        for (host, isOnly) in [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true), ("0.0.0.0", false), ("::", false), ("192.168.1.1", false),
        ] {
            configuration.host = host
            #expect(configuration.isLoopbackOnly == isOnly)
        }
    }
}
