import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPClient

@Suite("The pool of sessions: commands")
struct PoolCommandTests {
    @Test("The highest common version is spoken, with block encryption from version 11", arguments: 9...20 as ClosedRange<UInt16>)
    func versions(_ version: UInt16) async throws {
        try await withRouter(versions: VersionRange(version)) { router, client in
            let answer = try await client.ping()
            #expect(answer == .pong)
            let info = try await client.pool.sessionInfo(client.session)
            #expect(info.version == version)
            #expect(info.sessionID.count == 32)
            #expect(router.clients.first?.version == version)
        }
    }

    @Test("A router of too old a version is refused")
    func oldRouter() async throws {
        try await withRouter(versions: VersionRange(6...8)) { _, client in
            #expect(await clientErrorCode { () throws(SMPClientError) in _ = try await client.ping() } == .transport(.version))
        }
    }

    @Test("A router with another certificate than its address names is refused, for good")
    func wrongRouter() async throws {
        let router = try await ScriptedRouter()
        let address = SMPServerAddress(
            host: router.address.hosts[0], port: router.address.port, keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
        let client = try Client(address)
        do throws(SMPClientError) {
            _ = try await client.ping()
            Issue.record("connected to a stranger")
        } catch {
            #expect(error.code == .network(.unknownCA))
            #expect(!error.isTemporary)
            #expect(error.brokerError == .network(.unknownCA))
        }
        await client.pool.close()
        await router.stop()
    }

    @Test("Commands are authorised in the way of their key", arguments: ["x25519", "ed25519", "ed448"])
    func authorization(_ kind: String) async throws {
        let random = SystemRandomSource()
        let key: PrivateAuthKey =
            switch kind {
            case "x25519": .x25519(X25519.generateKeyPair(random).privateKey)
            case "ed25519": .ed25519(Ed25519.generateKeyPair(random).privateKey)
            default: .ed448(Ed448.generateKeyPair(random).privateKey)
            }
        let stranger = PrivateAuthKey.x25519(X25519.generateKeyPair(random).privateKey).publicKey
        try await withRouter({ command, router in
            router.isAuthorized(command, by: key.publicKey) && !router.isAuthorized(command, by: stranger) ? .ok : .err(.auth)
        }) { _, client in
            for _ in 0..<3 {
                let request = SMPRequest(entity: queueID(1), command: .off, authKey: key)
                let answer = try await client.pool.send(request, over: client.session)
                #expect(answer == .ok)
            }
        }
    }

    @Test("Another key for the same queue is not mixed up with the one before")
    func keyChange() async throws {
        let keys = Mutex<[PublicAuthKey]>([])
        try await withRouter({ command, router in
            let key = keys.withLock { $0.removeFirst() }
            return router.isAuthorized(command, by: key) ? .ok : .err(.auth)
        }) { _, client in
            let (first, second) = (client.key(), client.key())
            keys.withLock { $0 = [first.publicKey, second.publicKey, first.publicKey] }
            for key in [first, second, first] {
                let request = SMPRequest(entity: queueID(1), command: .off, authKey: key)
                let answer = try await client.pool.send(request, over: client.session)
                #expect(answer == .ok)
            }
        }
    }

    @Test("A given correlation id is used, and must have 24 bytes")
    func givenCorrelation() async throws {
        try await withRouter { router, client in
            _ = try await client.pool.send(
                SMPRequest(command: .ping, correlationID: correlationID(9)), over: client.session)
            #expect(router.commands.first?.correlationID == correlationID(9))
            let short = SMPRequest(command: .ping, correlationID: CorrelationID([1, 2]))
            let results = await client.pool.send(batch: [short], over: client.session)
            #expect(results.map(code) == [.invalidRequest])
        }
    }

    @Test("A batch takes as few blocks as hold it, and its responses have its order")
    func batch() async throws {
        try await withRouter { router, client in
            _ = try await client.ping()
            let batch = (0..<150 as Range<UInt8>).map { number in
                SMPRequest(entity: queueID(number), command: number % 3 == 0 ? .que : .off, authKey: client.key())
            }
            let results = await client.pool.send(batch: batch, over: client.session)
            #expect(results.count == 150)
            for (number, result) in results.enumerated() {
                #expect(code(result) == (number % 3 == 0 ? .protocol(.internal) : nil))
            }
            #expect(router.blockCount <= 4, "150 commands of about 140 bytes in two or three blocks")
            let none = await client.pool.send(batch: [], over: client.session)
            #expect(none.isEmpty)
        }
    }

    @Test("Many callers share one connection, and each gets its own response")
    func concurrency() async throws {
        try await withRouter { router, client in
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<100 as Range<UInt8> {
                    group.addTask {
                        let request =
                            number % 2 == 0
                            ? SMPRequest(entity: queueID(number), command: .off, authKey: client.key())
                            : SMPRequest(entity: queueID(number), command: .lget)
                        let result = await client.pool.send(batch: [request], over: client.session)[0]
                        return code(result) == (number % 2 == 0 ? nil : .protocol(.internal))
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
            #expect(router.clients.count == 1)
        }
    }

    @Test("Users, and entities where they are kept apart, have connections of their own")
    func isolation() async throws {
        try await withRouter { router, client in
            var ids = Set<Bytes>()
            for (user, entity) in [(1, nil), (2, nil), (2, queueID(1)), (2, queueID(2))] as [(Int64, EntityID?)] {
                let session = TransportSessionKey(userID: user, server: router.address, entity: entity)
                ids.insert(try await client.pool.sessionInfo(session).sessionID)
                ids.insert(try await client.pool.sessionInfo(session).sessionID)
            }
            #expect(ids.count == 4)
            await router.waitForClients(4)
            #expect(router.clients.count == 4)
        }
    }

    @Test("A command that the router does not answer fails when its time is over")
    func timeout() async throws {
        try await withRouter({ _, _ in nil }) { router, client in
            _ = try await client.pool.sessionInfo(client.session)
            async let long = client.pool.send(batch: [SMPRequest(command: .ping)], over: client.session)
            async let short = client.pool.send(
                batch: [SMPRequest(command: .ping, timeout: .seconds(5))], over: client.session)
            await router.waitForCommands(2)
            await client.clock.waitForSleeper(.seconds(5) ... .seconds(5))
            client.clock.advance(by: .seconds(5))
            #expect(await short.map(code) == [.timeout])
            await client.clock.waitForSleeper(.seconds(25) ... .seconds(25))
            client.clock.advance(by: .seconds(25))
            #expect(await long.map(code) == [.timeout])
        }
    }

    @Test("A cancelled caller is answered at once, and others go on")
    func cancellation() async throws {
        try await withRouter({ _, _ in nil }) { router, client in
            let waiting = Task { await client.pool.send(batch: [SMPRequest(command: .ping)], over: client.session) }
            await router.waitForCommands(1)
            waiting.cancel()
            #expect(await waiting.value.map(code) == [.cancelled])
            router.setScript(ScriptedRouter.obliging)
            let answer = try await client.ping()
            #expect(answer == .pong)
        }
    }

    @Test("A connection lost between command and response fails the command, and the next command connects again")
    func lostMidRequest() async throws {
        try await withRouter({ _, router in
            router.drop()
            return nil
        }) { router, client in
            let failed = await client.pool.send(batch: [SMPRequest(command: .ping)], over: client.session)
            #expect(failed.map(code) == [.network(.failed)])
            router.setScript(ScriptedRouter.obliging)
            let answer = try await client.ping()
            #expect(answer == .pong)
            #expect(router.clients.count == 2)
        }
    }

    @Test("Garbage instead of a hello is a failed handshake")
    func badHello() async throws {
        for block in [Bytes(repeating: 0, count: 16_384), Bytes(repeating: 0xFF, count: 16_384)] {
            try await withRouter { router, client in
                router.setGreeting(.block(block))
                let error = await clientErrorCode { () throws(SMPClientError) in _ = try await client.ping() }
                guard case .transport = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test("A router that hangs up or says nothing is a network error; right after it commands fail without a new attempt")
    func noHello() async throws {
        try await withRouter { router, client in
            router.setGreeting(.hangUp)
            let hungUp = await clientErrorCode { () throws(SMPClientError) in _ = try await client.ping() }
            #expect(hungUp == .network(.failed))
            router.setGreeting(.handshake)
            let remembered = await clientErrorCode { () throws(SMPClientError) in _ = try await client.ping() }
            #expect(remembered == .network(.failed))
            #expect(router.clients.isEmpty)
            client.clock.advance(by: .seconds(3))
            let answer = try await client.ping()
            #expect(answer == .pong)
        }
        try await withRouter { router, client in
            router.setGreeting(.silence)
            async let silent = client.pool.send(batch: [SMPRequest(command: .ping)], over: client.session)
            await client.clock.waitForSleeper(.seconds(45) ... .seconds(45))
            client.clock.advance(by: .seconds(45))
            #expect(await silent.map(code) == [.network(.timeout)])
        }
    }

    @Test("The second host of a router is tried when the first cannot be reached; onion hosts only with a proxy")
    func hosts() async throws {
        let router = try await ScriptedRouter()
        let onion = try TransportHost(parsing: "abcdefghijklmnop.onion")
        let nowhere = try TransportHost(parsing: "127.0.0.2")
        let local = router.address.hosts[0]
        func address(_ hosts: [TransportHost]) throws -> SMPServerAddress {
            try #require(SMPServerAddress(hosts: hosts, port: router.address.port, keyHash: router.address.keyHash))
        }
        let reachable = try Client(address([onion, nowhere, local]))
        let answer = try await reachable.ping()
        #expect(answer == .pong)
        let hidden = try Client(address([onion]))
        #expect(await clientErrorCode { () throws(SMPClientError) in _ = try await hidden.ping() } == .incompatibleHost)
        await reachable.pool.close()
        await hidden.pool.close()
        await router.stop()
    }

    @Test("Closing fails what waits and everything after, and ends the events")
    func closing() async throws {
        try await withRouter({ _, _ in nil }) { router, client in
            let events = EventReader(client.pool)
            let waiting = Task { await client.pool.send(batch: [SMPRequest(command: .ping)], over: client.session) }
            await router.waitForCommands(1)
            await client.pool.close()
            #expect(await waiting.value.map(code) == [.closed])
            #expect(await clientErrorCode { () throws(SMPClientError) in _ = try await client.ping() } == .closed)
            let results = await client.pool.subscribe(client.subscriptions(1...2), over: client.session)
            #expect(results.map(code) == [.closed, .closed])
            #expect(await events.next() == "connected")
            #expect(await events.next() == "finished")
        }
    }
}
