import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Contacts that are deleted here or by themselves: what stays, what is sent, and what is possible then.
@Suite struct ContactDeletionTests {
    /// A contact with a message of each side and a reaction.
    private func scene() async throws -> (RuleScene, ContactID) {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let own = try await scene.send("own", to: .direct(bob)).id
        try await scene.receive([.newMessage(MessageContainer(content: .text("others")))], from: .contact(bob))
        _ = try await scene.run { try $0.sentMessages.react(to: own, in: .direct(bob), with: .emoji(ReactionEmoji.allCases[0]), isAdded: true) }
        return (scene, bob)
    }

    private func delete(_ contact: ContactID, _ mode: ChatDeleteMode, in scene: RuleScene) async throws -> (contact: Contact, effects: Effects) {
        let (response, effects) = try await scene.memory.run { try $0.chats.delete(.direct(contact), mode) }
        guard case .contactDeleted(_, let deleted) = response else { throw UnexpectedAnswer() }
        return (deleted, effects)
    }

    /// The last messages that the agent is to deliver before it deletes a connection.
    private func partings(_ effects: Effects) -> [ChatMessageEvent] {
        var last = Effects()
        for job in effects.jobs {
            if case .connection(.delete(_, let deliveries, _)) = job.task { last.deliveries += deliveries }
        }
        return last.sent
    }

    private func deletes(_ effects: Effects) -> Bool {
        effects.jobs.contains { job in
            guard case .connection(.delete) = job.task else { return false }
            return true
        }
    }

    @Test(arguments: [true, false])
    func nothingIsLeftOfAContactThatIsDeletedInFullAndItIsToldIfThatIsAskedFor(_ notify: Bool) async throws {
        let (scene, bob) = try await scene()
        let (_, effects) = try await delete(bob, .full(notify: notify), in: scene)
        #expect(deletes(effects) && partings(effects).contains(.deleteContact) == notify)
        for table in ["contacts WHERE is_user = 0", "connections", "chat_items WHERE contact_id IS NOT NULL", "reactions", "display_names WHERE base = 'bob'"] {
            #expect(try await scene.count(table) == 0, "\(table)")
        }
        #expect(try await scene.count("profiles") == 1, "that of this profile")
        #expect(try await scene.refusal { try $0.chats.delete(.direct(bob), .full(notify: notify)) } == "contactNotFound")
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func theMessagesOfAContactStayIfOnlyTheContactIsDeletedAndNothingCanBeSentToIt(_ notify: Bool) async throws {
        let (scene, bob) = try await scene()
        let (deleted, effects) = try await delete(bob, .entity(notify: notify), in: scene)
        #expect(deleted.status == .deletedByUser && deleted.activeConnection == nil)
        #expect(deletes(effects) && partings(effects).contains(.deleteContact) == notify)
        #expect(try await scene.texts(in: .direct(bob)) == ["own", "others"])
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: .direct(bob)) } == "contactNotReady")
        #expect(try await scene.refusal { try $0.contacts.setPreferences(ChatPreferences(), of: bob) } == "contactNotActive")
        // Again, it ends nothing more, and in full it goes.
        let again = try await delete(bob, .entity(notify: true), in: scene)
        #expect(!deletes(again.effects) && partings(again.effects).isEmpty)
        _ = try await delete(bob, .full(notify: true), in: scene)
        #expect(try await scene.count("contacts WHERE is_user = 0") == 0)
        try await scene.close()
    }

    @Test func aContactWhoseMessagesAreDeletedIsStillOneAndItsChatComesBackWithTheNextMessage() async throws {
        let (scene, bob) = try await scene()
        let (deleted, effects) = try await delete(bob, .messages, in: scene)
        #expect(deleted.chatDeleted && !deletes(effects) && effects.deliveries.isEmpty)
        #expect(try await scene.texts(in: .direct(bob)).isEmpty)
        #expect(try await scene.count("reactions") == 0)
        func isDeleted() async throws -> Bool { try await scene.run { try $0.conversations.contact(bob, of: try $0.user()).chatDeleted } }
        #expect(try await isDeleted())
        try await scene.receive([.newMessage(MessageContainer(content: .text("again")))], from: .contact(bob))
        #expect(try await !isDeleted())
        #expect(try await scene.texts(in: .direct(bob)) == ["again"])
        try await scene.close()
    }

    @Test func aContactThatIsNotConnectedYetIsToldNothing() async throws {
        let (scene, bob) = try await scene()
        try await scene.run { try $0.db.run("UPDATE connections SET status = 'requested'") }
        let (_, effects) = try await delete(bob, .full(notify: true), in: scene)
        #expect(deletes(effects) && partings(effects).isEmpty)
        try await scene.close()
    }

    // MARK: By the contact

    @Test func aContactThatHasDeletedThisProfileKeepsItsMessagesAndTakesNoMore() async throws {
        let (scene, bob) = try await scene()
        let told = try await scene.receive([.deleteContact], from: .contact(bob))
        #expect(told.events.types.suffix(2) == ["newChatItems", "contactDeletedByContact"])
        let contact = try await scene.run { try $0.conversations.contact(bob, of: try $0.user()) }
        #expect(contact.status == .deleted && contact.activeConnection?.status == .deleted)
        #expect(try await scene.texts(in: .direct(bob)) == ["own", "others"])
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: .direct(bob)) } == "contactNotReady")
        // What it still sends is from nobody.
        let late = try await scene.receive([.newMessage(MessageContainer(content: .text("late"))), .deleteContact], from: .contact(bob))
        #expect(late.events.types == ["chatError", "chatError"])
        #expect(try await scene.texts(in: .direct(bob)) == ["own", "others"])
        try await scene.close()
    }

    @Test func aContactWhoIsAMemberToKeepsItsNameInTheGroup() async throws {
        let (scene, bob) = try await scene()
        let members = try await scene.addGroup(with: ["bob": .member]), id = try #require(members["bob"])
        try await scene.run { transaction in
            let user = try transaction.user()
            try transaction.db.contacts.associate(
                try #require(try transaction.db.members.find(id)), with: try transaction.conversations.contact(bob, of: user), user: user.userID)
        }
        _ = try await delete(bob, .full(notify: false), in: scene)
        let member = try await scene.member(id)
        #expect(member.localDisplayName == "bob" && member.contactID == nil && member.profile.displayName == "bob")
        // The name is the member's now: somebody else of that name gets another.
        let other = try await scene.addContact("bob")
        #expect(try await scene.run { try $0.conversations.contact(other, of: try $0.user()).localDisplayName } != "bob")
        _ = try await scene.run { try $0.groups.delete(RuleScene.group) }
        #expect(try await scene.count("display_names WHERE local_display_name = 'bob'") == 0)
        try await scene.close()
    }
}
