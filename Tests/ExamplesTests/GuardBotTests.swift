import Parley
import ParleyTesting
import Testing

@testable import GuardBot

@Suite struct GuardBotTests {
    private let policy = GuardBot.policy(["GUARD_WORDS": "Casino, café", "GUARD_LINKS": ""])

    @Test func aMemberIsWarnedAndThenRemovedWithItsMessages() async throws {
        let strict = GuardBot.policy(["GUARD_WORDS": "casino", "GUARD_PENALTY": "remove"])
        try await withBots(GuardBot.bot(Guardian(policy: strict), group: "Lobby")) { room in
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
            #expect(try await ben.conversation(in: "Lobby").allSatisfy { $0.senderName != "Ann" || $0.isDeleted })
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

    @Test func limitsAreWholeNumbersOrStayAsTheyAre() {
        let changed = GuardBot.policy(["GUARD_WARNINGS": "0", "GUARD_FLOOD": "99999999999"]),
            wrong = GuardBot.policy(["GUARD_WARNINGS": "-1", "GUARD_FLOOD": "many"])
        #expect(changed.warnings == 0 && changed.floodLimit == GuardPolicy.highestFloodLimit)
        #expect(wrong.warnings == policy.warnings && wrong.floodLimit == policy.floodLimit)
    }

    @Test func linksCanBeAllowedByKind() {
        let web = GuardBot.policy(["GUARD_LINKS": "web"]), both = GuardBot.policy(["GUARD_LINKS": "web, simplex"])
        #expect(web.offence(of: "https://example.org") == nil)
        #expect(web.offence(of: "simplex:/contact#/?v=2") == .simpleXLink)
        #expect(both.offence(of: "simplex:/contact#/?v=2") == nil)
    }

    @Test func aMemberIsWarnedTwiceAndThenPunishedAlsoOverARestart() async throws {
        let guardian = Guardian(policy: policy)
        try await withBots(GuardBot.bot(guardian, group: "Guarded")) { room in
            let ann = try await room.stranger("Ann"), ben = try await room.stranger("Ben")
            try await ann.join(group: "group")
            try await ben.join(group: "group")
            let group = try #require(await room.bot("Guard").groups.all.first)
            let moderator = try #require(try await group.members().first { $0.displayName == "Ben" })
            try await moderator.setRole(.moderator)
            try await ann.say("casino", in: "Guarded")
            try await ann.expect(told: "Ann, that is against the rules (1 of 2 warnings). See /rules.")
            try await room.restart()
            try await ann.say("see www.example.org", in: "Guarded")
            try await ann.expect(told: "Ann, that is against the rules (2 of 2 warnings). See /rules.")
            try await ann.say("casino again", in: "Guarded")
            try await room.settle()
            let cases = try await room.bot("Guard").groups.all.first?.cases() ?? []
            #expect(cases.map(\.action) == ["warn", "warn", "warn", "block"])
            #expect(cases.first?.evidence == "casino")
            try await ben.say("/undo 4", in: "Guarded")
            try await ben.expect(told: "4: block Ann, forbiddenWord, undone by Ben")
            try await ben.say("/undo 4", in: "Guarded")
            try await ben.expect(told: "case 4 was undone before, by Ben")
            // The warnings expire.
            try await room.advance(by: .seconds(policy.forgivingPeriod))
            let member = try #require(try await room.bot("Guard").groups.all.first?.members().first { $0.displayName == "Ann" })
            #expect(try await member.warningPoints() == 0)
        }
    }

    @Test func aFloodIsMoreMessagesThanTheLimitWithinTheWindow() {
        var counter = FloodCounter()
        let within = (0..<policy.floodLimit).map { counter.note("1/2", at: Double($0), by: policy) }
        #expect(!within.contains(true))
        let floods = [("1/2", 8.0), ("1/3", 8), ("1/2", 30)].map { counter.note($0, at: $1, by: policy) }
        #expect(floods == [true, false, false])
    }
}

extension TestPerson {
    /// Passes over what others are told in the group until a message comes.
    fileprivate func expect(told text: String) async throws {
        while try await expect(text, in: "Guarded", where: { _ in true }).text != text {}
    }
}
