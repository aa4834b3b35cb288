import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Pages of a chat, compared with what a plain list of its items gives.
@Suite struct ChatPageTests {
    /// An item of the list that pages are compared with.
    private struct Entry: Sendable {
        var id: ChatItemID
        var text: String
        var time: UTCTimestamp
        var isUnread: Bool
        var hasLink: Bool
    }

    /// Items in the order of a chat, and what pages of it must be.
    private struct Oracle: Sendable {
        var entries: [Entry]

        func page(_ page: ChatPagination, _ isFound: (Entry) -> Bool = { _ in true }) -> (ids: [ChatItemID], navigation: NavigationInfo?)? {
            func position(_ id: ChatItemID) -> Int? { entries.firstIndex { $0.id == id } }
            func around(_ index: Int, _ count: Int) -> (ids: [ChatItemID], navigation: NavigationInfo?) {
                let before = entries[..<index].filter(isFound).suffix(count), from = entries[index...].filter(isFound).prefix(count + 1)
                let last = from.last.flatMap { position($0.id) } ?? index, after = entries[(last + 1)...]
                return ((before + from).map(\.id), NavigationInfo(afterUnread: after.count { $0.isUnread }, afterTotal: after.count))
            }
            switch page {
            case .last(let count): return (entries.filter(isFound).suffix(count).map(\.id), nil)
            case .after(let id, let count): return position(id).map { (entries[($0 + 1)...].filter(isFound).prefix(count).map(\.id), nil) }
            case .before(let id, let count): return position(id).map { (entries[..<$0].filter(isFound).suffix(count).map(\.id), nil) }
            case .around(let id, let count): return position(id).map { around($0, count) }
            case .initial(let count):
                guard let unread = entries.firstIndex(where: { $0.isUnread }) else {
                    return (entries.filter(isFound).suffix(count).map(\.id), NavigationInfo())
                }
                return around(unread, count)
            }
        }
    }

    /// A chat with items at random times, some of them the same, some unread.
    private func chat(inGroup: Bool, seed: UInt64) async throws -> (RuleScene, ItemScope, Oracle) {
        let scene = try await RuleScene()
        var random = SplitMix64(seed: seed)
        let contact = try await scene.addContact("bob"), members = try await scene.addGroup(with: ["cath": .member])
        let cath = try #require(members["cath"])
        var entries: [Entry] = []
        for number in 0..<40 {
            let time = Int64.random(in: 0...15, using: &random), isSent = Bool.random(using: &random), isRead = Bool.random(using: &random)
            let text = ["Apple \(number)", "apple pie", "ÄPFEL", "https://example.com/\(number)", "nothing"].randomElement(using: &random) ?? ""
            let id = try await scene.run(after: time) { transaction -> ChatItemID in
                var draft = ItemDraft(isSent ? .sentMessage(content: .text(text)) : .receivedMessage(content: .text(text)), isSent: isSent)
                draft.timestamp = transaction.now
                let user = try transaction.user()
                var conversation = try transaction.conversations.conversation(inGroup ? .group(RuleScene.group) : .direct(contact), of: user)
                if inGroup, !isSent { draft.group.memberID = cath }
                let item = try transaction.items.add(draft, to: &conversation, of: user)
                if isRead, !isSent { try transaction.db.items.update(item.id, status: .receivedRead, at: transaction.now) }
                return item.id
            }
            entries.append(
                Entry(id: id, text: text, time: MemoryStore.now.adding(seconds: time), isUnread: !isSent && !isRead, hasLink: text.hasPrefix("https")))
        }
        // Of a group, the items are in the order of their times; banners and what tells of features are before them.
        let scope: ItemScope = inGroup ? .group(RuleScene.group, nil) : .chat(.contact(contact))
        let made = Set(entries.map(\.id))
        let all = try #require(try await scene.run { try $0.db.pages.items(.last(1_000), in: scope, at: $0.now)?.items })
        let opening = all.filter { !made.contains($0.id) }.map {
            Entry(id: $0.id, text: $0.item.meta.text, time: $0.item.meta.itemTimestamp, isUnread: false, hasLink: false)
        }
        entries = opening + entries
        if inGroup { entries.sort { ($0.time, $0.id) < ($1.time, $1.id) } }
        return (scene, scope, Oracle(entries: entries))
    }

    @Test(arguments: [true, false], [1, 2] as [UInt64])
    func everyPageIsWhatAPlainListGives(inGroup: Bool, seed: UInt64) async throws {
        let (scene, scope, oracle) = try await chat(inGroup: inGroup, seed: seed)
        var random = SplitMix64(seed: seed &+ 100)
        let filters: [(ItemFilter, @Sendable (Entry) -> Bool)] = [
            (ItemFilter(), { _ in true }), (ItemFilter(search: ""), { _ in true }), (ItemFilter(search: "apple"), { $0.text.lowercased().contains("apple") }),
            (ItemFilter(search: "äpfel"), { $0.text == "ÄPFEL" }), (ItemFilter(messageKind: "link"), { $0.hasLink }), (ItemFilter(search: "%"), { _ in false }),
        ]
        for _ in 0..<60 {
            let id = try #require(oracle.entries.randomElement(using: &random)).id, count = Int.random(in: 0...12, using: &random)
            let (filter, isFound) = try #require(filters.randomElement(using: &random))
            for page in [ChatPagination.last(count), .after(id, count: count), .before(id, count: count), .around(id, count: count), .initial(count)] {
                let found = try await scene.run { try $0.db.pages.items(page, in: scope, filter: filter, at: $0.now) }
                let expected = oracle.page(page, isFound)
                #expect(found?.items.map(\.id) == expected?.ids, "\(page), \(filter), seed \(seed)")
                #expect(found?.navigation == expected?.navigation, "\(page), \(filter), seed \(seed)")
            }
        }
        try await scene.close()
    }

    @Test func pagesOneAfterTheOtherShowEveryItemOnceInBothDirections() async throws {
        let (scene, scope, oracle) = try await chat(inGroup: true, seed: 3)
        let all = oracle.entries.map(\.id)
        let (forwards, backwards) = try await scene.run { transaction in
            var forwards = [all[0]], backwards = [all[all.count - 1]]
            while let page = try transaction.db.pages.items(.after(forwards[forwards.count - 1], count: 7), in: scope, at: transaction.now), !page.items.isEmpty
            {
                forwards += page.items.map(\.id)
            }
            while let page = try transaction.db.pages.items(.before(backwards[0], count: 7), in: scope, at: transaction.now), !page.items.isEmpty {
                backwards = page.items.map(\.id) + backwards
            }
            return (forwards, backwards)
        }
        #expect(forwards == all && backwards == all)
        try await scene.close()
    }

    @Test func aPageBesideAnItemThatIsNotInTheChatIsRefused() async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob"), cath = try await scene.addContact("cath")
        let other = try await scene.send("to cath", to: .direct(cath)).id
        for page in [ChatPagination.after(other, count: 1), .before(other, count: 1), .around(other, count: 1), .around(999, count: 1)] {
            #expect(try await scene.refusal { try $0.chats.page(of: .direct(bob), content: nil, page, search: nil) } == "chatItemNotFound")
        }
        try await scene.close()
    }

    @Test func aPageOfNothingOrOfLessThanNothingIsEmpty() async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let item = try await scene.send("text", to: .direct(bob)).id
        for count in [0, -1, Int.min] {
            for page in [ChatPagination.last(count), .after(item, count: count), .before(item, count: count)] {
                #expect(try await scene.run { try $0.db.pages.items(page, in: .chat(.contact(bob)), at: $0.now)?.items.isEmpty } == true, "\(page)")
            }
        }
        for page in [ChatPagination.last(.max), .around(item, count: .max), .initial(.max)] {
            #expect(try await scene.run { try $0.db.pages.items(page, in: .chat(.contact(bob)), at: $0.now)?.items.map(\.id) } == [item], "\(page)")
        }
        try await scene.close()
    }

    @Test func theItemSoManyBeforeTheNewestIsFoundAndTheOldestWhereThereAreNotAsMany() async throws {
        let (scene, scope, oracle) = try await chat(inGroup: true, seed: 4)
        let ids = oracle.entries.map(\.id)
        for (newer, expected) in [(0, ids.last), (5, ids[ids.count - 6]), (ids.count - 1, ids.first), (ids.count + 50, ids.first), (-3, ids.last)] {
            #expect(try await scene.run { try $0.db.pages.itemID(behind: newer, in: scope) } == expected, "\(newer)")
        }
        #expect(try await scene.run { try $0.db.pages.itemID(behind: 0, in: .chat(.contact(99))) } == nil)
        try await scene.close()
    }
}
