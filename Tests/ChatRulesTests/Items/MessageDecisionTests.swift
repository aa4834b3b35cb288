import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

/// The rules of messages, each by itself.
@Suite("Decisions about messages")
struct MessageDecisionTests {
    private static let sent = UTCTimestamp(seconds: 1_790_000_000)
    private static let day: Int64 = 86_400
    private static let notes = Conversation.notes(NoteFolder(noteFolderID: 1, userID: 1, createdAt: sent, updatedAt: sent, chatTimestamp: sent))

    /// A conversation with a contact in which features are allowed or not by both sides.
    private static func direct(fullDelete: Bool = false, reactions: Bool = true) -> Conversation {
        var preferences = ChatPreferences()
        preferences.set(.fullDelete, allow: fullDelete ? .always : .no)
        preferences.set(.reactions, allow: reactions ? .yes : .no)
        let profile = Profile(displayName: "bob", fullName: "", preferences: preferences)
        let merged = ContactUserPreferences(user: preferences, userForContact: ChatPreferences(), contact: preferences, isIncognito: false)
        return .contact(
            Contact(
                contactID: 2, localDisplayName: "bob", profile: LocalProfile(profile, id: 3, alias: ""), status: .active,
                chatSettings: ChatSettings(notifications: .all, isFavorite: false), userPreferences: ChatPreferences(), mergedPreferences: merged,
                createdAt: sent, updatedAt: sent))
    }

    private static func item(
        _ text: String = "text", isSent: Bool = true, isLive: Bool? = nil, isDeleted: Bool = false, forwarded: Bool = false, hasSharedID: Bool = true,
        in conversation: Conversation = direct(), at now: UTCTimestamp = sent
    ) -> StoredItem {
        let content: ItemContent = isSent ? .sentMessage(content: .text(text)) : .receivedMessage(content: .text(text))
        var record = ItemRecord(
            userID: 1, owner: conversation.owner, isSent: isSent, content: content, status: content.initialStatus(isSent: isSent), itemTimestamp: sent,
            createdAt: sent, updatedAt: sent)
        record.id = 7
        record.sharedMessageID = hasSharedID ? SharedMessageID(Bytes(repeating: 1, count: 12)) : nil
        record.isLive = isLive
        record.deletion = isDeleted ? .deleted : .none
        record.forwarded = forwarded ? .unknown : nil
        return StoredItem(record, at: now)
    }

    private static func update(_ text: String, live: Bool? = nil) -> MessageUpdate {
        var update = MessageUpdate(messageID: SharedMessageID(Bytes(repeating: 1, count: 12)), content: .text(text))
        update.live = live
        return update
    }

    // MARK: Edits

    @Test("A sent message can be edited for a day")
    func editPeriod() {
        func decision(after seconds: Int64) -> EditDecision {
            EditDecision(Self.item(at: Self.sent.adding(seconds: seconds)), to: .text("new"), isLive: false, in: Self.direct())
        }
        #expect(decision(after: Self.day - 1) == .replace(isEdited: true, isLive: false))
        #expect(decision(after: Self.day) == .refuse)
    }

    @Test("The same text again is no edit, except to finish a live message")
    func sameText() {
        #expect(EditDecision(Self.item(), to: .text("text"), isLive: false, in: Self.direct()) == .unchanged)
        #expect(EditDecision(Self.item(isLive: true), to: .text("text"), isLive: false, in: Self.direct()) == .replace(isEdited: false, isLive: false))
        #expect(EditDecision(Self.item(isLive: true), to: .text("more"), isLive: true, in: Self.direct()) == .replace(isEdited: false, isLive: true))
    }

    @Test("A message that was finished does not become live again")
    func finished() {
        #expect(EditDecision(Self.item(isLive: false), to: .text("new"), isLive: true, in: Self.direct()) == .replace(isEdited: true, isLive: false))
    }

    @Test("Received, deleted, forwarded and unshared messages cannot be edited")
    func notEditable() {
        let items = [Self.item(isSent: false), Self.item(isDeleted: true), Self.item(forwarded: true), Self.item(hasSharedID: false)]
        for item in items { #expect(EditDecision(item, to: .text("new"), isLive: false, in: Self.direct()) == .refuse) }
    }

    @Test("Notes can be edited for ever")
    func notesEdited() {
        let item = Self.item(hasSharedID: false, in: Self.notes, at: Self.sent.adding(seconds: 400 * Self.day))
        #expect(EditDecision(item, to: .text("new"), isLive: false, in: Self.notes) == .replace(isEdited: true, isLive: false))
    }

    // MARK: Deletions

    @Test("A deletion for everyone is possible for a day and some hours, and removes only where both sides allow it")
    func broadcast() {
        func decision(_ conversation: Conversation, after seconds: Int64) -> DeletionDecision {
            DeletionDecision([Self.item()], .broadcast, in: conversation, at: Self.sent.adding(seconds: seconds))
        }
        #expect(decision(Self.direct(), after: 0) == .broadcast(removes: false))
        #expect(decision(Self.direct(fullDelete: true), after: 0) == .broadcast(removes: true))
        #expect(decision(Self.direct(), after: Self.day + 6 * 3600 - 1) == .broadcast(removes: false))
        #expect(decision(Self.direct(), after: Self.day + 6 * 3600) == .refuse)
    }

    @Test("One received message among the items refuses a deletion for everyone")
    func oneReceived() {
        #expect(DeletionDecision([Self.item(), Self.item(isSent: false)], .broadcast, in: Self.direct(), at: Self.sent) == .refuse)
    }

    @Test("Every mode removes notes; a contact's items are removed or marked as asked")
    func modes() {
        for mode in [DeleteMode.broadcast, .internal, .internalMark] {
            #expect(DeletionDecision([Self.item(in: Self.notes)], mode, in: Self.notes, at: Self.sent) == .remove)
        }
        #expect(DeletionDecision([Self.item(isSent: false)], .internal, in: Self.direct(), at: Self.sent) == .remove)
        #expect(DeletionDecision([Self.item(isSent: false)], .internalMark, in: Self.direct(), at: Self.sent) == .mark)
    }

    // MARK: Changes by the other side

    @Test("An edit of an unknown message is a new message; of one that we sent or that was forwarded it is refused")
    func receivedEdit() {
        #expect(ReceivedEditDecision(Self.update("new"), of: nil) == .insert)
        #expect(ReceivedEditDecision(Self.update("new"), of: Self.item(isSent: true)) == .refuse)
        #expect(ReceivedEditDecision(Self.update("new"), of: Self.item(isSent: false, forwarded: true)) == .refuse)
        #expect(ReceivedEditDecision(Self.update("text"), of: Self.item(isSent: false)) == .unchanged)
        #expect(ReceivedEditDecision(Self.update("new"), of: Self.item(isSent: false)) == .replace(isEdited: true, isLive: false))
        #expect(ReceivedEditDecision(Self.update("new", live: true), of: Self.item(isSent: false, isLive: true)) == .replace(isEdited: false, isLive: true))
    }

    @Test("The other side deletes its own messages for 78 hours, and not ours")
    func receivedDeletion() {
        func decision(_ item: StoredItem?, after seconds: Int64 = 0, fullDelete: Bool = false) -> ReceivedDeletionDecision {
            ReceivedDeletionDecision(of: item, in: Self.direct(fullDelete: fullDelete), at: Self.sent.adding(seconds: seconds))
        }
        #expect(decision(nil) == .notFound)
        #expect(decision(Self.item(isSent: true)) == .refuse)
        #expect(decision(Self.item(isSent: false)) == .mark)
        #expect(decision(Self.item(isSent: false), fullDelete: true) == .remove)
        #expect(decision(Self.item(isSent: false), after: 78 * 3600 - 1) == .mark)
        #expect(decision(Self.item(isSent: false), after: 78 * 3600) == .refuse)
        #expect(decision(Self.item(isSent: false, isDeleted: true)) == .refuse)
    }

    @Test("A reaction is kept for a message that may still come, and ignored if it repeats, is one too many or is not allowed")
    func receivedReaction() throws {
        let emoji = try ["👍", "👎", "😀", "😢"].map { MessageReaction.emoji(try #require(ReactionEmoji($0))) }
        func decision(
            _ reaction: MessageReaction, add: Bool = true, to item: StoredItem?, after earlier: [MessageReaction] = [], allowed: Bool = true
        ) -> ReceivedReactionDecision {
            let change = MessageReactionChange(messageID: SharedMessageID(Bytes(repeating: 1, count: 12)), reaction: reaction, add: add)
            return ReceivedReactionDecision(change, to: item, after: earlier, in: Self.direct(reactions: allowed))
        }
        let item = Self.item()
        #expect(decision(emoji[0], to: item) == .apply)
        #expect(decision(emoji[0], to: nil) == .keep)
        #expect(decision(emoji[0], to: item, after: [emoji[0]]) == .ignore)
        #expect(decision(emoji[3], to: item, after: Array(emoji[0..<3])) == .ignore)
        #expect(decision(emoji[0], add: false, to: item) == .ignore)
        #expect(decision(emoji[0], add: false, to: item, after: [emoji[0]]) == .apply)
        #expect(decision(emoji[0], to: item, allowed: false) == .ignore)
        #expect(decision(emoji[0], to: Self.item(isDeleted: true)) == .ignore)
    }
}
