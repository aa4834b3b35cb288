import Parley
import ParleyTesting
import TestSupport
import Testing

@testable import CommentModerator
@testable import RelayBot

@Suite struct CommentModeratorTests {
    private static let policy = CommentPolicy(words: "Casino, café", allowsLinks: false)

    private static func withModerator(_ policy: CommentPolicy = policy, _ body: @Sendable (TestRoom) async throws -> Void) async throws {
        let moderator = CommentModerator.bot(policy, channel: "News", poster: "Ann", relays: [.bot("relay")])
        try await withBots(RelayBot.bot(name: "Relay"), moderator) { try await body($0) }
    }

    @Test func commentsAreModeratedAndTheirAuthorsWarnedThenBlocked() async throws {
        try await Self.withModerator { room in
            let ann = try await room.person("Ann", trustedAs: "Ann", with: "moderator"), ben = try await room.stranger("Ben")
            try await ben.subscribe(to: "channel")
            try await ann.say("Hello")
            try await ann.expectReaction("✅")
            try await ben.expect("Hello", in: "News")
            try await ben.comment("nice", on: "Hello", in: "News")
            try await ben.comment("the CASINO is open", on: "Hello", in: "News")
            try await ben.expectComment("Ben, that word is not used here.", on: "Hello", in: "News")
            try await ben.comment("see https://example.org", on: "Hello", in: "News")
            try await ben.expectComment("Ben, links are not allowed here.", on: "Hello", in: "News")
            try await room.restart()
            try await ben.comment("un cafe?", on: "Hello", in: "News")
            try await room.settle()
            let comments = try await ben.comments(on: "Hello", in: "News")
            #expect(comments.filter { $0.senderName == "Ben" && !$0.isDeleted }.map(\.text) == ["nice"])
            let channel = try #require(await room.bot("moderator").groups.channels.first)
            #expect(try await channel.members().first { $0.displayName == "Ben" }?.member.blockedByAdmin == true)
        }
    }

    @Test func anEditedCommentIsCheckedAgain() async throws {
        try await Self.withModerator { room in
            let ann = try await room.person("Ann", trustedAs: "Ann", with: "moderator"), ben = try await room.stranger("Ben")
            try await ben.subscribe(to: "channel")
            try await ann.say("Hello")
            try await ben.comment("nice", on: "Hello", in: "News")
            try await room.settle()
            try await ben.edit(comment: "nice", to: "casino", on: "Hello", in: "News")
            try await ben.expectDeletedComment(on: "Hello", in: "News")
        }
    }

    @Test func aCommentThatEnoughMembersReportIsDeleted() async throws {
        var policy = Self.policy
        policy.reportLimit = 2
        try await Self.withModerator(policy) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann", with: "moderator"), ben = try await room.stranger("Ben")
            let cath = try await room.stranger("Cath")
            for person in [ben, cath] { try await person.subscribe(to: "channel") }
            try await ann.say("Hello")
            try await ben.comment("rude", on: "Hello", in: "News")
            try await cath.report(comment: "rude", on: "Hello", in: "News")
            try await room.settle()
            #expect(try await ben.comments(on: "Hello", in: "News").map(\.isDeleted) == [false])
            // Its author regrets it.
            try await ben.report(comment: "rude", on: "Hello", in: "News")
            try await ben.expectDeletedComment(on: "Hello", in: "News")
        }
    }

    @Test func onlyThePosterPostsAndClosesPosts() async throws {
        try await Self.withModerator { room in
            let ann = try await room.person("Ann", trustedAs: "Ann", with: "moderator"), ben = try await room.person("Ben", with: "moderator")
            for command in ["Buy!", "/close"] {
                try await ben.say(command)
                try await ben.expect("Only the poster of this channel can post here.")
            }
            try await ann.say("/close")
            try await ann.expect("There is no post.")
            try await ben.subscribe(to: "channel")
            try await ann.say("Hello")
            try await ben.expect("Hello", in: "News")
            try await ann.say("/close")
            try await ann.expect("Closed: Hello")
            try await eventually("the post takes no comments") {
                do {
                    try await ben.comment("late", on: "Hello", in: "News")
                    return false
                } catch {
                    return true
                }
            }
        }
    }

    @Test func anAnswerOfAWriterIsAComment() async throws {
        try await Self.withModerator { room in
            let ann = try await room.person("Ann", trustedAs: "Ann", with: "moderator"), ben = try await room.stranger("Ben")
            try await ben.subscribe(to: "channel")
            try await ann.say("Hello")
            try await ben.expect("Hello", in: "News")
            // Another subscriber of that name gets no right.
            let other = try await room.stranger("Ben")
            try await other.subscribe(to: "channel")
            try await room.settle()
            try await ann.say("/writers")
            let lines = try await ann.expect(containing: " Ben").text.split(separator: "\n")
            #expect(lines.count == 2)
            let numbers = lines.compactMap { $0.split(separator: " ").first.flatMap { Int64($0) } }, number = try #require(numbers.min())
            try await ann.say("/writer 999999")
            try await ann.expect("There is no subscriber of that number. /writers shows them.")
            try await ann.say("/writer \(number)")
            try await ann.expect("Ben can write now.")
            await #expect(throws: (any Error).self) { try await other.say("casino", in: "News") }
            try await eventually("Ben can write") { (try? await ben.reply("casino", in: "News")) != nil }
            try await ben.expect("Ben, that word is not used here.", in: "News")
            #expect(try await ben.conversation(in: "News").last { $0.senderName == "Ben" }?.isDeleted == true)
        }
    }

    @Test func aFloodIsAnOffence() {
        var record = CommenterRecord()
        for second in 0..<5 { #expect(record.decide("a", at: Double(second), by: Self.policy) == .allowed) }
        #expect(record.decide("a", at: 5, by: Self.policy) == .warned(.flood))
        #expect(record.decide("a", at: 60, by: Self.policy) == .allowed)
        #expect(record.decide("www.example.org", at: 61, by: Self.policy) == .warned(.link))
        #expect(record.decide("casino", at: 62, by: Self.policy) == .blocked(.word))
    }

    @Test func reportsOfOneMemberCountOnce() {
        var reports = Reports()
        #expect(reports.add(1, by: "a", limit: 2) == false)
        #expect(reports.add(1, by: "a", limit: 2) == false)
        #expect(reports.add(2, by: "b", limit: 2) == false)
        #expect(reports.add(1, by: "b", limit: 2) == true)
        #expect(reports.add(1, by: "c", limit: 2) == false)
    }
}
