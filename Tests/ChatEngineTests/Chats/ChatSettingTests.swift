import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine

/// Settings of chats: they are a profile's own, and outlive the process.
@Suite struct ChatSettingTests {
    /// Two profiles, `alice` (1) with a contact and a group with a message, and `mallory` (2) with a tag.
    private func core() async throws -> (TestPerson, ContactID, ChatItemID) {
        let world = TestWorld(), alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (contact, _) = try await TestPerson.connect(alice, bob)
        await bob.core.close()
        _ = try await alice.core.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
        guard case .newChatItems(_, let items) = try await alice.core.run("/_send #1 text post") else { throw UnexpectedAnswer() }
        _ = try await alice.core.createUser("mallory")
        _ = try await alice.core.run("/_create tag {\"text\":\"hers\"}", as: 2)
        return (alice, contact, try #require(items.first).chatItem.id)
    }

    private func group(_ core: TestCore) async throws -> GroupInfo {
        guard case .groupInfo(_, let group) = try await core.run("/_info #1", as: 1) else { throw UnexpectedAnswer() }
        return group
    }

    private func contact(_ id: ContactID, _ core: TestCore) async throws -> Contact {
        guard case .contactsList(_, let contacts) = try await core.run("/_contacts 1", as: 1) else { throw UnexpectedAnswer() }
        return try #require(contacts.first { $0.contactID == id })
    }

    private func texts(_ core: TestCore) async throws -> [String] {
        guard case .apiChat(_, let chat, _) = try await core.run("/_get chat #1 count=100", as: 1) else { throw UnexpectedAnswer() }
        return chat.chatItems.filter { $0.content.message != nil }.map(\.meta.text)
    }

    @Test func aProfileNeitherSetsHowLongAnotherKeepsItsMessagesNorDeletesThem() async throws {
        let (alice, bob, _) = try await core()
        for chat in ["#1", "@\(bob)"] {
            _ = try await alice.core.run("/_ttl 1 \(chat) 0", as: 1)
            #expect(await alice.core.answer("/_ttl 2 \(chat) 1", as: 2)["type"] == "cmdOk", "as with chats that are not there")
        }
        #expect(try await group(alice.core).chatItemTTL == 0)
        #expect(try await contact(bob, alice.core).chatItemTTL == 0)
        await alice.kill()
        alice.pass(seconds: 1_000_000)
        try await alice.restart()
        _ = try await alice.core.run("/_ttl 2 #1 1", as: 2)
        #expect(try await texts(alice.core) == ["post"])
        #expect(await alice.core.answer("/_ttl 1 #1 1", as: 2)["chatError"]?["errorType"]?["type"] == "differentActiveUser")
        await alice.core.close()
    }

    @Test func settingsAndTagsAndColoursAreThereAfterARestart() async throws {
        let (alice, bob, _) = try await core()
        for text in ["work", "home"] { _ = try await alice.core.run("/_create tag {\"text\":\"\(text)\"}", as: 1) }
        guard case .chatTags(_, let tags) = try await alice.core.run("/_get tags 1", as: 1) else { throw UnexpectedAnswer() }
        let ids = tags.map { "\($0.chatTagID)" }.joined(separator: ",")
        for chat in ["@\(bob)", "#1"] {
            _ = try await alice.core.run("/_settings \(chat) {\"enableNtfs\":\"none\",\"sendRcpts\":false,\"favorite\":true}", as: 1)
            _ = try await alice.core.run("/_tags \(chat) \(ids)", as: 1)
            _ = try await alice.core.run("/_set theme \(chat) {\"base\":\"dark\"}", as: 1)
            _ = try await alice.core.run("/_ttl 1 \(chat) 600", as: 1)
        }
        _ = try await alice.core.run("/_set alias @\(bob) my brother", as: 1)
        _ = try await alice.core.run("/_set alias #1 the gang", as: 1)
        await alice.kill()
        try await alice.restart()
        let settings = ChatSettings(notifications: NotificationFilter.none, sendsReceipts: false, isFavorite: true), themes: JSONValue = ["base": "dark"]
        let contact = try await contact(bob, alice.core), group = try await group(alice.core)
        #expect(contact.chatSettings == settings && group.chatSettings == settings)
        #expect(contact.chatTags == tags.map(\.chatTagID) && group.chatTags == tags.map(\.chatTagID))
        #expect(contact.uiThemes == themes && group.uiThemes == themes)
        #expect(contact.chatItemTTL == 600 && group.chatItemTTL == 600)
        #expect(contact.profile.localAlias == "my brother" && group.localAlias == "the gang")
        // And are taken away again.
        for chat in ["@\(bob)", "#1"] {
            _ = try await alice.core.run("/_tags \(chat)", as: 1)
            _ = try await alice.core.run("/_set theme \(chat)", as: 1)
            _ = try await alice.core.run("/_ttl 1 \(chat) default", as: 1)
        }
        let plain = try await self.contact(bob, alice.core), plainGroup = try await self.group(alice.core)
        #expect(plain.chatTags.isEmpty && plainGroup.chatTags.isEmpty)
        #expect(plain.uiThemes == nil && plainGroup.uiThemes == nil)
        #expect(plain.chatItemTTL == nil && plainGroup.chatItemTTL == nil)
        await alice.core.close()
    }

    @Test func aChatHasEachTagOnceAndOnlyTagsOfItsProfile() async throws {
        let (alice, bob, _) = try await core()
        _ = try await alice.core.run("/_create tag {\"text\":\"work\"}", as: 1)
        guard case .chatTags(_, let tags) = try await alice.core.run("/_get tags 1", as: 1), let work = tags.first?.chatTagID,
            case .chatTags(_, let others) = try await alice.core.run("/_get tags 2", as: 2), let foreign = others.first?.chatTagID
        else { throw UnexpectedAnswer() }
        for chat in ["@\(bob)", "#1"] {
            guard case .tagsUpdated(_, _, let set) = try await alice.core.run("/_tags \(chat) \(work),\(work)", as: 1) else { throw UnexpectedAnswer() }
            #expect(set == [work])
            for wrong in [foreign, 99] {
                #expect(await alice.core.answer("/_tags \(chat) \(work),\(wrong)", as: 1)["type"] == "chatCmdError", "\(chat), tag \(wrong)")
            }
        }
        // What was refused has not taken the tags away.
        #expect(try await contact(bob, alice.core).chatTags == [work])
        #expect(try await group(alice.core).chatTags == [work])
        await alice.core.close()
    }

    @Test func aClearedChatKeepsItsBannerItsSettingsAndItsMembers() async throws {
        let (alice, _, _) = try await core()
        _ = try await alice.core.run("/_settings #1 {\"enableNtfs\":\"mentions\",\"favorite\":true}", as: 1)
        guard case .chatCleared = try await alice.core.run("/_clear chat #1", as: 1),
            case .apiChat(_, let chat, _) = try await alice.core.run("/_get chat #1 count=100", as: 1)
        else { throw UnexpectedAnswer() }
        #expect(chat.chatItems.map(\.content) == [.chatBanner])
        #expect(try await group(alice.core).chatSettings.notifications == .mentions)
        await alice.core.close()
    }
}
