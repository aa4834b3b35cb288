import Parley
import ParleyRules
import ParleyTesting
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

    private func diagnostics(_ source: String) throws(BotsFileError) -> [String] {
        try BotsFile(parsing: source).warnings.diagnostics.map { "\($0.position) \($0.code.rawValue): \($0.message)" }
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

    @Test func aNameThatGivesARightAndThatAnybodyCanTakeIsWarnedOf() throws {
        // What is sent to such a name is an error, and not a warning.
        let rest = Self.file.replacing("tell: { chat: ann, text: told }", with: "send: told").split(separator: "\n").dropFirst(4).joined(separator: "\n")
        let group = "    groups: { lobby: { moderators: [ann, ben] } }\n"
        let source = "parley: 1\nprofiles:\n  news:\n" + group + rest + "\n"
        #expect(
            try diagnostics(source) == [
                "4:37 uncertain-name: whoever connects first under the name \"ann\" has it",
                "4:42 uncertain-name: whoever connects first under the name \"ben\" has it",
            ])
        #expect(
            try diagnostics("parley: 1\nprofiles:\n  news:\n    trusted-contacts: ben\n" + group + rest + "\n") == [
                "5:37 uncertain-name: whoever connects first under the name \"ann\" has it"
            ])
        #expect(try diagnostics(Self.file) == [])
    }

    @Test func namesInGroupsOnlyAreNotWarnedOf() throws {
        let rule = "      - { when: { bot: true, chat: group }, unless: { from: weather }, then: { moderate: true } }\n"
        #expect(try diagnostics("parley: 1\nprofiles:\n  guard:\n    rules:\n" + rule) == [])
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
