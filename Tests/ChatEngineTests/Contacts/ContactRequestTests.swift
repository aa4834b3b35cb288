import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Requests by the address of a profile: how each is answered, and what is left of them.
@Suite struct ContactRequestTests {
    /// A core with an address, and its link.
    private func addressee(_ world: TestWorld, _ settings: String? = nil) async throws -> (core: TestCore, link: String) {
        let alice = try await world.open(agent: .light)
        _ = try await alice.createUser("alice")
        guard case .userContactLinkCreated(_, let link) = try await alice.run("/_address 1") else { throw UnexpectedAnswer() }
        if let settings { _ = try await alice.run("/_address_settings 1 {\"businessAddress\":false,\(settings)}") }
        return (alice, link.fullLink)
    }

    private func person(_ name: String, _ world: TestWorld) async throws -> TestCore {
        let core = try await world.open(agent: .light)
        _ = try await core.createUser(name)
        return core
    }

    /// The requests that a core was told of, once there are so many.
    private func requests(_ core: TestCore, _ count: Int = 1) async throws -> [UserContactRequest] {
        @Sendable func received(_ events: [ChatEvent]) -> [UserContactRequest] {
            events.compactMap { if case .receivedContactRequest(_, let request, _) = $0 { request } else { nil } }
        }
        try #require(await core.wait { received($0).count >= count }, "the request does not come")
        return received(core.events)
    }

    private func code(_ answer: JSONValue) -> String? {
        answer["chatError"]?["errorType"]?["type"]?.stringValue ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }

    @Test func aRequestIsAnsweredOnceAndOnlyByItsProfile() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world), bob = try await person("bob", world)
        _ = try await alice.createUser("mallory")
        try await bob.join(link)
        let id = try await requests(alice)[0].contactRequestID
        for command in ["/_accept \(id)", "/_reject \(id)"] { #expect(code(await alice.answer(command, as: 2)) == "contactRequestNotFound", "\(command)") }
        #expect(code(await alice.answer("/_accept 99", as: 1)) == "contactRequestNotFound")
        guard case .acceptingContactRequest(_, let contact) = try await alice.run("/_accept \(id)", as: 1) else { throw UnexpectedAnswer() }
        #expect(contact.localDisplayName == "bob")
        #expect(await alice.answer("/_accept \(id)", as: 1)["type"] == "chatCmdError", "it is accepted already")
        #expect(await alice.eventually { await alice.connected() == [contact.contactID] })
        #expect(await bob.eventually { await bob.connected().count == 1 })
        for core in [alice, bob] { await core.close() }
    }

    @Test func aRejectedRequestLeavesNothingAndTheNameIsFreeAgain() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world), bob = try await person("bob", world)
        try await bob.join(link)
        let id = try await requests(alice)[0].contactRequestID
        guard case .contactRequestRejected(_, let request, let contact) = try await alice.run("/_reject \(id)") else { throw UnexpectedAnswer() }
        #expect(request.contactRequestID == id && contact?.localDisplayName == "bob")
        for command in ["/_accept \(id)", "/_reject \(id)"] { #expect(code(await alice.answer(command)) == "contactRequestNotFound", "\(command)") }
        let left = try await alice.native.engine.store.read { db in
            try ["contacts WHERE is_user = 0", "contact_requests", "chat_items WHERE contact_id IS NOT NULL", "display_names WHERE base = 'bob'"].map {
                try db.number("SELECT count(*) FROM \($0)")
            }
        }
        #expect(left == [0, 0, 0, 0])
        // Somebody else of that name gets it.
        let other = try await person("bob", world)
        try await other.join(link)
        #expect(try await requests(alice, 2)[1].localDisplayName == "bob")
        for core in [alice, bob, other] { await core.close() }
    }

    @Test func aRequestThatIsRejectedAfterItWasAcceptedLeavesNoConnectionBehind() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world), bob = try await person("bob", world)
        try await bob.join(link)
        let id = try await requests(alice)[0].contactRequestID
        _ = try await alice.run("/_accept \(id)")
        #expect(await alice.eventually { await alice.connected().count == 1 })
        _ = try await alice.run("/_reject \(id)")
        let isClean = await alice.eventually {
            guard let difference = try? await alice.native.engine.agentDifference() else { return false }
            return difference.connections.extra.isEmpty && difference.connections.missing.isEmpty
        }
        #expect(isClean, "the agent has a connection that nobody knows")
        for core in [alice, bob] { await core.close() }
    }

    @Test func whoAsksAgainBeforeTheAnswerIsTheSameRequestWithItsNewProfile() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world), bob = try await person("bob", world)
        try await bob.join(link)
        let first = try await requests(alice)[0]
        _ = try await bob.run(#"/_profile 1 {"displayName":"robert","fullName":""}"#)
        try await bob.join(link)
        let again = try await requests(alice, 2)[1]
        #expect(again.contactRequestID == first.contactRequestID && again.agentInvitationID != first.agentInvitationID)
        #expect(try await alice.native.engine.store.read { try $0.number("SELECT count(*) FROM contacts WHERE is_user = 0") } == 1)
        guard case .acceptingContactRequest(_, let contact) = try await alice.run("/_accept \(again.contactRequestID)") else { throw UnexpectedAnswer() }
        #expect(contact.localDisplayName == "robert")
        #expect(await alice.eventually { await alice.connected().count == 1 })
        for core in [alice, bob] { await core.close() }
    }

    @Test func aRequestThatIsSentAgainIsTheSameWithWhatItSaysNow() async throws {
        let scene = try await RuleScene(), queue = ConnectionID([6])
        try await scene.run { transaction in
            let link = CreatedConnectionLink(fullLink: "simplex:/contact#x")
            let address = try transaction.db.addresses.insert(user: MemoryStore.user, link: link, linkKey: "x", hasLinkData: false, at: transaction.now)
            var record = NewConnectionRecord(
                userID: MemoryStore.user, agentConnectionID: queue.bytes, status: .new, chatVersion: ChatVersions.initial.max)
            record.addressID = address
            _ = try transaction.db.connections.insert(record, at: transaction.now)
        }
        /// The events of a request that an agent reports under the same id each time.
        func ask(_ name: String, _ text: String) async throws -> [String] {
            let message = ContactRequest.Message(messageID: SharedMessageID([1]), content: .text(text))
            let request = ContactRequest(
                profile: Profile(displayName: name, fullName: ""), requestID: ContactRequestID(Bytes(repeating: 4, count: 16)), message: message)
            let body = ChatMessage(event: .contact(request)).body
            return try await scene.memory.run { transaction in
                let event = AgentEvent.request(InvitationID([1]), pqSupport: true, servers: [], info: body)
                try transaction.incomingEvents.receive(Incoming(AgentNotification(connection: queue, event: event)))
            }.1.events.types
        }
        #expect(try await ask("ann", "Hello").contains("receivedContactRequest"))
        #expect(try await ask("ann", "Hello") == [], "the same event after a crash")
        #expect(try await ask("ann", "Hello again") == ["chatItemUpdated", "receivedContactRequest"])
        #expect(try await ask("anna", "Hello again") == ["receivedContactRequest"])
        #expect(try await ask("anna", "Hello again") == [])
        let (names, requests) = try await scene.run { transaction in
            let user = try transaction.user()
            return (
                try transaction.db.contacts.contacts(of: user).map(\.profile.displayName), try transaction.db.number("SELECT count(*) FROM contact_requests")
            )
        }
        #expect(names == ["anna"] && requests == 1)
        try await scene.run { try $0.db.run("UPDATE contact_requests SET accepted = 1") }
        #expect(try await ask("annabel", "Hello") == [], "it is answered already")
        try await scene.close()
    }

    @Test func aRequestIsStillAcceptedAfterItsAddressIsDeletedAndTheLinkLeadsNowhere() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world), bob = try await person("bob", world)
        try await bob.join(link)
        let id = try await requests(alice)[0].contactRequestID
        guard case .userContactLinkDeleted = try await alice.run("/_delete_address 1") else { throw UnexpectedAnswer() }
        for command in ["/_show_address 1", "/_delete_address 1", "/_profile_address 1 on"] {
            #expect(code(await alice.answer(command)) == "userContactLinkNotFound", "\(command)")
        }
        #expect(await alice.answer("/_accept incognito=on \(id)")["chatError"]?["errorType"]?["message"] == "incognito not allowed when address is not found")
        _ = try await alice.run("/_accept \(id)")
        #expect(await alice.eventually { await alice.connected().count == 1 })
        #expect(await bob.eventually { await bob.connected().count == 1 })
        for core in [alice, bob] { await core.close() }
    }

    @Test func anAddressThatAcceptsByItselfWelcomesEverybodyOnce() async throws {
        let world = TestWorld()
        let settings = #""autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"Welcome!"}"#
        let (alice, link) = try await addressee(world, settings)
        var people: [TestCore] = []
        for name in ["bob", "cath"] {
            let core = try await person(name, world)
            try await core.join(link)
            people.append(core)
        }
        for core in people {
            #expect(await core.eventually { await core.received(from: core.connected().first ?? 0) == ["Welcome!"] })
        }
        #expect(!alice.events.contains { if case .receivedContactRequest = $0 { true } else { false } })
        // Who asks again is a contact already.
        #expect(await people[0].answer("/_connect 1 \(link)")["type"] == "contactAlreadyExists")
        for core in people + [alice] { await core.close() }
    }

    @Test func aProfileHasOneAddressWhichIsPublishedInTheProfileOnDemandOnly() async throws {
        let world = TestWorld(), (alice, _) = try await addressee(world)
        #expect(code(await alice.answer("/_address 1")) == "duplicateContactLink")
        func published() async throws -> String? {
            guard case .userProfile(_, let profile) = try await alice.run("/profile") else { throw UnexpectedAnswer() }
            return profile.contactLink
        }
        #expect(try await published() == nil)
        _ = try await alice.run("/_profile_address 1 on")
        #expect(try await published() != nil)
        _ = try await alice.run("/_delete_address 1")
        #expect(try await published() == nil, "nobody is shown a link that leads nowhere")
        guard case .userContactLinkCreated = try await alice.run("/_address 1") else { throw UnexpectedAnswer() }
        await alice.close()
    }
}
