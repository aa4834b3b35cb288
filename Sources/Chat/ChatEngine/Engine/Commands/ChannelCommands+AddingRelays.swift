import AsyncPrimitives
import ChatAPI
import ChatRules
import ChatStore

// Relays come to a channel that exists.

extension ChannelCommands {
    /// Invites relays to a channel. Relays that serve it, or are invited already, are skipped, so that a failed command can be repeated.
    func addRelays(_ ids: [UserChatRelayID], to id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        guard !ids.isEmpty else { throw ChatCoreError(Refusal.command("no relays").error) }
        return try await core.locks.withLock("group \(id)") { () throws(ChatCoreError) in
            let (user, group, relays) = try await transaction { try $0.channels.beginAddingRelays(ids, to: id) }
            let outcomes = await invite(relays, to: group, user: user)
            let failures = outcomes.compactMap(\.failure)
            let results = outcomes.map { relay, failure in
                AddRelayResult(relay: relay, error: failure.map { $0.chatError ?? .chat(error: .internalError(message: $0.message)) })
            }
            return try await transaction { transaction in
                guard let first = failures.first else {
                    let current = try transaction.conversations.group(id, of: user)
                    return .groupRelaysAdded(
                        user: user, groupInfo: current, groupLink: try transaction.groups.link(of: current), groupRelays: try transaction.db.relays.all(of: id))
                }
                try transaction.channels.removeUninvitedRelays(of: id, user: user)
                // With nothing but the network in the way, the same command can be given again.
                guard failures.allSatisfy(\.isTemporary), failures.count == results.count else {
                    return .groupRelaysAddFailed(user: user, results: results)
                }
                throw first
            }
        }
    }
}
