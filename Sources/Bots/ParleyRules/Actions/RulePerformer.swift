internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Parley

/// Performs the actions of rules for one event.
struct RulePerformer: Sendable {
    let subject: RuleSubject
    let profile: ProfileRules
    let values: TemplateValues
    /// The event, as rules see it.
    let input: RuleInput
    let logger: Logger
    let now: Date

    /// Performs the actions of each rule in their order. An action that fails ends its rule, and the next rule follows: what is remembered of those
    /// that applied is kept.
    func perform(_ decisions: [RuleDecision], text: String) async throws {
        for decision in decisions where !decision.isAudit {
            var values = values
            (values.match, values.command, values.points) = (decision.match, decision.command, decision.points)
            var cases = decision.cases[...]
            for action in decision.rule.then {
                let number = action.value.opensCase ? cases.popFirst() : nil
                do {
                    try await action.value.perform(ActionRun(performer: self, rule: decision.rule, values: values, caseNumber: number, text: text))
                } catch {
                    // The end of the bots: the event is handled at the next start.
                    guard !Task.isCancelled else { throw error }
                    // Another bot that gets no more answers is still moderated.
                    if (error as? ChatCoreError)?.code == .botLoop { continue }
                    subject.client.noteFailure(error, of: .rule(decision.rule.label), action: action.word, logger)
                    // A person who has left out the text of a command gets the reason.
                    if let said = Self.answer(to: error), values.command != nil { try? await reply(MentioningText(texts[said])) }
                    break
                }
            }
        }
    }

    /// The fixed texts of the framework, as the bot has them.
    var texts: BotTexts { subject.client.texts }

    /// The sentence for the person whose command or form has failed; nil for failures with other causes.
    static func answer(to error: any Error) -> BotTexts.Key? {
        switch (error as? ChatCoreError)?.code {
        case .emptyMessage: .nothingSent
        case .noRelay: .nothingPosted
        default: nil
        }
    }

    func reply(_ text: MentioningText) async throws {
        if let reply = subject.reply { try await reply(text) } else { try await subject.chat.send(mentioning: text) }
    }
}

extension BotClient {
    /// Sends a text into the chat of a name; into a channel of the bot, as a post.
    func tell(_ text: String, in name: String) async throws {
        guard let chat = try await destination(name) else { throw RuleFailure.noChat(name) }
        try await chat.announce(text)
    }
}

// MARK: Memory

extension RulePerformer {
    /// Decides which rules apply, and changes the memory. Other events are decided with that from then on, although it is stored when the handler
    /// has ended.
    ///
    /// - Parameter typed: the message, if it is or was typed live.
    func decide(_ pending: PendingMemories, typed: TypedMessage?) async throws -> [RuleDecision] {
        try await pending.inTurn { earlier in
            var memories = try await memories()
            for (scope, change) in earlier { memories[scope]?.anticipate(change) }
            let turn = try await turn(memories, typed), id = pending.add(turn.changes)
            subject.client.atEndOfHandler { pending.remove(id) }
            for (scope, change) in turn.changes { try await subject.client.update(RuleMemory.self, of: subject.state(scope)) { $0.apply(change) } }
            return turn.decisions
        }
    }

    /// The decisions of the rules, with numbers for their cases.
    private func turn(_ memories: [String: RuleMemory], _ typed: TypedMessage?) async throws -> (decisions: [RuleDecision], changes: [PendingMemories.Change]) {
        @Sendable func decide(_ nextCase: inout Int) -> (decisions: [RuleDecision], changes: [PendingMemories.Change]) {
            var turn = RuleTurn(profile.rules, subject.scopes, memories: memories, nextCase: nextCase, now: now.timeIntervalSince1970)
            let decisions = turn.decide(input, typed: typed)
            nextCase = turn.nextCase
            return (decisions, turn.changes)
        }
        if let group = subject.chat.group { return try await subject.client.takeCaseNumbers(in: group.id, decide) }
        var nextCase = 1
        return decide(&nextCase)
    }

    /// A message that is or was typed live, with the rules that have applied to it before.
    func withAppliedRules(_ typed: TypedMessage?) async throws -> TypedMessage? {
        guard var typed, let chat = subject.chat.reference else { return nil }
        typed.applied = Set(try await subject.client.state(AppliedRules.self, of: .live(typed.item, in: chat)).rules)
        return typed
    }

    /// Remembers the rules that apply to a message while it is typed.
    func note(_ decisions: [RuleDecision], of typed: TypedMessage?) async throws {
        guard let typed, !typed.isFinished, !decisions.isEmpty, let chat = subject.chat.reference else { return }
        let keys = decisions.map(\.rule.memoryKey)
        try await subject.client.update(AppliedRules.self, of: .live(typed.item, in: chat)) { $0.add(keys) }
    }

    /// The memories that the rules ask for, by the names of their scopes.
    private func memories() async throws -> [String: RuleMemory] {
        let needs = profile.rules.needs, scopes = subject.scopes
        var names = Set(needs.scopes.map(scopes.name))
        if needs.warnings { names.insert(scopes.target) }
        var memories: [String: RuleMemory] = [:]
        for name in names { memories[name] = try await subject.client.state(RuleMemory.self, of: subject.state(name)) }
        return memories
    }

    /// The record of the group; nil outside of groups.
    func record() async throws -> ModerationRecord? {
        guard let group = subject.chat.group else { return nil }
        return try await subject.client.state(ModerationRecord.self, of: .chat(.group(group.id)))
    }
}

/// Names of timers of rules.
enum CaseTimer {
    /// Ended a block or a role that was given for a time, in earlier versions. Its value is the number of the case.
    static let end = "parley.rules.end"
    /// Sends a schedule of one time.
    static let schedule = "parley.rules.schedule"
}

/// Takes the actions of cases back.
struct CaseUndo: Sendable {
    let client: BotClient
    let group: BotGroup

    /// - Parameters:
    ///   - number: nil for the newest that can be taken back.
    ///   - name: the person who undoes it.
    /// - Returns: a sentence for moderators.
    func undo(_ number: Int?, by name: String) async throws -> String { try await attempt(number, by: name).said }

    /// - Returns: a sentence for moderators, and whether the case was taken back.
    func attempt(_ number: Int?, by name: String) async throws -> (said: String, isUndone: Bool) {
        let scope = StateScope.chat(.group(group.id))
        let record = try await client.state(ModerationRecord.self, of: scope)
        let texts = client.texts
        guard let found = record.open(number) else {
            return (number.map { texts.filled(.caseUnknown, ["number": "\($0)"]) } ?? texts[.caseNothingToUndo], false)
        }
        let values = ["number": "\(found.number)", "action": found.action, "name": found.name]
        if let before = found.undoneBy { return (texts.filled(.caseUndoneBefore, ["number": "\(found.number)", "name": before]), false) }
        guard found.isReversible, let member = found.member.map({ GroupMemberID($0) }) else {
            return (texts.filled(.caseFinal, values), false)
        }
        switch found.action {
        case _ where record.outlasts(found, at: client.now.timeIntervalSince1970): break
        case "block": try await group.member(member).unblock()
        case "role":
            let role = GroupMemberRole(code: found.roleBefore ?? "")
            if case .unknown = role { return (texts.filled(.caseRoleUnknown, values), false) }
            try await group.member(member).setRole(role)
        default:
            try await client.update(RuleMemory.self, of: .person(.member(member, of: group.id))) { $0.apply(.revoked(found.number)) }
        }
        try await client.update(ModerationRecord.self, of: scope, lasting: found.action != "warn") { $0.markUndone(found.number, by: name) }
        if found.expires != nil {
            try await client.cancelEnd(of: found, in: group.id)
            try await client.cancelScheduled(CaseTimer.end, key: "\(group.id)/\(found.number)")
        }
        var undone = found
        undone.undoneBy = name
        client.log(undone, in: group.id)
        return (texts.filled(.caseUndone, values), true)
    }
}
