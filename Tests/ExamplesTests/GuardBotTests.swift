import Parley
import ParleyTesting
import Testing

@testable import GuardBot

@Suite struct GuardBotTests {
    private let policy = GuardBot.policy(["GUARD_WORDS": "Casino, café", "GUARD_LINKS": ""])

    @Test func aMemberIsWarnedAndThenRemovedWithItsMessages() async throws {
        let strict = GuardBot.policy(["GUARD_WORDS": "casino", "GUARD_PENALTY": "remove"])
        try await withBots(GuardBot.bot(strict, group: "Lobby")) { room in
            let ann = try await room.stranger("Ann"), ben = try await room.stranger("Ben")
            for person in [ann, ben] { try await person.join(group: "group") }
            try await ann.expect(containing: "Be kind.", in: "Lobby")
            for warning in 1...2 {
                try await ann.say("Casino!", in: "Lobby")
                try await ann.expect(containing: "(\(warning) of 2 warnings)", in: "Lobby")
            }
            try await ann.say("good morning", in: "Lobby")
            try await room.settle()
            try await ann.edit("www.example.org", in: "Lobby")
            try await ann.expectRemoval(from: "Lobby")
            try await room.settle()
            #expect(try await ben.conversation(in: "Lobby").allSatisfy { $0.sender != "Ann" || $0.isDeleted })
        }
    }

    @Test(
        arguments: [
            ("hello", nil), ("Play CASINO now", .forbiddenWord), ("casinos", nil), ("un Café", .forbiddenWord), ("see https://example.org", .webLink),
            ("www.example.org", .webLink), ("simplex:/contact#/?v=2", .simpleXLink), ("https://smp6.example.org/g#abc", .simpleXLink),
        ] as [(String, GuardPolicy.Offence?)])
    func aTextIsAnOffenceOnlyIfThePolicySaysSo(_ text: String, _ offence: GuardPolicy.Offence?) {
        #expect(policy.offence(of: text) == offence)
    }

    @Test func linksCanBeAllowedByKind() {
        let web = GuardBot.policy(["GUARD_LINKS": "web"]), both = GuardBot.policy(["GUARD_LINKS": "web, simplex"])
        #expect(web.offence(of: "https://example.org") == nil)
        #expect(web.offence(of: "simplex:/contact#/?v=2") == .simpleXLink)
        #expect(both.offence(of: "simplex:/contact#/?v=2") == nil)
    }

    @Test func aMemberIsWarnedTwiceAndThenPunishedUntilItIsForgiven() {
        var record = GuardRecord()
        #expect(record.decide("casino", from: "1/2", at: 0, by: policy) == .warn(.forbiddenWord, count: 1))
        #expect(record.decide("hello", from: "1/2", at: 20, by: policy) == .allow)
        #expect(record.decide("casino", from: "1/3", at: 30, by: policy) == .warn(.forbiddenWord, count: 1))
        #expect(record.decide("www.example.org", from: "1/2", at: 40, by: policy) == .warn(.webLink, count: 2))
        #expect(record.decide("casino", from: "1/2", at: 60, by: policy) == .punish(.forbiddenWord))
        #expect(record.decide("casino", from: "1/2", at: 60 + policy.forgivingPeriod, by: policy) == .warn(.forbiddenWord, count: 1))
    }

    @Test func aFloodIsMoreMessagesThanTheLimitWithinTheWindow() {
        var record = GuardRecord()
        for number in 0..<policy.floodLimit { #expect(record.decide("a", from: "1/2", at: Double(number), by: policy) == .allow) }
        #expect(record.decide("a", from: "1/2", at: 8, by: policy) == .warn(.flood, count: 1))
        #expect(record.decide("a", from: "1/2", at: 30, by: policy) == .allow)
    }
}
