import Parley
import ParleyRules
import Testing

/// The pace of sending, and rules about what becomes of messages and files, as a file says them.
@Suite struct PaceAndDeliveryTests {
    private func file(_ profile: String) throws -> BotsFile { try BotsFile(parsing: "parley: 1\nprofiles:\n  a: { \(profile), trusted-contacts: c }\n") }

    @Test(
        "the pace is that of the file, and what it leaves out keeps its default",
        arguments: [
            ("pace: off", SendingPace.off), ("bio: x", SendingPace()),
            ("pace: { chat: { burst: 10, per-second: 0.5 } }", SendingPace(perChat: SendingPace.Rate(burst: 10, perSecond: 0.5))),
            ("pace: { member: on }", SendingPace(asMember: .planned)), ("pace: { member: off }", SendingPace()),
            (
                "pace: { member: { per-minute: 5, per-day: 100 } }",
                SendingPace(asMember: SendingPace.MemberLimits(perMinute: 5, perHour: 300, perDay: 100))
            ),
            ("pace: { chat: off, profile: { burst: 1, per-second: 2 } }", SendingPace(perChat: nil, perProfile: SendingPace.Rate(burst: 1, perSecond: 2))),
        ])
    func pace(_ profile: String, _ pace: SendingPace) throws { #expect(try file(profile).makeBots().first?.pace == pace) }

    @Test(
        "mistakes are told with their position",
        arguments: [
            ("pace: fast", 14, "profiles.a.pace must be off or a mapping, not \"fast\""), ("pace: {}", 14, "profiles.a.pace says nothing"),
            ("pace: { member: 5 }", 24, "profiles.a.pace.member must be on, off or a mapping, not \"5\""),
            ("pace: { member: { per-minute: 0 } }", 38, "profiles.a.pace.member.per-minute must be from 1 to 10000, not 0"),
            ("pace: { member: { per-second: 1 } }", 26, "per-second"),
            ("pace: { chat: 5 }", 22, "profiles.a.pace.chat must be off or a mapping, not \"5\""),
            ("pace: { chat: { burst: 5 } }", 22, "profiles.a.pace.chat needs the key \"per-second\""),
            ("pace: { chat: { burst: 0, per-second: 1 } }", 31, "profiles.a.pace.chat.burst must be from 1 to 1000000, not 0"),
            ("pace: { chat: { burst: 1, per-second: 0 } }", 46, "profiles.a.pace.chat.per-second must be from 0.001 to 1000000, not 0.0"),
            ("rules: [ { when: { delivered: false }, then: { tell: { chat: c, text: x } } } ]", 38, "leave \"delivered\" out instead of saying false"),
            ("rules: [ { when: { delivered: true }, then: { send: x } } ]", 52, "\"delivered\": its messages would be delivered, too"),
            ("rules: [ { when: { delivery-failed: true }, then: { reply: x } } ]", 58, "\"reply\" does not go with \"delivery-failed\""),
            ("rules: [ { when: { delivery-failed: true, from: ann }, then: { tell: { chat: c, text: x } } } ]", 56, "looks at who wrote"),
            ("rules: [ { when: { delivered: true, role: owner }, then: { tell: { chat: c, text: x } } } ]", 50, "who did it is not known"),
            ("rules: [ { when: { file-failed: true }, then: { send: { file: a } } } ]", 54, "that file may fail, too"),
            ("rules: [ { when: { file-received: true, text: a }, then: { save: own } } ]", 65, "there is no file to save"),
            ("rules: [ { when: { delivered: true, chat: any }, then: { tell: { chat: c, text: \"{{ member.name }}\" } } } ]", 89, "is about no member"),
            ("rules: [ { when: { message: any }, then: { send: \"{{ error }}\" } } ]", 58, "nothing has failed"),
            ("rules: [ { when: { message: any }, then: { send: \"{{ file.name }}\" } } ]", 58, "the rule is not about a file"),
            ("rules: [ { when: { message: any }, then: { send: \"{{ inviter.name }}\" } } ]", 58, "the rule is not about an invitation"),
            ("rules: [ { when: { message: any, delivered: true }, then: { react: ✅ } } ]", 25, "a rule is about one event"),
            ("tests: [ { say: x, error: gone, expect-none: true } ]", 34, "nothing has failed"),
        ])
    func mistakes(_ profile: String, _ column: Int, _ expected: String) {
        let error = #expect(throws: BotsFileError.self) { try file(profile) }
        #expect(error?.diagnostics.first?.message.contains(expected) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.diagnostics.first?.position == SourcePosition(line: 3, column: column), "\(error.map { "\($0)" } ?? "")")
    }

    @Test func rulesAboutDeliveriesWaitForAnotherStartIfThereWereNone() throws {
        let plain = try file("rules: [ { when: { text: x }, then: { send: y } } ]")
        let delivered = "{ when: { delivered: true }, then: { tell: { chat: c, text: x } } }", failed = "{ when: { file-failed: true }, then: { send: y } }"
        let other = try file("pace: off, rules: [ \(delivered), \(failed) ]")
        #expect(
            try RunningRules(plain).replace(with: other) == [
                "pace of profile a", "rules about deliveries of profile a", "rules about transfers of files of profile a",
            ])
        #expect(try RunningRules(other).replace(with: plain) == ["pace of profile a"])
    }
}
