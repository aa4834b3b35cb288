internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Parley

/// One action of a rule that applies to an event, with the means to do it.
struct ActionRun: Sendable {
    let performer: RulePerformer
    let rule: RuleSpec
    let values: TemplateValues
    /// The number of the case that the action opens; nil for none.
    let caseNumber: Int?
    /// The text of the event.
    let text: String

    var subject: RuleSubject { performer.subject }
    var client: BotClient { performer.subject.client }
    /// True if the rule is not for the member whom the action would be about.
    var isExempt: Bool { subject.member.map { rule.exempt.contains($0.role) } ?? false }

    /// The event, for actions that are written in Swift and for webhooks.
    var context: RuleActionContext {
        RuleActionContext(
            client: client, chat: subject.chat, person: subject.person, member: subject.member, input: performer.input, rule: rule.label, values: values,
            reply: { try await performer.reply(MentioningText($0)) })
    }

    func reply(_ text: String) async throws { try await performer.reply(MentioningText(text)) }

    /// The text of a template for the chat of the event, where its member can be mentioned.
    func mentioning(_ template: Template) -> MentioningText {
        guard let member = subject.member else { return MentioningText(template.filled(with: values)) }
        var values = values
        values.mentionName = member.displayName
        return MentioningText(text: template.filled(with: values), members: [member.displayName: member.id])
    }

    /// A case of the action about a member.
    func newCase(_ number: Int, _ action: some ActionValue, of member: BotMember) -> ModerationCase {
        let now = performer.now.timeIntervalSince1970
        return ModerationCase(
            number: number, rule: rule.label, action: action.word, member: member.id.rawValue, name: member.displayName, evidence: text, time: now,
            expires: action.limit.map { now + $0 })
    }
}
