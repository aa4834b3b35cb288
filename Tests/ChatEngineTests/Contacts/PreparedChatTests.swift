import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine

/// Chats that are shown before anybody is connected: from a link, with what it publishes.
@Suite struct PreparedChatTests {
    private func code(_ answer: JSONValue) -> String? {
        answer["chatError"]?["errorType"]?["message"]?.stringValue ?? answer["chatError"]?["errorType"]?["type"]?.stringValue
            ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }

    private func person(_ name: String, _ world: TestWorld) async throws -> TestCore {
        let core = try await world.open(agent: .light)
        _ = try await core.createUser(name)
        return core
    }

    /// The address of somebody who welcomes everybody, and who accepts by itself.
    private func address(_ world: TestWorld) async throws -> (core: TestCore, full: String, short: String) {
        let alice = try await person("alice", world)
        _ = try await alice.run("/_address 1")
        _ = try await alice.run(
            #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"Welcome!"}}"#)
        guard case .userContactLink(_, let link) = try await alice.run("/_short_link_address 1"), let short = link.connectionLink.shortLink else {
            throw UnexpectedAnswer()
        }
        return (alice, link.connectionLink.fullLink, short)
    }

    /// Prepares the contact of an address.
    private func prepare(_ core: TestCore, _ short: String, as user: UserID = 1) async throws -> Contact {
        guard case .connectionPlan(_, let link, _, _, .contactAddress(.ok(let data?, _))) = try await core.run("/_connect plan \(user) \(short)", as: user),
            case .newPreparedChat(_, let chat) = try await core.run("/_prepare contact \(user) \(link.fullLink) \(short) \(data.jsonText)", as: user),
            case .direct(let contact) = chat.chatInfo
        else { throw UnexpectedAnswer() }
        return contact
    }

    @Test func aPreparedContactShowsItsWelcomeAndIsAskedWithAMessageOnce() async throws {
        let world = TestWorld(), (alice, _, short) = try await address(world), bob = try await person("bob", world)
        let contact = try await prepare(bob, short), id = contact.contactID
        #expect(contact.localDisplayName == "alice" && contact.activeConnection == nil)
        #expect(await bob.received(from: id) == ["Welcome!"])
        #expect(code(await bob.answer("/_send @\(id) text too early")) == "contactNotReady")
        #expect(await bob.answer("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]?["type"] == "known")
        guard case .startedConnectionToContact = try await bob.run("/_connect contact @\(id) text May I?") else { throw UnexpectedAnswer() }
        #expect(await bob.eventually { await bob.connected() == [id] })
        #expect(await bob.messages(with: id).map(\.meta.text) == ["Welcome!", "May I?"], "the welcome is not repeated")
        let atAlice = try #require(await alice.connected().first)
        #expect(await alice.messages(with: atAlice).map(\.meta.text) == ["Welcome!", "May I?"])
        #expect(await bob.answer("/_connect contact @\(id)")["type"] == "contactAlreadyExists")
        for core in [alice, bob] { await core.close() }
    }

    @Test func aContactThatTwoCommandsAskAtTheSameTimeIsAskedOnce() async throws {
        let world = TestWorld(), (alice, full, short) = try await address(world), bob = try await person("bob", world)
        let id = try await prepare(bob, short).contactID, key = "link " + FullLink(try ConnectionRequestURI(wireString: full)).key,
            locks = bob.native.engine.locks
        // Both have read the contact when the first begins.
        await locks.acquire(key)
        async let one = bob.answer("/_connect contact @\(id)")
        async let other = bob.native.send(.contacts(.connectPrepared(id)), as: 1)
        try await eventually("both wait") { locks.waiterCount(key) == 2 }
        locks.release(key)
        let answers = [await one["type"]?.stringValue, try await other.json["type"]?.stringValue]
        #expect(Set(answers) == ["startedConnectionToContact", "contactAlreadyExists"])
        #expect(await bob.eventually { await bob.connected() == [id] })
        #expect(await alice.connected().count == 1)
        for core in [alice, bob] { await core.close() }
    }

    @Test func aPreparedContactIsGivenToAnotherProfileUntilItIsAsked() async throws {
        let world = TestWorld(), (alice, _, short) = try await address(world), bob = try await person("bob", world)
        _ = try await bob.createUser("work")
        let id = try await prepare(bob, short).contactID
        #expect(code(await bob.answer("/_set contact user @\(id) 99", as: 1)) == "userUnknown")
        #expect(code(await bob.answer("/_set contact user @\(id) 2", as: 2)) == "contactNotFound")
        guard case .contactUserChanged(_, _, let user, let moved) = try await bob.run("/_set contact user @\(id) 2", as: 1) else { throw UnexpectedAnswer() }
        #expect(user.userID == 2 && moved.contactID == id)
        #expect(code(await bob.answer("/_get chat @\(id) count=1", as: 1)) == "contactNotFound")
        #expect(await bob.received(from: id, as: 2) == ["Welcome!"], "its items go with it")
        _ = try await bob.run("/_connect contact @\(id)", as: 2)
        #expect(await bob.eventually { await bob.connected(as: 2) == [id] })
        let atAlice = try #require(await alice.connected().first)
        guard case .contactInfo(_, let known, _, _) = try await alice.run("/_info @\(atAlice)") else { throw UnexpectedAnswer() }
        #expect(known.profile.displayName == "work")
        #expect(code(await bob.answer("/_set contact user @\(id) 1", as: 2)) == "contact already has connection")
        for core in [alice, bob] { await core.close() }
    }

    @Test func aPreparedContactThatIsAskedIncognitoDoesNotKnowTheProfile() async throws {
        let world = TestWorld(), (alice, _, short) = try await address(world), bob = try await person("bob", world)
        let id = try await prepare(bob, short).contactID
        guard case .startedConnectionToContact(_, _, let profile?) = try await bob.run("/_connect contact @\(id) incognito=on") else {
            throw UnexpectedAnswer()
        }
        #expect(await bob.eventually { await bob.connected() == [id] })
        #expect(await alice.eventually { await alice.connected().count == 1 })
        guard case .contactsList(_, let contacts) = try await alice.run("/_contacts 1") else { throw UnexpectedAnswer() }
        #expect(contacts.map(\.profile.displayName) == [profile.displayName] && profile.displayName != "bob")
        for core in [alice, bob] { await core.close() }
    }

    @Test func aPreparedContactThatIsDeletedLeavesTheLinkAsNew() async throws {
        let world = TestWorld(), (alice, _, short) = try await address(world), bob = try await person("bob", world)
        let id = try await prepare(bob, short).contactID
        _ = try await bob.run("/_delete @\(id) full notify=on")
        #expect(await bob.answer("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok")
        #expect(code(await bob.answer("/_connect contact @\(id)")) == "contactNotFound")
        #expect(try await prepare(bob, short).localDisplayName == "alice", "the name is free")
        for core in [alice, bob] { await core.close() }
    }

    @Test func whatWasNotPreparedIsNotConnectedSo() async throws {
        let world = TestWorld(), alice = try await person("alice", world), bob = try await person("bob", world)
        let (atAlice, _) = try await TestWorld.connect(alice, bob)
        _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
        #expect(code(await alice.answer("/_connect contact @\(atAlice)")) == "contact doesn't have link to connect")
        #expect(code(await alice.answer("/_set contact user @\(atAlice) 1")) == "contact doesn't have link to connect")
        #expect(code(await alice.answer("/_connect group #1")) == "group doesn't have link to connect")
        #expect(code(await alice.answer("/_set group user #1 1")) == "group doesn't have link to connect")
        #expect(code(await alice.answer("/_connect contact 1 \(atAlice)")) == "no address in contact profile")
        #expect(code(await alice.answer("/_accept member contact @\(atAlice)")) == "memberContactGroupMemberNotFound")
        for core in [alice, bob] { await core.close() }
    }
}
