import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Requests that are accepted without showing one's profile.
@Suite struct IncognitoAcceptanceTests {
    /// A core with an address whose link shows no profile, as addresses made by older clients.
    private func addressee(_ world: TestWorld) async throws -> (core: TestCore, link: String) {
        let alice = try await world.core("alice")
        _ = try await alice.run("/_address 1")
        try await alice.native.engine.transactions.transaction { try $0.db.run("UPDATE user_addresses SET short_link_data_set = 0", []) }
        guard case .userContactLink(_, let address) = try await alice.run("/_show_address 1") else { throw UnexpectedAnswer() }
        return (alice, address.connectionLink.fullLink)
    }

    /// The names that somebody's contacts go by, once there are so many connected.
    private func names(_ core: TestCore, _ count: Int) async throws -> [String] {
        #expect(await core.eventually { await core.connected().count == count })
        guard case .contactsList(_, let contacts) = try await core.run("/_contacts 1") else { throw UnexpectedAnswer() }
        return contacts.map(\.profile.displayName)
    }

    @Test func anAddressThatAcceptsIncognitoShowsEachContactARandomProfile() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world)
        _ = try await alice.run(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":true}}"#)
        let bob = try await world.core("bob"), carol = try await world.core("carol")
        try await bob.join(link)
        try await carol.join(link)
        let shown = try await names(bob, 1) + names(carol, 1)
        #expect(Set(shown).count == 2 && !shown.contains("alice"), "\(shown)")
        _ = try await names(alice, 2)
        let connected = alice.events.compactMap { event -> String? in
            if case .contactConnected(_, _, let incognito) = event { incognito?.displayName } else { nil }
        }
        #expect(Set(connected) == Set(shown), "and it is known which")
        // What is changed in the profile is not told to them.
        _ = try await alice.run(#"/_profile 1 {"displayName":"alice2","fullName":""}"#)
        for contact in await alice.connected() { _ = try await alice.send("hello", to: contact) }
        for core in [bob, carol] { #expect(await core.eventually { await core.received(from: core.connected().first ?? 0).contains("hello") }) }
        for core in [alice, bob, carol] { await core.close() }
        let told = [bob, carol].flatMap(\.events).compactMap { if case .contactUpdated(_, _, let contact) = $0 { contact.profile.displayName } else { nil } }
        #expect(!told.contains("alice2"), "\(told)")
    }

    @Test func aRequestCanBeAcceptedIncognitoByHand() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world)
        let bob = try await world.core("bob")
        try await bob.join(link)
        #expect(await alice.wait { $0.contains { if case .receivedContactRequest = $0 { true } else { false } } })
        _ = try await alice.run("/_accept incognito=on 1")
        #expect(try await !names(bob, 1).contains("alice"))
        await alice.close()
        await bob.close()
    }

    @Test func withoutThatTheProfileIsShown() async throws {
        let world = TestWorld(), (alice, link) = try await addressee(world)
        _ = try await alice.run(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#)
        let bob = try await world.core("bob")
        try await bob.join(link)
        #expect(try await names(bob, 1) == ["alice"])
        await alice.close()
        await bob.close()
    }

    @Test func businessAddressesCannotAcceptIncognito() async throws {
        let world = TestWorld(), core = try await world.core("alice")
        _ = try await core.run("/_address 1")
        let answer = await core.answer(#"/_address_settings 1 {"businessAddress":true,"autoAccept":{"acceptIncognito":true}}"#)
        #expect(answer["chatError"]?["errorType"]?["type"]?.stringValue == "commandError", "\(answer.text)")
        await core.close()
    }
}
