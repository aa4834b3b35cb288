import ChatAPI
import ChatProtocol
import Testing

/// The command with the rules for those who join by the link of a group.
@Suite struct JoinerAdmissionTests {
    private static let rules =
        #"{"rules":[{"nameLongerThan":40,"decision":{"type":"reject","reason":"long_name"}},{"nameContains":["casino"],"#
        + #""withoutImage":true,"decision":{"type":"pendingApproval","role":"observer"}},{"decision":{"type":"pendingReview"}}]}"#

    private func admission(_ json: String) throws -> JoinerAdmission { try JoinerAdmission(parsing: json) }

    @Test("the command is read as it is written", arguments: ["/_set link admission #3 \(rules)", "/_set link admission #3"])
    func command(text: String) throws {
        let command = try ChatCommand(parsing: text)
        #expect(command.commandString == text)
    }

    @Test("the rules are read")
    func read() throws {
        #expect(
            try admission(Self.rules)
                == JoinerAdmission(rules: [
                    JoinerRule(nameLongerThan: 40, decision: .reject(reason: .longName)),
                    JoinerRule(nameContains: ["casino"], withoutImage: true, decision: .pendingApproval(role: .observer)),
                    JoinerRule(decision: .pendingReview(role: nil)),
                ]))
        #expect(try admission(Self.rules).fault == nil)
    }

    @Test(
        "what is not understood is no rule: with one condition less it would fit more people",
        arguments: [
            #"{}"#, #"{"rule":[]}"#, #"{"rules":[],"default":"reject"}"#, #"{"rules":[{}]}"#, #"{"rules":[{"nameLonger":40,"decision":{"type":"accept"}}]}"#,
            #"{"rules":[{"nameLongerThan":"40","decision":{"type":"accept"}}]}"#, #"{"rules":[{"nameContains":"x","decision":{"type":"accept"}}]}"#, "[]", "x",
        ])
    func unread(json: String) {
        #expect(throws: (any Error).self) { try ChatCommand(parsing: "/_set link admission #3 \(json)") }
    }

    @Test(
        "rules that make no sense have a fault",
        arguments: [
            #"{"rules":[{"nameLongerThan":-1,"decision":{"type":"accept"}}]}"#, #"{"rules":[{"nameContains":[],"decision":{"type":"accept"}}]}"#,
            #"{"rules":[{"nameContains":["a",""],"decision":{"type":"accept"}}]}"#, #"{"rules":[{"nameContains":["\u200b "],"decision":{"type":"accept"}}]}"#,
            #"{"rules":[{"decision":{"type":"accept","role":"moderator"}}]}"#, #"{"rules":[{"decision":{"type":"pendingReview","role":"owner"}}]}"#,
            #"{"rules":[{"decision":{"type":"reject","reason":""}}]}"#, #"{"rules":[{"decision":{"type":"reject"}}]}"#,
            #"{"rules":[{"decision":{"type":"banish"}}]}"#,
        ])
    func fault(json: String) throws {
        #expect(try admission(json).fault?.hasPrefix("rule 1: ") == true)
    }

    @Test("rules and their texts are limited")
    func limits() {
        let rule = JoinerRule(decision: .accept(role: nil))
        #expect(JoinerAdmission(rules: Array(repeating: rule, count: 100)).fault == nil)
        #expect(JoinerAdmission(rules: Array(repeating: rule, count: 101)).fault == "more than 100 rules")
        let texts = JoinerRule(nameContains: Array(repeating: "x", count: 1_001), decision: .accept(role: nil))
        #expect(JoinerAdmission(rules: [texts, texts]).fault == "more than 2000 texts")
        let long = JoinerRule(nameContains: [String(repeating: "x", count: 101)], decision: .accept(role: nil))
        #expect(JoinerAdmission(rules: [rule, long]).fault?.hasPrefix("rule 2: ") == true)
        let reason = JoinerRule(decision: .reject(reason: .unknown(String(repeating: "x", count: 101))))
        #expect(JoinerAdmission(rules: [reason]).fault != nil)
    }
}
