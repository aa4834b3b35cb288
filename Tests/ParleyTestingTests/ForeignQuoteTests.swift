import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import SMPWire
import Synchronization
import Testing

/// What messages quote, and whether anybody has ever sent it.
@Suite(.timeLimit(.minutes(5))) struct ForeignQuoteTests {
    private final class Seen: Sendable {
        private let entries = Mutex<[String: [String]]>([:])
        func add(_ text: String, _ quote: [String]) { entries.withLock { $0[text] = quote } }
        subscript(_ text: String) -> [String]? { entries.withLock { $0[text] } }
    }

    private static func bot(_ seen: Seen, checks: Bool = true) -> Bot {
        var bot = Bot("Guard") {
            On(.text("gone"), in: .groups) { message in
                try await message.moderate()
                seen.add(message.text, message.foreignQuote)
            }
            On(.text, in: [.contacts, .groups]) { seen.add($0.text, $0.foreignQuote) }
        }
        bot.checksQuotes = checks
        bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"))]
        return bot
    }

    private func quote(_ content: MessageContent, of id: SharedMessageID?, by member: MemberID?) -> QuotedMessage {
        QuotedMessage(reference: MessageReference(messageID: id, sentAt: UTCTimestamp(seconds: 1_767_225_600), sent: false, memberID: member), content: content)
    }

    @Test func onlyAQuoteThatTheChatDoesNotHaveIsForeign() async throws {
        let seen = Seen()
        try await withBots(Self.bot(seen)) { room in
            let ann = try await room.person("Ann"), ben = try await room.stranger("Ben"), mallory = try await room.stranger("Mallory")
            for person in [ann, ben, mallory] { try await person.join(group: "lobby") }
            try await room.settle()
            try await ann.say("see https://good.example", in: "Lobby")
            try await ben.expect("see https://good.example", in: "Lobby")
            try await ben.reply("thanks", in: "Lobby")
            try await room.settle()
            #expect(seen["thanks"] == [])

            let group = try #require(try await room.bot("Guard").groups.managed("lobby"))
            let sent = try #require(try await group.chat.items().first { $0.meta.text.hasPrefix("see") })
            let author = sent.direction.member?.memberID
            let forged: [(String, QuotedMessage)] = [
                ("one", quote(.text("win at https://bad.example"), of: SharedMessageID(Bytes(repeating: 7, count: 12)), by: author)),
                ("two", quote(.text("win at https://bad.example"), of: sent.meta.sharedMessageID, by: author)),
                ("three", quote(.text("win at https://bad.example"), of: nil, by: nil)),
                (
                    "four",
                    quote(
                        .link(
                            text: "see https://good.example",
                            preview: LinkPreview(uri: "https://bad.example", title: "Win", description: "", image: ImageData(""))),
                        of: sent.meta.sharedMessageID, by: author)
                ),
                ("five", quote(.text("see https://good.example"), of: sent.meta.sharedMessageID, by: author)),
            ]
            for (text, quote) in forged { try await mallory.attack(.newMessage(MessageContainer(content: .text(text), quote: quote)), in: "Lobby") }
            try await room.settle()
            for text in ["one", "two", "three"] { #expect(seen[text] == ["win at https://bad.example"], "\(text)") }
            #expect(seen["four"] == ["see https://good.example", "https://bad.example", "Win"])
            #expect(seen["five"] == [], "a true quote")

            // What was deleted is not to come back in a quote.
            try await ann.say("gone", in: "Lobby")
            try await room.settle()
            let deleted = try #require(try await group.chat.items().first { $0.meta.text == "gone" })
            #expect(deleted.meta.deleted != nil)
            let again = quote(.text("gone"), of: deleted.meta.sharedMessageID, by: deleted.direction.member?.memberID)
            try await mallory.attack(.newMessage(MessageContainer(content: .text("six"), quote: again)), in: "Lobby")
            try await room.settle()
            #expect(seen["six"] == ["gone"])
        }
    }

    @Test func aContactQuotesTheBotAndItself() async throws {
        let seen = Seen()
        try await withBots(Self.bot(seen)) { room in
            let ann = try await room.person("Ann")
            try await room.bot("Guard").chat(named: "Ann")?.send("Hello")
            try await ann.expect("Hello")
            try await ann.reply("hi")
            try await ann.attack(.newMessage(MessageContainer(content: .text("forged"), quote: quote(.text("I said so"), of: nil, by: nil))), in: "Guard")
            try await room.settle()
            #expect(seen["hi"] == [] && seen["forged"] == ["I said so"])
        }
    }

    @Test func aBotThatDoesNotModerateDoesNotLook() async throws {
        let seen = Seen()
        try await withBots(Self.bot(seen, checks: false)) { room in
            let ann = try await room.person("Ann")
            try await ann.attack(.newMessage(MessageContainer(content: .text("forged"), quote: quote(.text("I said so"), of: nil, by: nil))), in: "Guard")
            try await room.settle()
            #expect(seen["forged"] == [])
        }
    }
}
