internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley

/// Turns the decisions of a rule set into actions.
struct RuleRunner: Sendable {
    typealias Work = @Sendable () async throws -> Void

    let rules: RuleSet
    let botName: String

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
        var input = RuleInput(event: .edited, text: edit.text)
        input.mentionsBot = edit.item.meta.userMention
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
        input.role = report.reporter?.role
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
            for action in decisions.flatMap(\.rule.then) {
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
        input.chat = subject.chat.kind
        input.sender = subject.member?.name ?? subject.chat.name
        input.role = input.role ?? subject.member?.role
        let decisions = rules.decide(input)
        guard !decisions.isEmpty else { return nil }
        let now = Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
        let member = name ?? subject.member?.displayName ?? ""
        return { [input] in
            for decision in decisions {
                var values = TemplateValues(
                    botName: botName, contactName: member.isEmpty ? subject.chat.displayName : member, text: input.text, match: decision.match,
                    command: decision.command, emoji: input.emoji, date: String(now.prefix(10)), time: String(now.dropFirst(11).prefix(5)))
                values.memberName = member
                values.groupName = subject.chat.group?.displayName ?? ""
                for action in decision.rule.then { try await carryOut(action, on: subject, values) }
            }
        }
    }

    private func carryOut(_ action: RuleAction, on subject: Subject, _ values: TemplateValues) async throws {
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
            // Moderators, admins and owners are never acted on: a rule must not turn against those who keep the group.
            guard let member = subject.member, !member.isModerator else { return }
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
