import ChatAPI
import ChatProtocol

// Commands about files and calls: what is asked of something that is not there is not found, as with official cores; what would
// begin something is refused.

extension CommandRunner {
    func run(_ command: FileCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .receive(let id, _, _, _, _), .setToReceive(let id, _, _):
            try await query { transaction in
                _ = try transaction.user()
                guard let owner = try transaction.db.userID(ofFile: id), transaction.actor == nil || transaction.actor == owner else {
                    throw Refusal.store(.userNotFoundByFileID(fileID: id))
                }
                throw Refusal.unsupported("receiving files")
            }
        case .cancel(let id), .status(let id):
            try await query { transaction in
                let user = try transaction.user()
                guard try transaction.db.userID(ofFile: id) == user.userID else { throw Refusal.store(.fileNotFound(fileID: id)) }
                throw Refusal.unsupported("files")
            }
        case .upload(let id, _), .download(let id, _, _): try await refuse("files", user: id)
        case .linkInfo: try await refuse("files")
        }
    }

    func run(_ command: CallCommand) async throws(ChatCoreError) -> ChatResponse {
        if case .invitations = command { return .callInvitations(callInvitations: []) }
        guard let id = command.contactID else { return try await refuse("calls") }
        return try await query { transaction in
            _ = try transaction.contact(id, of: try transaction.user())
            if case .invite = command { throw Refusal.unsupported("calls") }
            throw Refusal.chat(.noCurrentCall)
        }
    }

    func refuse(_ what: String, user id: UserID) async throws(ChatCoreError) -> ChatResponse {
        _ = try await query { try $0.user(id) }
        return try await refuse(what)
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
