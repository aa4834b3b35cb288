import ChatAPI
import ChatRules

// Commands about calls: commands about a missing call get "not found", as with official cores; commands that begin a call are refused.

/// Commands that this core refuses.
struct UnsupportedCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands that this core refuses.
    var unsupportedCommands: UnsupportedCommands { UnsupportedCommands(runner: self) }
}

extension UnsupportedCommands {
    func run(_ command: CallCommand) async throws(ChatCoreError) -> ChatResponse {
        if case .invitations = command { return .callInvitations(callInvitations: []) }
        guard let id = command.contactID else { return try await refuse("calls") }
        return try await query { transaction in
            _ = try transaction.conversations.contact(id, of: try transaction.user())
            if case .invite = command { throw Refusal.unsupported("calls") }
            throw Refusal.chat(.noCurrentCall)
        }
    }
}

extension CallCommand {
    /// The contact that is called.
    fileprivate var contactID: ContactID? {
        switch self {
        case .invite(let id, _), .reject(let id), .offer(let id, _), .answer(let id, _), .extraInfo(let id, _), .end(let id),
            .status(let id, _):
            id
        case .invitations: nil
        }
    }
}
