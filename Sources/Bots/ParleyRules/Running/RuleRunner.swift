internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Parley

/// Turns the decisions of a rule set into actions.
struct RuleRunner: Sendable {
    typealias Work = @Sendable () async throws -> Void

    let rules: RuleSet
    let botName: String
    let logger: Logger

    /// The parts of an event that actions need: what is not there cannot be acted on.
    private struct Subject: Sendable {
        let chat: BotChat
        /// The author, or the member that the event is about.
        var member: BotMember?
        var reply: (@Sendable (String) async throws -> Void)?
        var replyFile: (@Sendable (OutgoingFile) async throws -> Void)?
        var save: (@Sendable (FileSources) async throws -> Void)?
        var react: (@Sendable (String) async throws -> Void)?
        var moderate: (@Sendable () async throws -> Void)?
        var forward: (@Sendable (ChatReference) async throws -> Void)?
        var accept: (@Sendable () async throws -> Void)?
        var reject: (@Sendable () async throws -> Void)?
    }

    func plan(_ message: MessageContext) -> Work? {
        var input = RuleInput(event: .message, kind: message.kind, text: message.text)
        input.mentionsBot = message.mentionsBot
        input.file = message.attachment
        input.mentions = message.item.mentions.count
        input.isForwarded = message.item.meta.forwarded != nil
        return plan(
            input,
            Subject(
                chat: message.chat, member: message.member, reply: { try await message.reply($0) },
                replyFile: { try await message.reply($0) }, save: { try await message.file(from: $0) }, react: { try await message.react($0) },
                moderate: { try await message.moderate() }, forward: { try await message.forward(to: $0) },
                // Members who were admitted meanwhile write there too.
                accept: { if let member = message.member, member.isPending { try await member.accept() } },
                reject: { if let member = message.member, member.isPending { try await member.reject() } }))
    }

    func plan(_ edit: EditContext) -> Work? {
        var input = RuleInput(event: .edited, kind: edit.kind, text: edit.text)
        input.mentionsBot = edit.item.meta.userMention
        input.mentions = edit.item.mentions.count
        input.isForwarded = edit.item.meta.forwarded != nil
        return plan(
            input,
            Subject(
                chat: edit.chat, member: edit.member, reply: { try await edit.reply($0) }, react: { try await edit.react($0) },
                moderate: { try await edit.moderate() }))
    }

    func plan(_ deletion: DeletionContext) -> Work? { plan(RuleInput(event: .deleted), Subject(chat: deletion.chat)) }

    func plan(_ reaction: ReactionContext) -> Work? {
        guard reaction.isAdded else { return nil }
        return plan(
            RuleInput(event: .reaction, emoji: reaction.emoji),
            Subject(chat: reaction.chat, reply: { try await reaction.reply($0) }, react: { try await reaction.react($0) }))
    }

    func plan(_ member: MemberContext) -> Work? {
        var input = RuleInput(event: .member)
        input.change = MembershipEvent(member.change)
        return plan(
            input, Subject(chat: member.chat, member: member.member, accept: { try await member.member.accept() }, reject: { try await member.member.reject() })
        )
    }

    func plan(_ report: ReportContext) -> Work? {
        var input = RuleInput(event: .report, text: report.text)
        input.describe(report.reporter)
        return plan(
            input,
            Subject(
                chat: report.chat, member: report.reportedMember, reply: { try await report.reply($0) }, moderate: { try await report.moderate() }),
            name: report.reporter?.displayName)
    }

    func plan(_ invitation: InvitationContext) -> Work? {
        plan(RuleInput(event: .invitation), Subject(chat: invitation.chat, accept: { try await invitation.join() }))
    }

    func plan(_ contact: ContactContext) -> Work? { plan(RuleInput(event: .connected), Subject(chat: contact.chat)) }

    func plan(_ request: RequestContext) -> Work? {
        let decisions = rules.decide(RuleInput(event: .request))
        guard !decisions.isEmpty else { return nil }
        return {
            logAudited(decisions)
            for action in decisions.lazy.filter({ !$0.isAudit }).flatMap(\.rule.then) {
                switch action {
                case .accept: try await request.accept()
                case .reject: try await request.reject()
                default: break
                }
            }
        }
    }

    /// - Parameter name: the name of who wrote, if it is not the member that actions are about.
    private func plan(_ input: RuleInput, _ subject: Subject, name: String? = nil) -> Work? {
        var input = input
        let now = Date()
        input.chat = subject.chat.kind
        input.sender = input.sender ?? subject.member?.name ?? subject.chat.name
        if input.displayName == nil { input.describe(subject.member) }
        input.target = subject.member?.role
        if let contact = subject.chat.contact {
            input.displayName = contact.profile.displayName
            input.isFromBot = contact.profile.peerType == .bot
        }
        if let group = subject.chat.group { input.groupNames = [group.displayName, group.name] }
        input.minuteOfDay = Int(now.timeIntervalSince1970 / 60) % 1_440
        let decisions = rules.decide(input)
        guard !decisions.isEmpty else { return nil }
        let time = now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
        let member = name ?? subject.member?.displayName ?? ""
        return { [input] in
            logAudited(decisions)
            for decision in decisions where !decision.isAudit {
                var values = TemplateValues(
                    botName: botName, contactName: member.isEmpty ? subject.chat.displayName : member, text: input.text, match: decision.match,
                    command: decision.command, emoji: input.emoji, date: String(time.prefix(10)), time: String(time.dropFirst(11).prefix(5)))
                values.memberName = member
                values.groupName = subject.chat.group?.displayName ?? ""
                for action in decision.rule.then { try await carryOut(action, on: subject, values, spares: decision.rule.exempt) }
            }
        }
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

    /// - Parameter exempt: roles that the rule does not act on.
    private func carryOut(_ action: RuleAction, on subject: Subject, _ values: TemplateValues, spares exempt: Set<GroupMemberRole>) async throws {
        switch action {
        case .send(let template): try await subject.chat.send(template.filled(with: values))
        case .reply(let template):
            let text = template.filled(with: values)
            if let reply = subject.reply { try await reply(text) } else { try await subject.chat.send(text) }
        case .sendFile(let file, let quotes):
            let outgoing = file.outgoing(values)
            if quotes, let reply = subject.replyFile { try await reply(outgoing) } else { try await subject.chat.send(outgoing) }
        case .save(let sources): try await subject.save?(sources)
        case .post(let name, let template):
            guard let channel = await subject.chat.groups.all.first(where: { $0.isChannel && ($0.name == name || $0.displayName == name) }) else {
                throw RuleFailure.noChannel(name)
            }
            try await channel.post(template.filled(with: values))
        case .react(let emoji): try await subject.react?(emoji)
        case .accept: try await subject.accept?()
        case .reject: try await subject.reject?()
        case .forward(let name):
            guard let target = await subject.chat.chats.overview(named: name) else { throw RuleFailure.noChat(name) }
            try await subject.forward?(target.reference)
        case .moderate, .block, .remove, .role:
            // A rule must not turn against those who keep the group, unless it says so.
            guard let member = subject.member, !exempt.contains(member.role) else { return }
            switch action {
            case .moderate: try await subject.moderate?()
            case .block: try await member.block()
            case .remove(let withMessages): try await member.remove(withMessages: withMessages)
            case .role(let role): try await member.setRole(role.role)
            default: break
            }
        }
    }
}

/// Why an action of a rule could not be run.
enum RuleFailure: Error, CustomStringConvertible {
    case noChat(String)
    case noChannel(String)

    var description: String {
        switch self {
        case .noChannel(let name): "there is no channel \"\(name)\" yet: its relays may not have been reached"
        case .noChat(let name): "there is no chat \"\(name)\" to forward to: invite the bot to it, or connect as that contact"
        }
    }
}

extension RuleInput {
    /// Sets what is known of the member who wrote, or whom the event is about.
    fileprivate mutating func describe(_ member: BotMember?) {
        guard let member else { return }
        sender = member.name
        role = member.role
        displayName = member.member.profile.displayName
        isFromBot = member.isBot
        // Others were there before the bot, and when they joined is not known.
        let hasJoinedLater = member.member.category == .post || member.member.category == .invitee
        memberAge = hasJoinedLater ? max(0, Date().timeIntervalSince1970 - member.member.createdAt.timeIntervalSince1970) : nil
    }
}
