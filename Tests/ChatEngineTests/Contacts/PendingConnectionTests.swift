import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Links that nobody has used yet: what can be changed about them, and what connecting by them would do.
@Suite struct PendingConnectionTests {
    private func code(_ answer: JSONValue) -> String? {
        answer["chatError"]?["errorType"]?["type"]?.stringValue ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }

    private func person(_ name: String, _ world: TestWorld) async throws -> TestCore {
        let core = try await world.open(agent: .light)
        _ = try await core.createUser(name)
        return core
    }

    /// A link and the connection behind it.
    private func invitation(_ core: TestCore, incognito: Bool = false) async throws -> (link: String, short: String?, PendingContactConnection) {
        guard case .invitation(_, let link, let connection) = try await core.run("/_connect 1 incognito=\(incognito ? "on" : "off")", as: 1) else {
            throw UnexpectedAnswer()
        }
        return (link.fullLink, link.shortLink, connection)
    }

    /// The kind of a plan, and how it stands.
    private func plan(_ core: TestCore, _ link: String, as user: UserID = 1) async -> [String?] {
        let plan = await core.answer("/_connect plan \(user) \(link)", as: user)["connectionPlan"]
        let inner = plan?["invitationLinkPlan"] ?? plan?["contactAddressPlan"] ?? plan?["groupLinkPlan"]
        return [plan?["type"]?.stringValue, inner?["type"]?.stringValue]
    }

    @Test func whoJoinsByALinkKnowsTheProfileThatWasChosenLast() async throws {
        let world = TestWorld(), alice = try await person("alice", world), bob = try await person("bob", world)
        let (link, _, connection) = try await invitation(alice)
        guard case .connectionIncognitoUpdated(_, let hidden, let profile?) = try await alice.run("/_set incognito :\(connection.connectionID) on") else {
            throw UnexpectedAnswer()
        }
        #expect(hidden.customUserProfileID != nil && profile.displayName != "alice")
        #expect(code(await alice.answer("/_set incognito :\(connection.connectionID) on")) == "connectionIncognitoChangeProhibited", "it is so already")
        try await bob.join(link)
        #expect(await bob.eventually { await bob.connected().count == 1 })
        guard case .contactsList(_, let contacts) = try await bob.run("/_contacts 1") else { throw UnexpectedAnswer() }
        #expect(contacts.map(\.profile.displayName) == [profile.displayName])
        #expect(code(await alice.answer("/_set incognito :\(connection.connectionID) off")) == "pendingConnectionNotFound", "there is a contact now")
        for core in [alice, bob] { await core.close() }
    }

    @Test func aRandomProfileThatIsNotShownAnyMoreIsForgotten() async throws {
        let world = TestWorld(), alice = try await person("alice", world)
        let (_, _, connection) = try await invitation(alice, incognito: true)
        func random() async throws -> Int64? { try await alice.native.engine.store.read { try $0.number("SELECT count(*) FROM profiles WHERE incognito = 1") } }
        #expect(try await random() == 1)
        _ = try await alice.run("/_set incognito :\(connection.connectionID) off")
        #expect(try await random() == 0)
        await alice.close()
    }

    @Test func theAliasOfALinkBecomesThatOfWhoComesByIt() async throws {
        let world = TestWorld(), alice = try await person("alice", world), bob = try await person("bob", world)
        let (link, _, connection) = try await invitation(alice)
        guard case .connectionAliasUpdated(_, let named) = try await alice.run("/_set alias :\(connection.connectionID) from the fair") else {
            throw UnexpectedAnswer()
        }
        #expect(named.localAlias == "from the fair")
        try await bob.join(link)
        #expect(await alice.eventually { await alice.connected().count == 1 })
        guard case .contactsList(_, let contacts) = try await alice.run("/_contacts 1") else { throw UnexpectedAnswer() }
        #expect(contacts.map(\.profile.localAlias) == ["from the fair"])
        for core in [alice, bob] { await core.close() }
    }

    @Test func aLinkThatIsGivenToAnotherProfileIsANewOne() async throws {
        let world = TestWorld(), alice = try await person("alice", world), bob = try await person("bob", world)
        _ = try await alice.createUser("work")
        let (old, _, connection) = try await invitation(alice)
        #expect(code(await alice.answer("/_set conn user :\(connection.connectionID) 99", as: 1)) == "userUnknown")
        guard case .connectionUserChanged(_, let from, let to, let user) = try await alice.run("/_set conn user :\(connection.connectionID) 2", as: 1),
            let link = to.invitationLink?.fullLink
        else { throw UnexpectedAnswer() }
        #expect(from.connectionID == connection.connectionID && user.userID == 2 && link != old)
        for command in ["/_set alias :\(connection.connectionID) x", "/_set conn user :\(connection.connectionID) 2"] {
            #expect(code(await alice.answer(command, as: 1)) == "pendingConnectionNotFound", "\(command)")
        }
        try await bob.join(link)
        #expect(await alice.eventually { await alice.connected(as: 2).count == 1 })
        #expect(await alice.connected(as: 1).isEmpty)
        for core in [alice, bob] { await core.close() }
    }

    @Test func anotherProfileChangesNothingOfALink() async throws {
        let world = TestWorld(), alice = try await person("alice", world)
        _ = try await alice.createUser("mallory")
        let (_, _, connection) = try await invitation(alice), id = connection.connectionID
        for command in ["/_set alias :\(id) x", "/_set incognito :\(id) on", "/_set conn user :\(id) 2", "/_delete :\(id)"] {
            #expect(code(await alice.answer(command, as: 2)) == "pendingConnectionNotFound", "\(command)")
        }
        guard case .contactConnectionDeleted(_, let deleted) = try await alice.run("/_delete :\(id)", as: 1) else { throw UnexpectedAnswer() }
        #expect(deleted.connectionID == id)
        #expect(code(await alice.answer("/_delete :\(id)", as: 1)) == "pendingConnectionNotFound")
        await alice.close()
    }

    // MARK: Plans

    @Test func thePlanOfALinkFollowsWhatBecomesOfIt() async throws {
        let world = TestWorld(), alice = try await person("alice", world), bob = try await person("bob", world)
        let (link, short, _) = try await invitation(alice)
        for link in [link, short].compactMap(\.self) {
            #expect(await plan(alice, link) == ["invitationLink", "ownLink"])
            #expect(await plan(bob, link) == ["invitationLink", "ok"])
        }
        try await bob.join(link)
        #expect(await bob.eventually { await bob.connected().count == 1 })
        #expect(await alice.eventually { await alice.connected().count == 1 })
        // A one-time link leads to nobody once it was used: it is not kept.
        #expect(await plan(bob, link) == ["invitationLink", "ok"])
        for core in [alice, bob] { await core.close() }
    }

    @Test func thePlanOfAnAddressFollowsWhatBecomesOfTheRequest() async throws {
        let world = TestWorld(), alice = try await person("alice", world), bob = try await person("bob", world)
        _ = try await alice.createUser("other")
        guard case .userContactLinkCreated(_, let address) = try await alice.run("/_address 1", as: 1) else { throw UnexpectedAnswer() }
        let link = address.fullLink
        #expect(await plan(alice, link) == ["contactAddress", "ownLink"])
        #expect(await plan(alice, link, as: 2) == ["contactAddress", "ok"], "another profile may ask this one")
        #expect(await plan(bob, link) == ["contactAddress", "ok"])
        try await bob.join(link)
        #expect(await plan(bob, link) == ["contactAddress", "connectingConfirmReconnect"])
        #expect(await alice.wait { $0.contains { if case .receivedContactRequest = $0 { true } else { false } } })
        _ = try await alice.run("/_accept 1", as: 1)
        #expect(await bob.eventually { await bob.connected().count == 1 })
        #expect(await plan(bob, link) == ["contactAddress", "known"])
        let contact = try #require(await bob.connected().first)
        _ = try await bob.run("/_delete @\(contact) full notify=off")
        #expect(await plan(bob, link) == ["contactAddress", "ok"])
        for core in [alice, bob] { await core.close() }
    }

    @Test(arguments: [
        "", "x", "https://example.com", "simplex:/invitation#", "https://simplex.chat/contact#/?v=2&smp=nonsense", "simplex:/a#nonsense", "smp://x",
    ])
    func whatIsNoLinkIsRefusedInAllCommands(_ text: String) async throws {
        let core = try await person("alice", TestWorld())
        for command: ChatCommand in [
            .connections(.plan(user: 1, link: text)), .connections(.connectLink(text)), .connections(.connect(user: 1, CreatedConnectionLink(fullLink: text))),
        ] {
            let error = await #expect(throws: ChatCoreError.self) { _ = try await core.send(command, as: 1) }
            #expect(error?.chatError == ChatError.chat(error: .invalidConnectionRequest), "\(command)")
        }
        await core.close()
    }
}
