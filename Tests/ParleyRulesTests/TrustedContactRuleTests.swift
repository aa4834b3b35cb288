import Parley
import ParleyRules
import ParleyTesting
import TestSupport
import Testing

/// People whom a bots.yaml trusts.
@Suite(.timeLimit(.minutes(5))) struct TrustedContactRuleTests {
    private static let file = """
        parley: 1
        profiles:
          news:
            trusted-contacts: [ann]
            rules:
              - { id: publish, when: { command: publish, from: ann }, then: { send: "published: {{ arguments }}" } }
              - { id: others, when: { message: text }, unless: { from: ann }, then: { send: only Ann publishes } }
              - { id: tell, when: { command: tell, from: ann }, then: { tell: { chat: ann, text: told } } }
        """

    private func faults(_ source: String) -> [String] {
        do throws(BotsFileError) {
            return try BotsFile(parsing: source).warnings.diagnostics.map { "warning: \($0)" }
        } catch {
            return error.diagnostics.map { "\($0.position) \($0.code.rawValue): \($0.message)" }
        }
    }

    @Test func aRuleForATrustedContactIsNotForAStrangerOfThatName() async throws {
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let impostor = try await room.person("ann"), ann = try await room.person("Annika", trustedAs: "ann")
            try await impostor.say("/publish Buy my coins")
            try await impostor.expect("only Ann publishes")
            try await ann.say("/publish It snows")
            try await ann.expect("published: It snows")
            // A name as a target leads to the trusted contact, too.
            try await ann.say("/tell")
            try await ann.expect("told")
            try await impostor.expectNothing()
        }
    }

    @Test func aNameThatGivesARightAndThatAnybodyCanTakeIsRefusedAtItsPlace() {
        let rest = Self.file.replacing("tell: { chat: ann, text: told }", with: "send: told").split(separator: "\n").dropFirst(4).joined(separator: "\n")
        let group = "    groups: { lobby: { moderators: [ann, ben], members: cem } }\n"
        let source = "parley: 1\nprofiles:\n  news:\n" + group + rest + "\n"
        func fault(_ place: String, _ name: String) -> String { "\(place) uncertain-name: \"\(name)\" is not a trusted contact, and anybody can take the name" }
        // Ann is named by three rules, too.
        let all = faults(source), some = faults("parley: 1\nprofiles:\n  news:\n    trusted-contacts: [ben, cem]\n" + group + rest + "\n")
        #expect(all.count == 6 && Set(all).isSuperset(of: [fault("4:37", "ann"), fault("4:42", "ben"), fault("4:57", "cem")]), "\(all)")
        #expect(some.count == 4 && Set(some).isSuperset(of: [fault("5:37", "ann")]), "\(some)")
        #expect(faults(Self.file) == [])
    }

    @Test(arguments: [
        "when: { command: x, from: §ann }, then: { send: x }", "when: { command: x }, unless: { from: §ann }, then: { send: x }",
        "when: { command: x, from: [§ann, ben] }, then: { send: x }", "when: { any: [ { text: a }, { all: [ { from: §ann } ] } ] }, then: { send: x }",
        "when: { text: x, not: { from: §ann } }, then: { send: x }", "when: { invitation: true, from: §ann, group: Team }, then: { accept: true }",
        "when: { bot: true, chat: group }, unless: { from: §weather }, then: { moderate: true }",
        "when: { edited: true, from: §Ben }, then: { reply: x }", "when: { file: any, from: §ben_1 }, then: { save: own }",
    ])
    func aRightByADisplayNameIsRefusedWithAWayToFixIt(_ rule: String) throws {
        let source = MarkedSource("parley: 1\nprofiles:\n  a:\n    trusted-contacts: [ben]\n    rules:\n      - { \(rule) }\n")
        let error = try #require(throws: BotsFileError.self) { try BotsFile(parsing: source.text) }
        #expect(error.diagnostics.map(\.code) == [.uncertainName] && error.diagnostics.first?.position == source.position, "\(error)")
        let hint = error.diagnostics.first?.hint ?? ""
        #expect(hint.contains("trusted-contacts") || hint.contains("\"ben\""), "\(hint)")
    }

    @Test func aModeratorIsNotAMemberToo() {
        let source = "parley: 1\nprofiles:\n  a:\n    trusted-contacts: [ann]\n    groups: { g: { moderators: ann, members: [ann] } }\n"
        #expect(faults(source) == ["5:46 bad-value: \"ann\" is a moderator, too"])
    }

    /// A rule for a group is not for one that a stranger has named.
    @Test func theNameOfAGroupOfAStrangerGivesNoRight() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  host:
                    trusted-contacts: [ann]
                    groups: { staff: { name: Staff } }
                    rules:
                      - { when: { invitation: true }, then: { accept: true } }
                      - { when: { command: code, group: [Staff, Team] }, then: { send: "1234" } }
                      - { when: { command: code, chat: any }, then: { send: no code } }
                """
        ).makeBots()
        try await withBots(bots) { room in
            let mallory = try await room.person("Mallory"), ann = try await room.person("Anna", trustedAs: "ann")
            for (person, group, answer) in [(mallory, "Staff", "no code"), (ann, "Team", "1234")] {
                try await person.makeGroup(GroupSettings(group))
                try await person.invite("host", to: group)
                try await eventually("the bot is in the group") {
                    try await room.bot("host").groups.all.contains { $0.displayName == group && $0.info.membership.invitedBy != .user }
                }
                try await room.settle()
                try await person.say("/code", in: group)
                try await person.expect(answer, in: group)
            }
            try await mallory.join(group: "staff")
            try await room.settle()
            // The declared group answers its members.
            let group = try #require(try await room.bot("host").groups.managed("staff"))
            #expect(group.info.isNamedByStranger(among: try room.bot("host").trustedPeople) == false)
        }
    }

    @Test(arguments: [
        ("[ann, ann]", "4:29 \"ann\" is there twice"), ("[\"\"]", "4:24"), ("[\" ann\"]", "4:24 \" ann\" cannot be a name"), ("{ a: b }", "4:23"),
        ("[\"a\\nb\"]", "4:24"), ("[[ann]]", "4:24"),
    ])
    func aNameThatCannotBeOneIsRefusedAtItsPlace(_ names: String, _ expected: String) {
        let error = #expect(throws: BotsFileError.self) { try BotsFile(parsing: "parley: 1\nprofiles:\n  news:\n    trusted-contacts: \(names)\n") }
        let first = error?.diagnostics.first.map { "\($0.position) \($0.message)" } ?? ""
        #expect(first.hasPrefix(expected), "\(first)")
    }

    @Test func anotherListOfTrustedContactsNeedsAnotherStart() throws {
        let rules = try RunningRules(try BotsFile(parsing: Self.file))
        let changed = Self.file.replacing("trusted-contacts: [ann]", with: "trusted-contacts: [ann, ben]")
        #expect(try rules.replace(with: try BotsFile(parsing: changed)) == ["trusted-contacts of profile news"])
    }
}
