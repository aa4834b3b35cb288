package import ChatAPI

extension ChatCore {
    /// Connects by a link of any kind. A channel is subscribed to by all its relays; those that cannot be reached now are tried again.
    ///
    /// - Returns: The answer of the core: that a connection has begun, or the plan for a link by which nothing is to be done.
    package func connect(by link: String, as user: UserID) async throws(ChatCoreError) -> ChatResponse {
        do throws(ChatCoreError) {
            let response = try await send(.connections(.connectLink(link)), as: user)
            if case .connectionPlan(_, _, _, _, .groupLink(.noRelays)) = response { throw Self.noRelays }
            if case .connectionPlan(_, _, _, _, .groupLink(.updateRequired)) = response { throw Self.updateRequired }
            return response
        } catch {
            // The links of channels take two steps more: cores refuse them here, as their data must be read first.
            guard case .chat(.commandError)? = error.chatError, let subscribed = try await subscribe(by: link, as: user) else { throw error }
            return subscribed
        }
    }

    /// The error for a channel that was just made, or whose relays have left.
    private static var noRelays: ChatCoreError { ChatCoreError(.unsupported, "the channel has no relays: nobody can subscribe to it now") }

    /// The error for a public group that is joined in a way of later versions.
    private static var updateRequired: ChatCoreError {
        ChatCoreError(.unsupported, "the link is that of a kind of public group that this version of Parley does not know: install a newer version")
    }

    /// Subscribes to the channel of a link.
    ///
    /// - Returns: Nil for a link that does not belong to a channel.
    private func subscribe(by link: String, as user: UserID) async throws(ChatCoreError) -> ChatResponse? {
        let response = try await send(.connections(.plan(user: user, link: link)), as: user)
        guard case .connectionPlan(_, let created, _, _, .groupLink(let plan)) = response else { return nil }
        switch plan {
        case .ok(let info?, let data?, _) where !info.direct:
            guard case .newPreparedChat(_, let chat) = try await send(.connections(.prepareGroup(user: user, created, direct: false, data)), as: user),
                let group = chat.chatInfo.groupInfo
            else { throw ChatCoreError(.invalidResponse, "the core did not prepare the channel") }
            return try await send(.groups(.connectPrepared(group.groupID)), as: user)
        case .known, .ownLink, .connectingProhibit: return response
        case .noRelays: throw Self.noRelays
        case .updateRequired: throw Self.updateRequired
        default: return nil
        }
    }
}
