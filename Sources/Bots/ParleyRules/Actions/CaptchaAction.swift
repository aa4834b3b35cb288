internal import Parley

/// A question to a member who waits to be admitted: `captcha: true`.
struct CaptchaAction: DeclaredAction {
    static let key = "captcha"
    static let shape = Shape.anyOf([.yes, .mapping("captcha")])
    static let summary = "Ask a member who waits a question, and admit or refuse by the answer."
    static let mapping = MappingSchema(
        "captcha",
        [
            .key("attempts", .integer(CaptchaSpec.attemptRange), "Wrong answers until the member is refused; 3."),
            .key("within", Schemas.span, "The time for it; 1h."),
            .key(
                "failures-per-hour", .integer(CaptchaSpec.failureRange), "Members of the group who may fail in an hour before others wait for moderators; 30."),
            .key("question", .text, "The text of the question, with {{ captcha.sum }}."),
            .key("wrong", .text, "The text after a wrong answer; {{ captcha.attempts }} is the number of tries that are left."),
            .key("language", .text, "The language of the number that is written as a word, such as de; en."),
        ])

    let captcha: CaptchaSpec

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let captcha = CaptchaSpec(reader) else { return nil }
        self.captcha = captcha
    }

    func objection(in condition: RuleCondition) -> ActionObjection? {
        condition.members.changes == [.pending] ? nil : ("nobody waits to be admitted", "it goes with \"member: pending\"")
    }

    func perform(_ run: ActionRun) async throws { try await run.performer.ask(captcha) }
}
