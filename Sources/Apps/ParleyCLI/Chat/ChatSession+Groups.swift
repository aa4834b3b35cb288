internal import ChatAPI
internal import ChatProtocol
internal import Hosting

/// Lines about groups.
extension ChatSession {
    func perform(group line: GroupLine) async throws {
        switch line {
        case .open(let name): try await switchToGroup(name)
        case .join(let invitation): try await join(invitation)
        case .add(let name, let role): try await add(name, role)
        case .members: printer.show(try await members(of: openGroup()))
        case .role(let name, let role):
            let (group, member) = try await member(name)
            _ = try await core.send(.groups(.setRole(group.groupInfo.groupID, [member.groupMemberID], role)), as: user.userID)
            printer.say("\(printer.name(member.localDisplayName)) is \(role.code) of \(printer.title(of: group.groupInfo)) now.")
        case .remove(let name, let withMessages):
            let (group, member) = try await member(name)
            try await remove(member, from: group.groupInfo, withMessages: withMessages)
        case .block(let name, let isBlocked): try await block(name, isBlocked)
        case .moderate(let item): try await moderate(item)
        case .report(let reason, let text, let item): try await report(item, reason, text)
        case .link(let role): try await showLink(for: role)
        case .unlink:
            _ = try await core.send(.groups(.deleteLink(openGroup())), as: user.userID)
            printer.say("The link is deleted and can no longer be used to join.")
        case .review(let isOn): try await review(isOn)
        case .support(let name): try await openSupport(of: name)
        case .comment(let text, let post): try await comment(text, on: post)
        case .comments(let post): try await showComments(on: post)
        case .leave:
            let group = try openGroup()
            guard case .leftMemberUser(_, let info) = try await core.send(.groups(.leave(group)), as: user.userID) else {
                throw Outcome.Failed("core.invalidResponse", description: "the group was not left")
            }
            closeChat()
            printer.say("You have left \(printer.title(of: info)). :delete \(printer.title(of: info)) deletes its messages.")
        }
    }

    // MARK: Making, joining, inviting

    /// Opens the group of a name; makes it if there is none.
    private func switchToGroup(_ name: String) async throws {
        let known = try await chats().compactMap(\.chatInfo.groupInfo).first { $0.localDisplayName == name }
        if let known {
            guard known.membership.status != .invited else {
                throw Outcome.BadInput("chat.invited", description: "you are invited to \(VisibleText.name(name)): :join \(VisibleText.name(name))")
            }
            return try await openChat(.group(groupInfo: known, scope: nil), showing: TerminalInput.isTerminal ? 10 : 0)
        }
        // As at other consoles: members may write to each other, and those who join see what was written before.
        let command = ChatCommand.console(.newGroup(name: name, description: nil))
        guard case .groupCreated(_, let group) = try await core.send(command, as: user.userID) else {
            throw Outcome.Failed("core.invalidResponse", description: "no group was made")
        }
        try await openChat(.group(groupInfo: group, scope: nil))
        printer.say("You have made \(printer.title(of: group)). Invite contacts with :add NAME, or anybody with :link.")
    }

    private func join(_ invitation: String?) async throws {
        if let invitation, invitation.contains(":/") { return try await connect(invitation) }
        let invitations = try await chats().compactMap(\.chatInfo.groupInfo).filter { $0.membership.status == .invited }
        let chosen = invitations.filter { invitation == nil || $0.localDisplayName == invitation }
        guard chosen.count == 1, let group = chosen.first else {
            let names = invitations.map { VisibleText.name($0.localDisplayName) }.joined(separator: ", ")
            throw Outcome.BadInput(
                "chat.noInvitation",
                description: invitations.isEmpty ? "you are not invited to any group" : "say which group you join; you are invited to: \(names)")
        }
        connecting += 1
        do {
            _ = try await core.send(.groups(.join(group.groupID)), as: user.userID)
        } catch {
            connecting = max(0, connecting - 1)
            throw error
        }
        printer.say("Joining …")
        if !TerminalInput.isTerminal { try await waitForConnection(within: .seconds(60)) }
    }

    private func add(_ name: String, _ role: GroupMemberRole) async throws {
        let group = try openGroup()
        guard case .direct(let contact) = try await chat(named: name, only: .direct).chatInfo else { return }
        let response = try await core.send(.groups(.add(group, contact.contactID, role)), as: user.userID)
        guard case .sentGroupInvitation(_, let info, _, _) = response else {
            throw Outcome.Failed("core.invalidResponse", description: "no invitation was sent")
        }
        printer.say("\(printer.name(contact.localDisplayName)) is invited to \(printer.title(of: info)) as \(role.code).")
    }

    private func showLink(for role: GroupMemberRole?) async throws {
        let group = try openGroup()
        var response: ChatResponse
        do throws(ChatCoreError) {
            response = try await core.send(.groups(.link(group)), as: user.userID)
            if let role, case .groupLink(_, _, let link) = response, link.acceptMemberRole != role {
                response = try await core.send(.groups(.setLinkRole(group, role)), as: user.userID)
            }
        } catch {
            guard case .store(error: .groupLinkNotFound)? = error.chatError else { throw error }
            response = try await core.send(.groups(.createLink(group, role ?? .member)), as: user.userID)
        }
        switch response {
        case .groupLink(_, _, let link), .groupLinkCreated(_, _, let link): show(link.connectionLink)
        default: throw Outcome.Failed("core.invalidResponse", description: "the link was not shown")
        }
    }

    /// Turns the review of those who join by the link on or off.
    private func review(_ isOn: Bool) async throws {
        let info = try await members(of: openGroup()).groupInfo
        var profile = info.groupProfile
        profile.memberAdmission = isOn ? GroupMemberAdmission(review: .all).keepingUnknownMembers(of: profile.memberAdmission) : nil
        _ = try await core.send(.groups(.updateProfile(info.groupID, profile)), as: user.userID)
        printer.say(isOn ? "Moderators review who joins \(printer.title(of: info)) now." : "Nobody reviews who joins \(printer.title(of: info)) now.")
    }

    // MARK: Members

    /// The group that is open, or whose support chat is.
    func openGroup() throws -> GroupID {
        guard let open, open.type == .group else { throw Outcome.BadInput("chat.noGroup", description: "no group is open: :group NAME") }
        return GroupID(open.id)
    }

    func members(of group: GroupID) async throws -> Group {
        guard case .groupMembers(_, let group) = try await core.send(.groups(.members(group)), as: user.userID) else {
            throw Outcome.Failed("core.invalidResponse", description: "the core did not return the members")
        }
        return group
    }

    /// The member of a name in the open group; upper and lower case count only where they tell two members apart.
    private func member(_ name: String) async throws -> (group: Group, member: GroupMember) {
        let group = try await members(of: openGroup())
        let present = group.members.filter { !$0.status.isRemoved }
        if let member = present.named(name) { return (group, member) }
        let names = present.prefix(Self.namesInErrors).map { VisibleText.name($0.localDisplayName) }.joined(separator: ", ")
        throw Outcome.BadInput(
            "chat.noMember",
            description:
                "the group has no member \"\(VisibleText.line(name))\"; there are: \(names.isEmpty ? "none" : names)\(present.count > Self.namesInErrors ? ", …" : "")"
        )
    }

    private func remove(_ member: GroupMember, from group: GroupInfo, withMessages: Bool = false) async throws {
        _ = try await core.send(.groups(.remove(group.groupID, [member.groupMemberID], withMessages: withMessages)), as: user.userID)
        printer.say("\(printer.name(member.localDisplayName)) is removed from \(printer.title(of: group))\(withMessages ? ", with all messages" : "").")
    }

    /// Answers a member who waits to be let into the open group.
    ///
    /// - Parameter text: the name of the member, and a role for the admitted member.
    /// - Returns: false if no such member waits.
    func answerPendingMember(_ text: String, accept: Bool) async throws -> Bool {
        guard open?.type == .group else { return false }
        let group = try await members(of: openGroup()), pending = group.members.filter(\.status.isPending)
        // A role inside a name does not count.
        let (name, role) = pending.named(text) == nil ? GroupLine.nameAndRole(text) : (text, nil)
        guard let member = pending.named(name) else { return false }
        guard accept else {
            try await remove(member, from: group.groupInfo)
            return true
        }
        _ = try await core.send(.groups(.acceptMember(group.groupInfo.groupID, member.groupMemberID, role ?? .member)), as: user.userID)
        printer.say("\(printer.name(member.localDisplayName)) is let into \(printer.title(of: group.groupInfo)).")
        return true
    }

    private func block(_ name: String, _ isBlocked: Bool) async throws {
        let (group, member) = try await member(name)
        let id = group.groupInfo.groupID, name = printer.name(member.localDisplayName)
        if group.groupInfo.membership.role >= .moderator {
            _ = try await core.send(.groups(.blockForAll(id, [member.groupMemberID], isBlocked)), as: user.userID)
            printer.say("\(name) is \(isBlocked ? "blocked" : "unblocked") for all members.")
        } else {
            let settings = GroupMemberSettings(showsMessages: !isBlocked)
            _ = try await core.send(.groups(.setMemberSettings(id, member.groupMemberID, settings)), as: user.userID)
            printer.say("\(name) is \(isBlocked ? "blocked" : "unblocked") for you; moderators can do so for all.")
        }
    }

    private func moderate(_ id: ChatItemID?) async throws {
        let group = try openGroup()
        let item = try await target(id, in: openReference(), "a message of a member") { $0.direction.isReceived }
        _ = try await core.send(.messages(.moderate(group, [item.id])), as: user.userID)
        printer.say("The message is deleted for all members.")
    }

    /// Reports a message to the moderators of the open group.
    private func report(_ id: ChatItemID?, _ reason: ReportReason, _ text: String) async throws {
        let group = try openGroup()
        let item = try await target(id, in: openReference(), "a message of a member") { $0.direction.isReceived }
        _ = try await core.send(.messages(.report(group, item.id, reason: reason, text: text)), as: user.userID)
        printer.say("The message is reported to the moderators.")
    }

    /// The names that a line can hold, for completion. Where they cannot be read there are none.
    func completionNames() async -> CompletionNames {
        var names = CompletionNames()
        do {
            names.chats = try await chats().map(\.chatInfo.localDisplayName)
            if let open, open.type == .group {
                names.members = try await members(of: openGroup()).members.filter { !$0.status.isRemoved }.map(\.localDisplayName)
            }
        } catch {
            // Completion is a help; the line itself says what is wrong.
        }
        return names
    }

    /// Opens the support chat of a member; without a name one's own.
    private func openSupport(of name: String?) async throws {
        let scope: GroupChatScopeInfo, group: Group
        if let name {
            let found = try await member(name)
            (group, scope) = (found.group, .memberSupport(groupMember: found.member))
        } else {
            (group, scope) = (try await members(of: openGroup()), .memberSupport(groupMember: nil))
        }
        try await openChat(.group(groupInfo: group.groupInfo, scope: scope), showing: TerminalInput.isTerminal ? 10 : 0)
        if !TerminalInput.isTerminal { return }
        printer.say(
            "Only \(name == nil ? "moderators" : "this member and moderators") see what you write now; :open \(printer.title(of: group.groupInfo)) leads back.")
    }

    // MARK: Mentions

    /// Members whom a text mentions with @, by the name used there; at most as many as a message may mention.
    func mentions(in text: String) async throws -> [String: GroupMemberID] {
        guard let open, open.type == .group else { return [:] }
        var mentions: [String: GroupMemberID] = [:]
        let names = Markdown.mentionedNames(in: Markdown.parse(text) ?? [])
        guard !names.isEmpty else { return [:] }
        let members = try await members(of: openGroup()).members.filter { !$0.status.isRemoved }
        for name in names where mentions.count < Self.mentionsLimit && mentions[name] == nil {
            guard let member = members.named(name), !mentions.values.contains(member.groupMemberID) else { continue }
            mentions[name] = member.groupMemberID
        }
        return mentions
    }

    /// Members that one message mentions at the most.
    private static let mentionsLimit = 3
}

extension [GroupMember] {
    /// The member of a name; upper and lower case count only where they tell two apart.
    fileprivate func named(_ name: String) -> GroupMember? {
        if let member = first(where: { $0.localDisplayName == name }) { return member }
        let similar = filter { $0.localDisplayName.lowercased() == name.lowercased() }
        return similar.count == 1 ? similar[0] : nil
    }
}
