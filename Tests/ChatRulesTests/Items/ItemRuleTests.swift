import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

/// The pure rules of items: periods, timers, quotes and links.
@Suite struct ItemRuleTests {
    private static let sent = UTCTimestamp(seconds: 1_790_000_000)

    @Test func aSentMessageIsDeletableForADayAndNotesForEver() {
        func isDeletable(_ content: ItemContent = .sentMessage(content: .text("text")), isDeleted: Bool = false, isDirect: Bool = true, after: Int64) -> Bool {
            ItemRules.isDeletable(content: content, isDeleted: isDeleted, sentAt: Self.sent, isDirect: isDirect, now: Self.sent.adding(seconds: after))
        }
        #expect(isDeletable(after: 86_399) && !isDeletable(after: 86_400))
        #expect(isDeletable(isDirect: false, after: 1_000 * 86_400))
        #expect(!isDeletable(isDeleted: true, after: 0))
        #expect(!isDeletable(.receivedMessage(content: .text("text")), after: 0))
        // A clock that was set back makes nothing older.
        #expect(isDeletable(after: -86_400 * 365))
    }

    @Test func noTimeOfAMessageOverflows() {
        for time in [UTCTimestamp(seconds: .min), UTCTimestamp(seconds: .max)] {
            _ = time.adding(seconds: .max)
            _ = time.adding(seconds: .min)
        }
        // The beginning of the year 0 and the end of the year 9999.
        #expect(UTCTimestamp(seconds: .max).adding(seconds: .max).seconds == 253_402_300_799)
        #expect(UTCTimestamp(seconds: .min).adding(seconds: .min).seconds == -62_167_219_200)
    }

    @Test func theTimerOfASentMessageIsThatOfTheCommandElseThatOfTheChat() {
        func timer(chat: Int??, ttl: Int?, isLive: Bool = false) -> ItemTimer? {
            ItemTiming.sent(chatTTL: chat, ttl: ttl, isLive: isLive, at: Self.sent)
        }
        #expect(timer(chat: nil, ttl: 60) == nil, "messages do not disappear in the chat")
        #expect(timer(chat: .some(nil), ttl: nil) == nil, "no time is set")
        #expect(timer(chat: .some(60), ttl: nil) == ItemTimer(ttl: 60, deleteAt: Self.sent.adding(seconds: 60)))
        #expect(timer(chat: .some(60), ttl: 5) == ItemTimer(ttl: 5, deleteAt: Self.sent.adding(seconds: 5)))
        #expect(timer(chat: .some(60), ttl: nil, isLive: true) == ItemTimer(ttl: 60, deleteAt: nil), "it begins when the message is finished")
    }

    @Test(arguments: [Int.min, -1, 0, .max]) func aTimeToLiveOutOfBoundsNeitherTrapsNorDeletesInThePast(ttl: Int) throws {
        let timer = try #require(ItemTiming.sent(chatTTL: .some(nil), ttl: ttl, isLive: false, at: Self.sent))
        #expect(timer.ttl >= 0 && timer.ttl <= TimeToLive.bounded(.max))
        #expect(try #require(timer.deleteAt) >= Self.sent)
    }

    @Test func theTimerOfAReceivedMessageBeginsWhenItIsReadAndOnlyWhereBothSidesLetMessagesDisappear() {
        #expect(ItemTiming.received(chatTTL: nil, ttl: 60) == nil)
        #expect(ItemTiming.received(chatTTL: .some(nil), ttl: nil) == nil)
        #expect(ItemTiming.received(chatTTL: .some(60), ttl: nil) == nil, "the message itself must say so")
        #expect(ItemTiming.received(chatTTL: .some(60), ttl: 5) == ItemTimer(ttl: 5))
        for ttl in [0, -1, Int.min] { #expect(ItemTiming.received(chatTTL: .some(60), ttl: ttl) == nil) }
    }

    @Test func aQuoteKeepsASmallPictureAndTellsLargeContentByItsText() {
        let picture = MessageContent.image(text: "look", image: ImageData("data:image/png;base64,AA=="))
        #expect(ItemRules.quoted(picture, in: .text("answer"), fileName: nil) == picture)
        #expect(ItemRules.quoted(.file("notes"), in: .text("answer"), fileName: "notes.pdf") == .file("notes"))
        #expect(ItemRules.quoted(.file(""), in: .text("answer"), fileName: "notes.pdf") == .file("notes.pdf"))
        #expect(ItemRules.quoted(picture, in: picture, fileName: nil) == .text("look"), "one picture in a message is enough")
        #expect(ItemRules.quoted(.text("hello"), in: .text("answer"), fileName: nil) == .text("hello"))
    }

    @Test(arguments: [("https://example.com", true), ("see https://example.com/a now", true), ("no link at all", false), ("", false), ("a.b", false)])
    func aMessageHasALinkIfItsTextHasOne(text: String, hasLink: Bool) {
        #expect(ItemRules.hasLink(.text(text)) == hasLink, "\(text)")
    }
}

/// The rules of reactions.
@Suite struct ReactionRuleTests {
    private static let all = ReactionEmoji.allCases.map(MessageReaction.emoji)

    @Test func aSideReactsThreeTimesAtMostAndNeverTwiceTheSame() throws {
        let (a, b, c, d) = (Self.all[0], Self.all[1], Self.all[2], Self.all[3])
        #expect(ReactionRules.isAllowed(a, isAdded: true, after: []))
        #expect(!ReactionRules.isAllowed(a, isAdded: true, after: [a]))
        #expect(ReactionRules.isAllowed(c, isAdded: true, after: [a, b]))
        #expect(!ReactionRules.isAllowed(d, isAdded: true, after: [a, b, c]))
        #expect(ReactionRules.isAllowed(a, isAdded: false, after: [a, b, c]) && !ReactionRules.isAllowed(d, isAdded: false, after: [a, b, c]))
    }

    @Test func aReactionOfThisProfileIsRefusedExactlyWhereOneOfTheOtherSideIsIgnored() {
        let (a, b, c, d) = (Self.all[0], Self.all[1], Self.all[2], Self.all[3])
        for reactions in [[], [a], [a, b], [a, b, c], [b, c, d]] {
            for reaction in [a, b, c, d] {
                for isAdded in [true, false] {
                    let isRefused = (try? ReactionRules.check(reaction, isAdded: isAdded, after: reactions)) == nil
                    #expect(isRefused != ReactionRules.isAllowed(reaction, isAdded: isAdded, after: reactions))
                }
            }
        }
    }

    @Test func reactionsOfBothSidesAreCountedTogetherInAFixedOrder() throws {
        let (a, b) = (Self.all[0].jsonText, Self.all[1].jsonText)
        let one = try ReactionRules.counts(stored: "1\(a)\u{1F}0\(b)\u{1F}0\(a)"), other = try ReactionRules.counts(stored: "0\(a)\u{1F}1\(a)\u{1F}0\(b)")
        #expect(one == other && one.count == 2)
        let first = try #require(one.first { $0.reaction == Self.all[0] }), second = try #require(one.first { $0.reaction == Self.all[1] })
        #expect(first.totalReacted == 2 && first.userReacted)
        #expect(second.totalReacted == 1 && !second.userReacted)
        #expect(try ReactionRules.counts(stored: nil) == [] && ReactionRules.counts(stored: "") == [])
    }

    @Test(arguments: ["1", "1{", "0[]", "1{}\u{1F}0x"]) func damagedStoredReactionsAreAnErrorAndNoTrap(text: String) {
        #expect(throws: JSONError.self) { try ReactionRules.counts(stored: text) }
    }
}
