import ChatAPI
import Foundation
import Parley
import ParleyRules
import ParleyTesting
import Testing

/// The captcha of rules, asked by a running bot.
@Suite struct CaptchaConversationTests {
    private static let file = """
        parley: 1
        profiles:
          door:
            groups: { lobby: { name: Lobby, review: true } }
            rules:
              - { when: { member: pending }, then: { captcha: { attempts: 2, within: 10m } } }
        """

    @Test func newcomersAreAdmittedByTheRightAnswerAndRefusedAfterWrongOnesOrTooLate() async throws {
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let ann = try await room.stranger("Ann"), ben = try await room.stranger("Ben"), cath = try await room.stranger("Cath")
            let group = try #require(await room.bot("door").groups.all.first), link = try #require(try await group.link()?.connectionLink)
            for person in [ann, ben, cath] { try await person.join(link: link.shortLink ?? link.fullLink) }
            _ = try await ann.expectMessages(1, fromModeratorsOf: "Lobby")
            try await ann.say("Hello, how do I get in?", toModeratorsOf: "Lobby")
            _ = try await ann.expectMessages(2, fromModeratorsOf: "Lobby")
            try await ann.say("1", toModeratorsOf: "Lobby")
            try await room.restart()
            let question = try await ann.expectMessages(3, fromModeratorsOf: "Lobby").text
            #expect(question.hasPrefix("That is not right. One try is left."))
            try await ann.say("\(try #require(Self.answer(to: question)))", toModeratorsOf: "Lobby")
            try await ann.expectMembership(of: "Lobby")
            for count in 1...2 {
                _ = try await ben.expectMessages(count, fromModeratorsOf: "Lobby")
                try await ben.say("It is 1.", toModeratorsOf: "Lobby")
            }
            try await ben.expectRemoval(from: "Lobby")
            _ = try await cath.expectMessages(1, fromModeratorsOf: "Lobby")
            try await room.advance(by: .seconds(599))
            #expect(try await room.bot("door").groups.all.first?.members().first { $0.displayName == "Cath" }?.isPending == true)
            try await room.advance(by: .seconds(2))
            try await cath.expectRemoval(from: "Lobby")
        }
    }

    @Test func whoJoinsAgainAndAgainWaitsForModerators() async throws {
        let file = Self.file.replacing("attempts: 2, within: 10m", with: "attempts: 1, within: 10m, failures-per-hour: 2")
        try await withBots(try BotsFile(parsing: file).makeBots()) { room in
            let group = try #require(await room.bot("door").groups.all.first), link = try #require(try await group.link()?.connectionLink)
            func join(_ name: String) async throws -> TestPerson {
                let person = try await room.stranger(name)
                try await person.join(link: link.shortLink ?? link.fullLink)
                return person
            }
            // One fails by a wrong answer, and one by none.
            let one = try await join("One"), two = try await join("Two")
            for person in [one, two] { _ = try await person.expectMessages(1, fromModeratorsOf: "Lobby") }
            try await one.say("1", toModeratorsOf: "Lobby")
            try await one.expectRemoval(from: "Lobby")
            try await room.advance(by: .seconds(601))
            try await two.expectRemoval(from: "Lobby")
            let three = try await join("Three")
            try await room.settle()
            try await room.restart()
            try await three.say("1", toModeratorsOf: "Lobby")
            try await room.settle()
            let members = try await room.bot("door").groups.all.first?.members() ?? []
            #expect(members.first { $0.displayName == "Three" }?.isPending == true)
            // An hour later the questions go on.
            try await room.advance(by: .seconds(3_600))
            let four = try await join("Four")
            _ = try await four.expectMessages(1, fromModeratorsOf: "Lobby")
        }
    }

    @Test func theTextsAreThoseOfTheFile() async throws {
        let file = Self.file.replacing(
            "within: 10m", with: "within: 10m, question: 'Wie viel ist {{captcha.sum}}?', wrong: 'Nein. Noch {{ captcha.attempts }}.', language: de")
        try await withBots(try BotsFile(parsing: file).makeBots()) { room in
            let ann = try await room.stranger("Ann")
            let group = try #require(await room.bot("door").groups.all.first), link = try #require(try await group.link()?.connectionLink)
            try await ann.join(link: link.shortLink ?? link.fullLink)
            let question = try await ann.expectMessages(1, fromModeratorsOf: "Lobby").text
            #expect(question.wholeMatch(of: /Wie viel ist \w+ \+ \d+\?/) != nil, "\(question)")
            try await ann.say("1", toModeratorsOf: "Lobby")
            #expect(try await ann.expectMessages(2, fromModeratorsOf: "Lobby").text.hasPrefix("Nein. Noch 1. Wie viel ist "))
        }
    }

    @Test(arguments: [
        ("question: 'How much?'", "does not hold the sum"), ("question: '{{ captcha.sum }} {{ contact.name }}'", "has no value here"),
        ("language: klingon", "code of no language"), ("question: '{{ captcha.sum }}{{ captcha.attempts }}'", "has no value here"),
    ]) func wrongTextsAreRefused(_ key: String, _ message: String) {
        let file = Self.file.replacing("within: 10m", with: "within: 10m, \(key)")
        #expect {
            try BotsFile(parsing: file)
        } throws: {
            "\($0)".contains(message)
        }
    }

    /// Somebody else decides about newcomers while their question waits.
    @Test func whomAModeratorAdmitsIsNotRemovedWhenTheTimeIsOver() async throws {
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let ann = try await room.stranger("Ann"), ben = try await room.stranger("Ben")
            let group = try #require(await room.bot("door").groups.all.first), link = try #require(try await group.link()?.connectionLink)
            for person in [ann, ben] {
                try await person.join(link: link.shortLink ?? link.fullLink)
                _ = try await person.expectMessages(1, fromModeratorsOf: "Lobby")
            }
            try await group.members().first { $0.displayName == "Ann" }?.accept()
            try await ann.expectMembership(of: "Lobby")
            try await group.members().first { $0.displayName == "Ben" }?.reject()
            try await ben.expectRemoval(from: "Lobby")
            // What she writes among the others is no answer.
            for text in ["hello", "7"] { try await ann.say(text, in: "Lobby") }
            try await ann.expectNothing(in: "Lobby")
            try await room.advance(by: .seconds(601))
            try await room.settle()
            #expect(try await group.members().filter { !$0.isPending }.map(\.displayName).contains("Ann"))
            try await ann.say("still here", in: "Lobby")
            #expect(try await ann.conversation(in: "Lobby").last?.text == "still here")
        }
    }

    private static func answer(to question: String) -> Int? {
        let words = NumberFormatter()
        words.locale = Locale(identifier: "en_US")
        words.numberStyle = .spellOut
        guard let sum = question.firstMatch(of: /how much is (\w+) plus (\d+)\?/), let left = words.number(from: String(sum.1)), let right = Int(sum.2)
        else { return nil }
        return left.intValue + right
    }
}
