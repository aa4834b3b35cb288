import ChatAPI
import ChatProtocol
import ChatRules

// Commands about messages.

extension CommandRunner {
    /// The transaction that the command is; nil for a question.
    func transaction(of command: MessageCommand) -> (@Sendable (ChatTransaction) throws -> ChatResponse)? {
        switch command {
        case .send(let target, let messages, let isLive, let ttl):
            { transaction in
                try transaction.send(
                    messages.map { Composition($0) }, to: target.chat, isLive: isLive, ttl: ttl, asGroup: target.isAsGroup,
                    of: try transaction.user())
            }
        case .comment(let group, let post, let messages, let isLive, let ttl):
            { transaction in
                try transaction.send(
                    messages.map { Composition($0) }, to: .group(group), isLive: isLive, ttl: ttl, commenting: post, of: try transaction.user())
            }
        case .setCommentsDisabled(let group, let post, let isDisabled): { try $0.setComments(on: post, in: group, areDisabled: isDisabled) }
        case .createNotes(let folder, let messages):
            { transaction in
                try transaction.send(messages.map { Composition($0) }, to: .local(folder), isLive: false, ttl: nil, of: try transaction.user())
            }
        case .update(let chat, let id, let message, let isLive): { try $0.edit(id, in: chat, to: message, isLive: isLive) }
        case .delete(let chat, let ids, let mode): { try $0.deleteItems(ids, of: chat, mode) }
        case .react(let chat, let id, let isAdded, let reaction): { try $0.react(to: id, in: chat, with: reaction, isAdded: isAdded) }
        case .moderate(let group, let ids): { try $0.moderate(ids, of: group) }
        case .report(let group, let item, let reason, let text): { try $0.report(item, in: group, reason: reason, text: text) }
        case .archiveReports(let group): { try $0.archiveReports(of: group) }
        case .deleteReports(let group, let ids, let mode): { try $0.deleteReports(ids, of: group, mode) }
        case .forward, .planForward, .reactionMembers, .share: nil
        }
    }

    func run(_ command: MessageCommand) async throws(ChatCoreError) -> ChatResponse {
        if let transaction = transaction(of: command) { return try await answer(transaction) }
        return switch command {
        case .forward(let target, let source, let ids, let asGroup, let ttl):
            try await forward(ids, from: source, to: target, asGroup: asGroup, ttl: ttl)
        case .planForward(let chat, let ids): try await query { try $0.planForward(ids, from: chat) }
        case .reactionMembers(let user, let group, let item, let reaction):
            try await query { try $0.reactionMembers(user: user, group: group, item: item, reaction: reaction) }
        case .share(let chat, let target): try await share(chat, to: target)
        case .send, .comment, .setCommentsDisabled, .createNotes, .update, .delete, .react, .moderate, .report, .archiveReports, .deleteReports:
            throw ChatCoreError(.notACommand)
        }
    }
}
