import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// The list of chats: its order, its filters, its pages, and whose chats it shows.
@Suite struct ChatListTests {
    /// The names of the chats of a list.
    private func names(
        _ scene: RuleScene, _ filter: ChatListQuery = .all, _ page: TimePagination = .last(100), withConnections: Bool = false
    ) async throws -> [String] {
        try await scene.run { transaction in
            try transaction.chats.chats(of: try transaction.user(), page, filter: filter, withConnections: withConnections).map { chat in
                switch chat.chatInfo {
                case .direct(let contact): contact.localDisplayName
                case .group(let group, _): "#" + group.localDisplayName
                case .local: "notes"
                case .contactConnection: "connection"
                default: "another"
                }
            }
        }
    }

    /// Contacts that were written to one after the other, 10 seconds apart, and a group.
    private func scene(_ contacts: [String] = ["ann", "bob", "cath"]) async throws -> (RuleScene, [String: ContactID]) {
        let scene = try await RuleScene()
        var ids: [String: ContactID] = [:]
        for (number, name) in contacts.enumerated() {
            let id = try await scene.addContact(name)
            ids[name] = id
            try await scene.send("hello", to: .direct(id), after: Int64(number + 1) * 10)
        }
        try await scene.addGroup(with: ["dan": .member])
        try await scene.send("hello all", to: .group(RuleScene.group), after: 1_000)
        return (scene, ids)
    }

    @Test func theChatThatWasActiveLastIsFirst() async throws {
        let (scene, ids) = try await scene()
        #expect(try await names(scene) == ["#team", "cath", "bob", "ann", "notes"])
        let ann = try #require(ids["ann"])
        try await scene.receive([.newMessage(MessageContainer(content: .text("news")))], from: .contact(ann), after: 2_000)
        #expect(try await names(scene).first == "ann")
        // What nobody has to read moves nothing.
        try await scene.receive([.info(Profile(displayName: "robert", fullName: ""))], from: .contact(try #require(ids["bob"])), after: 3_000)
        #expect(try await names(scene) == ["ann", "#team", "cath", "robert", "notes"])
        try await scene.close()
    }

    @Test func aListHasTheNewestItemAndTheCountsOfEachChat() async throws {
        let (scene, ids) = try await scene(), ann = try #require(ids["ann"])
        try await scene.receive(["one", "two"].map { .newMessage(MessageContainer(content: .text($0))) }, from: .contact(ann), after: 50)
        let chats = try await scene.run { try $0.chats.chats(of: try $0.user(), .last(10), filter: .all, withConnections: false) }
        let chat = try #require(chats.first { if case .direct(let contact) = $0.chatInfo { contact.contactID == ann } else { false } })
        let oldest = try await scene.run { try #require(try $0.db.number("SELECT min(chat_item_id) FROM chat_items WHERE status = 'rcvNew'")) }
        #expect(chat.chatItems.map(\.meta.text) == ["two"])
        #expect(chat.chatStats == ChatStats(unreadCount: 2, minUnreadItemID: ChatItemID(oldest)))
        try await scene.close()
    }

    @Test func favouritesAndUnreadChatsAreFoundEachAndBothTogether() async throws {
        let (scene, ids) = try await scene(["ann", "bob", "cath", "dora"])
        let (ann, bob, cath) = (try #require(ids["ann"]), try #require(ids["bob"]), try #require(ids["cath"]))
        _ = try await scene.run { try $0.chats.set(ChatSettings(notifications: .all, isFavorite: true), of: .direct(ann)) }
        _ = try await scene.run { try $0.chats.set(ChatSettings(notifications: .all, isFavorite: true), of: .group(RuleScene.group)) }
        _ = try await scene.run { try $0.chats.markUnread(.direct(bob), true) }
        try await scene.receive([.newMessage(MessageContainer(content: .text("news")))], from: .contact(cath), after: 30)
        #expect(try await names(scene, .filters(favorite: true, unread: false)) == ["#team", "ann"])
        #expect(try await names(scene, .filters(favorite: false, unread: true)) == ["cath", "bob"])
        #expect(try await names(scene, .filters(favorite: true, unread: true)) == ["#team", "cath", "bob", "ann"])
        _ = try await scene.run { try $0.chats.markRead(.direct(bob)) }
        _ = try await scene.run { try $0.chats.markRead(.direct(cath)) }
        #expect(try await names(scene, .filters(favorite: false, unread: true)).isEmpty)
        try await scene.close()
    }

    @Test(arguments: [
        ("AN", ["ann"]), ("ärger", ["Ärger"]), ("lidd", ["bob"]), ("boss", ["cath"]), ("team", ["#team"]), ("%", []), ("_", []), ("nobody", []),
        // A name and the next one are not one text.
        ("bobbob", []), ("", ["#team", "Ärger", "cath", "bob", "ann", "notes"]),
    ])
    func aSearchFindsChatsByAnyOfTheirNamesInAnyCaseAndTakesNothingForAPattern(_ text: String, _ expected: [String]) async throws {
        let (scene, ids) = try await scene(["ann", "bob", "cath", "Ärger"])
        try await scene.receive([.info(Profile(displayName: "bob", fullName: "Robert Liddell"))], from: .contact(try #require(ids["bob"])))
        try await scene.run { transaction in
            let cath = try transaction.conversations.contact(try #require(ids["cath"]), of: try transaction.user())
            try transaction.db.profiles.updateProfileAlias(cath.profile.profileID, alias: "The Boss")
        }
        #expect(try await names(scene, .search(text)) == expected)
        try await scene.close()
    }

    @Test func pagesGoOnWhereTheLastOneEnded() async throws {
        let (scene, _) = try await scene((0..<10).map { "c\($0)" })
        func time(_ seconds: Int64) -> UTCTimestamp { MemoryStore.now.adding(seconds: seconds) }
        #expect(try await names(scene, .all, .last(3)) == ["#team", "c9", "c8"])
        #expect(try await names(scene, .all, .before(time(90), count: 3)) == ["c7", "c6", "c5"])
        #expect(try await names(scene, .all, .after(time(40), count: 3)) == ["c6", "c5", "c4"], "the nearest, and the last active first")
        #expect(try await names(scene, .all, .before(time(-1_000), count: 3)).isEmpty)
        for count in [0, -1, Int.min] { #expect(try await names(scene, .all, .last(count)).isEmpty) }
        #expect(try await names(scene, .all, .last(.max)).count == 12)
        try await scene.close()
    }

    @Test func connectionsWithoutAContactAreShownOnlyWhereTheyAreAskedFor() async throws {
        let (scene, _) = try await scene(["ann"])
        try await scene.run(after: 5_000) { transaction in
            _ = try transaction.db.connections.insert(
                NewConnectionRecord(userID: MemoryStore.user, agentConnectionID: [200], status: .new, chatVersion: 16), at: transaction.now)
        }
        #expect(try await names(scene) == ["#team", "ann", "notes"])
        #expect(try await names(scene, withConnections: true) == ["connection", "#team", "ann", "notes"])
        #expect(try await names(scene, .filters(favorite: true, unread: false), withConnections: true).isEmpty)
        #expect(try await names(scene, .search("ann"), withConnections: true) == ["ann"])
        try await scene.close()
    }

    @Test func aProfileSeesItsOwnChatsOnly() async throws {
        let (scene, _) = try await scene(["ann"])
        let other = try await scene.run { transaction in
            try transaction.db.users.insert(
                NewUserRecord(agentUserID: 2, profile: Profile(displayName: "mallory", fullName: ""), isChatRelay: false, createdAt: transaction.now))
        }
        for filter in [ChatListQuery.all, .search("ann"), .search("team"), .filters(favorite: false, unread: true)] {
            let chats = try await scene.run(as: other) { try $0.chats.chats(of: try $0.user(), .last(10), filter: filter, withConnections: true) }
            #expect(chats.allSatisfy { if case .local(let folder) = $0.chatInfo { folder.userID == other } else { false } }, "\(filter)")
        }
        try await scene.close()
    }
}
