import ChatAPI
import ChatProtocol
import ChatRules
import SMPWire
import TestSupport
import Testing
import TranscriptSupport

@testable import ChatEngine
@testable import ChatStore

@Suite("New items of chats")
struct NewItemTests {
    /// Contents of all items that official clients told of.
    private static func contents() throws -> [ItemContent] {
        var contents: Set<ItemContent> = []
        func collect(_ json: JSONValue) {
            if let object = json.objectValue, let item = object["chatItem"], let content = item["content"].flatMap({ try? ItemContent(json: $0) }) {
                contents.insert(content)
            }
            switch json {
            case .object(let object): object.members.forEach { collect($0.value) }
            case .array(let elements): elements.forEach(collect)
            default: break
            }
        }
        for name in Transcript.names { try Transcript.load(name).lines.forEach { collect($0.body) } }
        return contents.sorted { $0.jsonText < $1.jsonText }
    }

    @Test("are told of as they are stored, whatever they say, answer and were reacted to")
    func told() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, _) = try await TestPerson.connect(alice, bob)
        let contents = try Self.contents()
        #expect(contents.count > 30)
        let seed = UInt64.random(in: 0 ... .max)
        try await alice.core.native.engine.transactions.transaction { transaction in
            var random = SplitMix64(seed: seed)
            var known: [SharedMessageID] = []
            let user = try transaction.user()
            var contact = try transaction.conversations.contact(atAlice, of: user)
            let reaction = MessageReaction.emoji(try #require(ReactionEmoji("👍")))
            for content in contents + contents {
                let isSent = Bool.random(using: &random)
                var draft = ItemDraft(content, isSent: isSent)
                if Bool.random(using: &random) {
                    let id = transaction.newSharedMessageID()
                    // A reaction that was quicker than its message.
                    if !isSent, Bool.random(using: &random) {
                        for byUser in [false, true] {
                            try transaction.db.reactions.set(
                                contact: atAlice, sharedMessageID: id, byUser: byUser, reaction: reaction, isAdded: true, at: transaction.now)
                        }
                    }
                    (draft.sharedMessageID, known) = (id, known + [id])
                }
                if Bool.random(using: &random) { draft.timestamp = UTCTimestamp(seconds: Int64.random(in: 0..<2_000_000_000, using: &random), nanoseconds: 7) }
                if Bool.random(using: &random) {
                    draft.timer = ItemTimer(ttl: 60, deleteAt: Bool.random(using: &random) ? transaction.now.adding(seconds: 60) : nil)
                }
                draft.isLive = Bool.random(using: &random)
                draft.forwarded = Bool.random(using: &random) ? .unknown : nil
                if Bool.random(using: &random) {
                    // Of an item that is there, of one that is not, or of nobody knows what.
                    let quoted = [known.randomElement(using: &random), transaction.newSharedMessageID(), nil].randomElement(using: &random) ?? nil
                    draft.quote = QuoteRecord(
                        isSent: [true, false, nil].randomElement(using: &random) ?? nil, sharedMessageID: quoted, sentAt: transaction.now,
                        content: .text("*what* was said"))
                }
                let item = try transaction.items.add(draft, to: &contact, of: user)
                #expect(try transaction.items.item(item.id, contact: atAlice).item == item, "seed \(seed)")
            }
            #expect(try transaction.conversations.contact(atAlice, of: user).chatTimestamp == contact.chatTimestamp)
        }
        await alice.core.close()
        await bob.core.close()
    }
}
