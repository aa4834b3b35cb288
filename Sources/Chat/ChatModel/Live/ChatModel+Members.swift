public import ChatAPI

extension ChatModel {
    /// The members of a group, loaded when they are first asked for and kept as they are from then on.
    ///
    /// - Throws: ``ChatCoreError``; `errorStore.groupNotFound` for a group that is not there.
    public func members(of group: GroupID, user: UserID) async throws(ChatCoreError) -> GroupMembers {
        if let known = state.members(of: group, user: user), known.isLoaded { return known }
        return try await loadMembers(of: group, user: user)
    }

    /// Loads the members of a group again. Changes of members that are reported meanwhile are not lost.
    ///
    /// - Throws: ``ChatCoreError``; `errorStore.groupNotFound` for a group that is not there.
    @discardableResult public func loadMembers(of group: GroupID, user: UserID) async throws(ChatCoreError) -> GroupMembers {
        change { $0.keepMembers(of: group, user: user) }
        do throws(ChatCoreError) {
            _ = try await send(.groups(.members(group)), as: user)
        } catch {
            if state.members(of: group, user: user)?.isLoaded == false { closeMembers(of: group, user: user) }
            throw error
        }
        guard let members = state.members(of: group, user: user) else {
            throw ChatCoreError(.invalidResponse, "The core did not answer with the members of the group.")
        }
        return members
    }

    /// Forgets the members of a group.
    public func closeMembers(of group: GroupID, user: UserID) { change { $0.closeMembers(of: group, user: user) } }
}

extension ChatModelState {
    /// Keeps the members of a group that are reported from now on.
    mutating func keepMembers(of group: GroupID, user: UserID) {
        guard let state = users[user], state.members[group] == nil, !state.deletedChats.contains(.group(group)) else { return }
        users[user]?.members[group] = GroupMembers()
    }

    /// Forgets the members of a group.
    mutating func closeMembers(of group: GroupID, user: UserID) { users[user]?.members[group] = nil }
}
