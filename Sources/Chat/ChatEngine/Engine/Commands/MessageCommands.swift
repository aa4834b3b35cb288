import ChatAPI

// Commands about messages.

/// Commands about messages.
struct MessageCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about messages.
    var messageCommands: MessageCommands { MessageCommands(runner: self) }
}

extension MessageCommands {
    /// The transaction that the command is; nil for a question.
    func transaction(of command: MessageCommand) -> (@Sendable (ChatTransaction) throws -> ChatResponse)? {
        switch command {
        case .send(let target, let messages, let isLive, let ttl, let isSigned):
            { transaction in
                try transaction.sentMessages.send(
                    messages.map { Composition($0) }, to: target.chat, isLive: isLive, ttl: ttl, asGroup: target.isAsGroup,
                    isSigned: isSigned, of: try transaction.user())
            }
        case .comment(let group, let post, let messages, let isLive, let ttl):
            { transaction in
                try transaction.sentMessages.send(
                    messages.map { Composition($0) }, to: .group(group), isLive: isLive, ttl: ttl, commenting: post, of: try transaction.user())
            }
        case .setCommentsDisabled(let group, let post, let isDisabled): { try $0.comments.setComments(on: post, in: group, areDisabled: isDisabled) }
        case .createNotes(let folder, let messages):
            { transaction in
                try transaction.sentMessages.send(messages.map { Composition($0) }, to: .local(folder), isLive: false, ttl: nil, of: try transaction.user())
            }
        case .update(let chat, let id, let message, let isLive): { try $0.sentMessages.edit(id, in: chat, to: message, isLive: isLive) }
        case .delete(let chat, let ids, let mode): { try $0.sentMessages.delete(ids, of: chat, mode) }
        case .react(let chat, let id, let isAdded, let reaction): { try $0.sentMessages.react(to: id, in: chat, with: reaction, isAdded: isAdded) }
        case .moderate(let group, let ids): { try $0.moderation.moderate(ids, of: group) }
        case .report(let group, let item, let reason, let text): { try $0.moderation.report(item, in: group, reason: reason, text: text) }
        case .archiveReports(let group): { try $0.moderation.archiveReports(of: group) }
        case .deleteReports(let group, let ids, let mode): { try $0.moderation.deleteReports(ids, of: group, mode) }
        case .forward, .planForward, .reactionMembers, .share: nil
        }
    }

    func run(_ command: MessageCommand) async throws(ChatCoreError) -> ChatResponse {
        if let transaction = transaction(of: command) { return try await answer(transaction) }
        return switch command {
        case .forward(let target, let source, let ids, let asGroup, let ttl):
            try await runner.fileCommands.forward(ids, from: source, to: target, asGroup: asGroup, ttl: ttl)
        case .planForward(let chat, let ids): try await query { try $0.forwardedMessages.plan(ids, from: chat) }
        case .reactionMembers(let user, let group, let item, let reaction):
            try await query { try $0.chats.reactionMembers(user: user, group: group, item: item, reaction: reaction) }
        case .share(let chat, let target): try await runner.channelCommands.share(chat, to: target)
        case .send, .comment, .setCommentsDisabled, .createNotes, .update, .delete, .react, .moderate, .report, .archiveReports, .deleteReports:
            throw ChatCoreError(.notACommand)
        }
    }
}
