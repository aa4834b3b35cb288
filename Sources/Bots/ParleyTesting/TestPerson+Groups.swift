internal import ChatAPI
public import ChatProtocol
public import Parley

// Groups that a person keeps or waits for.

extension TestPerson {
    /// Makes a group. The person is its owner.
    public func makeGroup(_ settings: GroupSettings) async throws {
        guard case .groupCreated = try await core.send(.groups(.create(user: user, settings.profile)), as: user) else {
            throw TestRoomError("the group \"\(settings.name)\" was not made")
        }
    }

    /// Invites a bot that the person is connected with to a group.
    ///
    /// - Parameters:
    ///   - name: the name of the bot.
    ///   - group: the name of the group.
    public func invite(_ name: String, to group: String, as role: GroupMemberRole = .member) async throws {
        guard let contact = try await chat(name)?.chatInfo.contact else { throw TestRoomError("\(self.name) is not connected with \(name)") }
        _ = try await core.send(.groups(.add(try await info(of: group).groupID, contact.contactID, role)), as: user)
    }

    /// Changes the profile of a group that the person owns.
    public func update(group: String, _ change: (inout GroupProfile) -> Void) async throws {
        let info = try await info(of: group)
        var profile = info.groupProfile
        change(&profile)
        _ = try await core.send(.groups(.updateProfile(info.groupID, profile)), as: user)
    }

    /// Gives a member of a group another role, once the person knows the member.
    public func setRole(of member: String, in group: String, to role: GroupMemberRole) async throws {
        let (group, id) = try await self.member(member, of: group)
        _ = try await core.send(.groups(.setRole(group, [id], role)), as: user)
    }

    /// Removes a member from a group, once the person knows the member.
    public func remove(_ member: String, from group: String) async throws {
        let (group, id) = try await self.member(member, of: group)
        _ = try await core.send(.groups(.remove(group, [id])), as: user)
    }

    /// A link by which others join a group that the person keeps.
    public func makeLink(to group: String) async throws -> String {
        guard case .groupLinkCreated(_, _, let link) = try await core.send(.groups(.createLink(try await info(of: group).groupID, .member)), as: user) else {
            throw TestRoomError("the link of \"\(group)\" was not made")
        }
        return link.connectionLink.shortLink ?? link.connectionLink.fullLink
    }

    /// Asks to join a group by its link, and does not wait.
    public func join(link: String) async throws { _ = try await core.connect(by: link, as: user) }

    /// Asks to join a group of a bot whose moderators admit new members, and waits until the person can write to them.
    ///
    /// - Parameter id: the id of the group, as `Bot.groups` has it.
    public func askToJoin(group id: String) async throws {
        guard let group = room.profiles.flatMap(\.managedGroups).first(where: { $0.id == id || $0.name == id }), let link = group.link else {
            throw TestRoomError("no bot keeps a group \"\(id)\" with a link")
        }
        try await join(link: link)
        try await wait("\(name) waits to be admitted to \(group.name)") {
            guard case .group(let info, _)? = try await self.chat(group.name)?.chatInfo else { return false }
            return [.pendingReview, .pendingApproval, .connected, .complete].contains(info.membership.status)
        }
    }

    /// Asks to join a group by the link of a bot that keeps it, and waits until the host refuses.
    ///
    /// - Parameter id: the id of the group, as `Bot.groups` has it.
    public func expectRejection(from id: String, file: String = #fileID, line: Int = #line) async throws {
        guard let group = room.profiles.flatMap(\.managedGroups).first(where: { $0.id == id || $0.name == id }), let link = group.link else {
            throw TestRoomError("no bot keeps a group \"\(id)\" with a link")
        }
        try await join(link: link)
        do {
            try await wait("\(group.name) refuses \(name)") {
                guard case .group(let info, _)? = try await self.chat(group.name)?.chatInfo else { return false }
                return info.membership.status == .rejected
            }
        } catch is TestRoomError {
            throw ConversationError(message: "\(name) expected not to be let into \(group.name)", conversation: "", file: file, line: line)
        }
    }

    /// Waits for an invitation to a group, and accepts it.
    public func acceptInvitation(to group: String) async throws {
        try await wait("\(name) is invited to \(group)") {
            guard case .group(let info, _)? = try await self.chat(group)?.chatInfo else { return false }
            return info.membership.status == .invited
        }
        _ = try await core.send(.groups(.join(try await info(of: group).groupID)), as: user)
    }

    /// Waits until the person is a member of a group who can write there.
    public func expectMembership(of group: String, file: String = #fileID, line: Int = #line) async throws {
        do {
            try await wait("\(name) becomes a member of \(group)") {
                guard case .group(let info, _)? = try await self.chat(group)?.chatInfo else { return false }
                return info.membership.status == .connected || info.membership.status == .complete
            }
        } catch is TestRoomError {
            throw ConversationError(message: "\(name) expected to become a member of \(group)", conversation: "", file: file, line: line)
        }
    }

    /// Says something to the moderators of a group, whom only they and the person see.
    public func say(_ text: String, toModeratorsOf group: String) async throws {
        guard let target = SendTarget(try await supportChat(of: group)) else { throw TestRoomError("\(name) cannot write to the moderators of \(group)") }
        _ = try await core.send(.messages(.send(to: target, [ComposedMessage(content: .text(text))])), as: user)
    }

    /// Waits until the conversation with the moderators of a group has as many messages of theirs.
    ///
    /// - Returns: the last of them.
    public func expectMessages(_ count: Int, fromModeratorsOf group: String, file: String = #fileID, line: Int = #line) async throws -> TestMessage {
        do {
            try await wait("messages from the moderators") { try await self.supportMessages(in: group).count(where: \.isReceived) >= count }
        } catch is TestRoomError {
            let lines = ((try? await supportMessages(in: group)) ?? []).map { TestMessage($0, own: name).description }
            throw ConversationError(
                message: "\(name) expected \(count) messages from the moderators of \(group)", conversation: lines.joined(separator: "\n"), file: file,
                line: line)
        }
        guard let last = try await supportMessages(in: group).last(where: \.isReceived) else { throw TestRoomError("the conversation is gone") }
        return TestMessage(last, own: name)
    }

    private func supportMessages(in group: String) async throws -> [ChatItem] {
        guard try await chat(group) != nil,
            case .apiChat(_, let page, _) = try await core.send(.chats(.page(try await supportChat(of: group), pagination: .last(100))), as: user)
        else { return [] }
        return page.chatItems.filter(\.isMessage)
    }

    private func supportChat(of group: String) async throws -> ChatReference { .group(try await info(of: group).groupID, scope: .memberSupport(nil)) }

    private func info(of group: String) async throws -> GroupInfo {
        guard case .group(let info, _)? = try await chat(group)?.chatInfo else { throw TestRoomError("\(name) is in no group \"\(group)\"") }
        return info
    }

    private func member(_ name: String, of group: String) async throws -> (GroupID, GroupMemberID) {
        let id = try await info(of: group).groupID
        let find: @Sendable () async throws -> GroupMember? = { [core, user] in
            guard case .groupMembers(_, let listed) = try await core.send(.groups(.members(id)), as: user) else { return nil }
            return listed.members.first { $0.displayName == name && ($0.status == .connected || $0.status == .complete) }
        }
        try await wait("\(self.name) knows the member \(name) of \(group)") { try await find() != nil }
        guard let member = try await find() else { throw TestRoomError("\(name) is no member of \(group)") }
        return (id, member.groupMemberID)
    }
}

extension ChatItem {
    fileprivate var isReceived: Bool { direction.isReceived }
}
