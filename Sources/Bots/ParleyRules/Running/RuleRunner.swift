internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Parley
internal import Synchronization

/// Gives events to the rules of a profile, and performs their decisions.
struct RuleRunner: Sendable {
    typealias Work = @Sendable () async throws -> Void

    /// The rules as they are now: they can be replaced while the bots run.
    let current: @Sendable () -> ProfileRules
    let logger: Logger
    private let arrivals: ArrivalCounter
    private let pending = PendingMemories()

    init(logger: Logger, current: @escaping @Sendable () -> ProfileRules) {
        self.logger = logger
        self.current = current
        arrivals = ArrivalCounter()
    }

    func plan(_ message: MessageContext) -> Work? { plan(message, isFinished: true) }

    /// The rules that moderate, for a message that is still being typed.
    func plan(live message: MessageContext) -> Work? { plan(message, isFinished: false) }

    private func plan(_ message: MessageContext, isFinished: Bool) -> Work? {
        var input = RuleInput(message: message.item, message.content)
        input.mentionsBot = message.mentionsBot
        input.attached += message.foreignQuote
        return plan(input, RuleSubject(message), typed: TypedMessage(message, isFinished: isFinished))
    }

    func plan(_ edit: EditContext) -> Work? {
        var input = RuleInput(event: .edited, kind: edit.kind, text: edit.text)
        input.attached = edit.content.attachedTexts
        input.mentionsBot = edit.item.meta.userMention
        input.mentions = edit.item.mentions.count
        input.isForwarded = edit.item.meta.forwarded != nil
        input.isPassedOn = edit.item.meta.forwardedByMember != nil
        input.isComment = edit.item.meta.parentItemID != nil
        return plan(input, RuleSubject(edit))
    }

    func plan(_ deletion: DeletionContext) -> Work? { plan(RuleInput(event: .deleted), RuleSubject(deletion, member: deletion.member)) }

    func plan(_ reaction: ReactionContext) -> Work? {
        guard reaction.isAdded else { return nil }
        return plan(RuleInput(event: .reaction, emoji: reaction.emoji), RuleSubject(reaction))
    }

    func plan(_ member: MemberContext) -> Work? {
        var input = RuleInput(event: .member)
        input.change = MembershipEvent(member.change)
        return plan(input, RuleSubject(member))
    }

    func plan(_ report: ReportContext) -> Work? {
        var input = RuleInput(event: .report, text: report.text)
        if let reported = report.item.quotedItem?.content { input.attached = [reported.text] + reported.attachedTexts }
        input.describe(report.reporter?.member, trusted: report.client.trustedPeople, at: report.client.now)
        return plan(input, RuleSubject(report), name: report.reporter?.displayName)
    }

    func plan(_ invitation: InvitationContext) -> Work? {
        var input = RuleInput(event: .invitation)
        input.groupNames = [invitation.groupName]
        return plan(input, RuleSubject(invitation))
    }

    func plan(_ delivery: DeliveryContext) -> Work? {
        var input = RuleInput(event: .delivered, text: delivery.item.meta.text)
        switch delivery.status {
        case .sent: return nil
        case .received: break
        case .failed(let reason): (input.event, input.error) = (.deliveryFailed, reason)
        }
        return plan(input, RuleSubject(delivery))
    }

    func plan(_ file: FileContext) -> Work? {
        guard case .receivedMessage(let content) = file.item.content else { return nil }
        var input = RuleInput(message: file.item, content)
        input.event = .fileReceived
        return plan(input, RuleSubject(file))
    }

    func plan(_ failure: FileFailureContext) -> Work? {
        var input = RuleInput(event: .fileFailed, text: failure.item.meta.text)
        (input.file, input.error) = (failure.attachment, failure.error.message)
        return plan(input, RuleSubject(failure))
    }

    func plan(_ relay: RelayContext) -> Work? {
        guard let change = RelayEvent(relay.relay.status) else { return nil }
        var input = RuleInput(event: .relay)
        input.relay = change
        return plan(input, RuleSubject(relay), name: relay.name)
    }

    func plan(_ contact: ContactContext) -> Work? { plan(RuleInput(event: .connected), RuleSubject(contact)) }

    func plan(_ request: RequestContext) -> Work? {
        let profile = current(), rules = profile.rules, now = request.client.now
        var input = RuleInput(event: .request, text: request.text)
        (input.displayName, input.isFromBot) = (request.name, request.request.profile.peerType == .bot)
        input.describe(time: now)
        arrivals.count(&input, rules, MemoryScopes(person: "", target: "", chat: ""), at: now)
        let decisions = rules.decide(input)
        guard !decisions.isEmpty else { return nil }
        let values = TemplateValues(input, .contactRequest(contactRequest: request.request), member: "", bot: profile.name, at: now)
        return {
            logAudited(decisions)
            for decision in decisions where !decision.isAudit {
                var values = values
                (values.match, values.command) = (decision.match, decision.command)
                for action in decision.rule.then {
                    do {
                        try await (action.value as? any RequestAction)?.perform(request, values)
                    } catch {
                        // The end of the bots: the request is handled at the next start.
                        guard !Task.isCancelled else { throw error }
                        request.client.noteFailure(error, of: .rule(decision.rule.label), action: action.word, logger)
                        break
                    }
                }
            }
        }
    }

    /// - Parameters:
    ///   - name: the name of who wrote, if it is not the member that actions are about.
    ///   - typed: the message, if it is or was typed live.
    private func plan(_ input: RuleInput, _ subject: RuleSubject, name: String? = nil, typed: TypedMessage? = nil) -> Work? {
        let profile = current(), rules = profile.rules, now = subject.client.now
        var input = input
        input.describe(subject.chat.info, target: subject.member?.member, trusted: subject.client.trustedPeople, at: now)
        arrivals.count(&input, rules, subject.scopes, at: now, of: typed?.item)
        let mayAnswer = rules.needs.captcha && input.event == .message && subject.member?.isPending == true && typed?.isFinished != false
        let decisions = rules.decide(input).filter { typed?.isFor($0.rule) ?? true }
        guard !decisions.isEmpty || mayAnswer else { return nil }
        let values = Self.values(input, subject, bot: profile.name, name: name, at: now)
        return { [input] in
            let performer = RulePerformer(subject: subject, profile: profile, values: values, input: input, logger: logger, now: now)
            if mayAnswer, try await performer.answerCaptcha(input.text) { return }
            let typed = try await performer.withAppliedRules(typed)
            let decisions =
                rules.needs.isStored ? try await performer.decide(pending, typed: typed) : decisions.filter { typed?.isFor($0.rule) ?? true }
            try await performer.note(decisions, of: typed)
            logAudited(decisions)
            try await performer.perform(decisions, text: input.text)
        }
    }

    static func values(_ input: RuleInput, _ subject: RuleSubject, bot: String, name: String?, at now: Date) -> TemplateValues {
        TemplateValues(input, subject.chat.info, member: name ?? subject.member?.displayName ?? "", bot: bot, at: now)
    }

    /// Logs what rules in audit mode would have done. The log holds no text of messages.
    private func logAudited(_ decisions: [RuleDecision]) {
        for decision in decisions where decision.isAudit {
            logger.notice(
                "a rule in audit mode applies",
                metadata: [
                    "code": "rules.audit", "rule": "\(decision.rule.label)", "actions": "\(decision.rule.then.map(\.word).joined(separator: ", "))",
                ])
        }
    }
}

/// Counts of events, in memory.
private final class ArrivalCounter: Sendable {
    private struct State {
        var arrivals = Arrivals()
        /// The counts of live messages, by their ids.
        var typed: [ChatItemID: [RateTest.Unit: Int]] = [:]
    }

    /// Messages that were typed live and are remembered at the most; those that were announced first are forgotten first.
    private static let maximumTyped = 1_000

    private let state = Mutex(State())

    /// - Parameter typed: the message, if it is or was typed live.
    func count(_ input: inout RuleInput, _ rules: RuleSet, _ scopes: MemoryScopes, at now: Date, of typed: ChatItemID? = nil) {
        guard rules.rates[input.event] != nil else { return }
        var counted = input
        state.withLock { state in
            let known = typed.flatMap { state.typed[$0] } ?? [:]
            rules.count(&counted, scopes, &state.arrivals, at: now.timeIntervalSince1970, beyond: known)
            guard let typed else { return }
            for unit in RateTest.Unit.allCases { state.typed[typed, default: [:]][unit] = max(known[unit] ?? 0, unit.amount(of: input.text)) }
            if state.typed.count > Self.maximumTyped, let oldest = state.typed.keys.min() { state.typed[oldest] = nil }
        }
        input = counted
    }
}
