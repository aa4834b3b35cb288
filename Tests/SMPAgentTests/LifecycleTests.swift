import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

@Suite struct AddressTests {
    private func contactData(_ text: String) -> UserConnectionLinkData {
        .contact(UserContactData(isDirect: true, owners: [], relays: [], userData: UserLinkData(Bytes(text.utf8))))
    }

    @Test func `Several people connect by one contact address`() async throws {
        let pair = try await Pair()
        let carol = try await TestParty("carol", pair.internet, on: [pair.routers[1].address])
        let address = try await pair.alice.address()
        #expect(address.link.mode == .contact)
        let bob = try await pair.bob.join(address.link)
        let third = try await carol.join(address.link)
        await pair.bob.wait("connected") { $0.connected[bob] != nil }
        await carol.wait("connected") { $0.connected[third] != nil }
        await pair.alice.wait("both") { $0.connected.count == 2 && $0.requests.count == 2 }
        try await pair.bob.send("from bob", to: bob)
        try await carol.send("from carol", to: third)
        await pair.alice.wait("both messages") { $0.order.values.reduce(0) { $0 + $1.count } == 2 }
        #expect(pair.alice.seen.failures == [])
        await carol.close()
        await pair.close()
    }

    @Test func `A request is repeated after a restart until it is confirmed, and reported once more only`() async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let alice = try await TestParty("alice", internet, on: [router.address], path: folder.path + "/a.db", answers: false)
        let bob = try await TestParty("bob", internet, on: [router.address])
        let address = try await alice.address()
        _ = try await bob.join(address.link)
        await alice.wait("the request") { $0.requests.count == 1 }
        try await alice.agent.core.store.flush()
        await alice.kill()
        try await alice.restart()
        #expect(alice.seen.requests.count == 1)
        await alice.close()
        await bob.close()
    }

    @Test func `A contact address with link data is opened by its short link`() async throws {
        let pair = try await Pair()
        let created = try await pair.alice.address(linkData: contactData("alice's page"))
        let short = try #require(created.shortLink)
        let user = pair.bob.user.withLock { $0 }
        let resolved = try await pair.bob.agent.resolveShortLink(user: user, link: short)
        #expect(resolved.user.userData.bytes == Bytes("alice's page".utf8))
        #expect(resolved.fixed.connectionRequest == created.link)
        let changed = try await pair.alice.agent.setShortLink(created.id, linkData: contactData("a new page"))
        #expect(changed == short)
        #expect(try await pair.bob.agent.resolveShortLink(user: user, link: short).user.userData.bytes == Bytes("a new page".utf8))
        let bob = try await pair.bob.join(resolved.fixed.connectionRequest)
        await pair.bob.wait("connected") { $0.connected[bob] != nil }
        try await pair.alice.agent.deleteShortLink(created.id)
        let gone = await #expect(throws: AgentError.self) { try await pair.bob.agent.resolveShortLink(user: user, link: short) }
        #expect(gone?.code == "SMP")
        await pair.close()
    }

    @Test func `A contact address without link data gets a short link later`() async throws {
        let pair = try await Pair()
        let created = try await pair.alice.address()
        #expect(created.shortLink == nil)
        let short = try await pair.alice.agent.setShortLink(created.id, linkData: contactData("late"))
        let user = pair.bob.user.withLock { $0 }
        let resolved = try await pair.bob.agent.resolveShortLink(user: user, link: short)
        #expect(resolved.user.userData.bytes == Bytes("late".utf8))
        #expect(resolved.fixed.connectionRequest.isSameContact(as: created.link))
        await pair.close()
    }

    @Test func `A one-time short link is secured by who opens it first, who can open it again and join`() async throws {
        let pair = try await Pair()
        let created = try await pair.alice.invite(linkData: .invitation(UserLinkData([1, 2, 3])))
        let short = try #require(created.shortLink)
        let user = pair.bob.user.withLock { $0 }
        let resolved = try await pair.bob.agent.resolveShortLink(user: user, link: short)
        #expect(try await pair.bob.agent.resolveShortLink(user: user, link: short).user == resolved.user)
        let other = pair.alice.user.withLock { $0 }
        await #expect(throws: AgentError.self) { try await pair.alice.agent.resolveShortLink(user: other, link: short) }
        let bob = try await pair.bob.join(resolved.fixed.connectionRequest)
        await pair.bob.wait("connected") { $0.connected[bob] != nil }
        await pair.alice.wait("connected") { $0.connected[created.id] != nil }
        #expect(!pair.bob.network.sentCommands.contains("SKEY"))
        await pair.close()
    }

    @Test func `Link data that does not fit, of another mode or behind a wrong key is refused`() async throws {
        let pair = try await Pair()
        let user = pair.alice.user.withLock { $0 }
        await #expect(throws: AgentError.self) {
            try await pair.alice.agent.createConnection(
                user: user, mode: .invitation, linkData: .invitation(UserLinkData(Bytes(repeating: 1, count: 14_000))))
        }
        await #expect(throws: AgentError.self) {
            try await pair.alice.agent.createConnection(user: user, mode: .contact, linkData: .invitation(UserLinkData([])))
        }
        await #expect(throws: AgentError.self) {
            try await pair.alice.agent.createConnection(user: user, mode: .contact, pq: .usePQ)
        }
        let created = try await pair.alice.address(linkData: contactData("page"))
        guard case .contact(let scheme, let type, let server, _)? = created.shortLink else {
            Issue.record("no short link")
            return
        }
        let wrong = ConnectionShortLink.contact(scheme: scheme, type: type, server: server, key: LinkKey(Bytes(repeating: 0, count: 32)))
        await #expect(throws: AgentError.self) { try await pair.bob.agent.resolveShortLink(user: user, link: wrong) }
        await pair.close()
    }
}

@Suite struct LifecycleTests {
    @Test func `A used invitation is refused to others`() async throws {
        let pair = try await Pair()
        let created = try await pair.alice.invite()
        _ = try await pair.bob.join(created.link)
        let carol = try await TestParty("carol", pair.internet, on: [pair.routers[0].address])
        let refused = await #expect(throws: AgentError.self) { try await carol.join(created.link) }
        #expect(refused?.code == "SMP")
        await carol.close()
        await pair.close()
    }

    @Test func `A start takes back no user that was made meanwhile`() async throws {
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example").address
        let agent = SMPAgent(configuration: .quick, store: try AgentStore(path: nil), network: internet.makeClient())
        let made = try await agent.createUser(servers: [SMPServerWithAuth(router)])
        // One whom the reading of the store has come too early for.
        agent.core.users.withLock { $0[77] = UserServers([AgentServer(SMPServerWithAuth(router))]) }
        try await agent.start()
        #expect(agent.core.users.withLock { Set($0.keys) } == [made, 77])
        await agent.close()
    }

    @Test func `Both sides have the same security code, other connections have others`() async throws {
        let pair = try await Pair()
        let one = try await pair.connect()
        let two = try await pair.connect()
        let code = try await pair.alice.agent.ratchetHash(of: one.alice)
        #expect(code.count == 32)
        #expect(try await pair.bob.agent.ratchetHash(of: one.bob) == code)
        #expect(try await pair.alice.agent.ratchetHash(of: two.alice) != code)
        await pair.close()
    }

    @Test func `Deleting waits for messages when asked to`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        pair.alice.network.disconnect(pair.routers[1].address)
        try await pair.alice.send("last words", to: alice)
        try await pair.alice.agent.delete([alice], waitDelivery: true)
        await #expect(throws: AgentError.self) { try await pair.alice.send("too late", to: alice) }
        pair.alice.network.reconnect(pair.routers[1].address)
        await pair.bob.wait("last words") { $0.order[bob]?.count == 1 }
        await pair.alice.wait("sent") { $0.sent[alice]?.count == 1 }
        try await pair.alice.agent.core.cleanUp()
        await pair.alice.wait("gone") { $0.events.contains { $0.event == .connectionsDeleted([alice]) } }
        await pair.close()
    }

    @Test func `Deleting goes on after a restart when the router was away`() async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let alice = try await TestParty("alice", internet, on: [router.address], path: folder.path + "/a.db")
        let created = try await alice.invite()
        #expect(router.queueCount == 1)
        alice.network.disconnect(router.address)
        try await alice.agent.delete([created.id], waitDelivery: false)
        await alice.kill()
        try await alice.restart()
        try await alice.agent.core.cleanUp()
        await alice.wait("gone") { $0.events.contains { $0.event == .connectionsDeleted([created.id]) } }
        #expect(router.queueCount == 0)
        await alice.close()
    }

    @Test func `Users have their own routers and connections, and go with them`() async throws {
        let internet = SimulatedInternet()
        let one = internet.addRouter("one.example")
        let two = internet.addRouter("two.example")
        let party = try await TestParty("party", internet, on: [one.address])
        let second = try await party.agent.createUser(servers: [SMPServerWithAuth(two.address)])
        _ = try await party.invite()
        let mine = try await party.agent.createConnection(user: second, mode: .invitation)
        #expect(one.queueCount == 1)
        #expect(two.queueCount == 1)
        #expect(try await party.agent.connections(of: second) == [mine.id])
        try await party.agent.deleteUser(second, deleteQueues: true)
        await party.wait("deleted") { $0.events.contains { $0.event == .userDeleted(second) } }
        #expect(two.queueCount == 0)
        #expect(one.queueCount == 1)
        await #expect(throws: AgentError.self) { try await party.agent.createConnection(user: second, mode: .invitation) }
        await #expect(throws: AgentError.self) { try await party.agent.createUser(servers: [SMPServerWithAuth]()) }
        await party.close()
    }

    @Test func `Events that were not confirmed come again after a restart, confirmed ones do not`() async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let store = try AgentStore(path: folder.path + "/a.db")
        let network = internet.makeClient()
        let agent = SMPAgent(configuration: .quick, store: store, network: network)
        try await agent.start()
        let user = try await agent.createUser(servers: [SMPServerWithAuth(router.address)])
        let created = try await agent.createConnection(user: user, mode: .invitation)
        let bob = try await TestParty("bob", internet, on: [router.address])
        _ = try await bob.join(created.link)
        var first: DurableEventID?
        for await notification in agent.events {
            if case .confirmation = notification.event {
                first = notification.durableID
                break
            }
        }
        let durable = try #require(first)
        await agent.close()
        network.sever()

        let again = SMPAgent(configuration: .quick, store: try AgentStore(path: folder.path + "/a.db"), network: internet.makeClient())
        try await again.start()
        var iterator = again.events.makeAsyncIterator()
        let repeated = await iterator.next()
        #expect(repeated?.durableID == durable)
        #expect(repeated?.connection == created.id)
        again.confirm(durable)
        await again.close()

        let third = SMPAgent(configuration: .quick, store: try AgentStore(path: folder.path + "/a.db"), network: internet.makeClient())
        try await third.start()
        await third.close()
        var events: [AgentNotification] = []
        for await notification in third.events { events.append(notification) }
        #expect(events.allSatisfy { $0.durableID == nil })
        await bob.close()
    }

    @Test func `A suspended agent takes nothing and goes on when it resumes`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        await pair.bob.agent.suspend(timeout: .seconds(1))
        await pair.bob.wait("suspended") { $0.events.contains { $0.event == .suspended } }
        await #expect(throws: AgentError.self) { try await pair.bob.send("no", to: bob) }
        try await pair.alice.send("waiting", to: alice)
        await pair.alice.wait("sent") { $0.sent[alice]?.count == 1 }
        for router in pair.routers { pair.bob.network.disconnect(router.address) }
        for router in pair.routers { pair.bob.network.reconnect(router.address) }
        await pair.bob.agent.resume()
        for router in pair.routers { pair.bob.network.disconnect(router.address) }
        for router in pair.routers { pair.bob.network.reconnect(router.address) }
        await pair.bob.wait("the message") { $0.order[bob]?.count == 1 }
        await pair.close()
    }
}
