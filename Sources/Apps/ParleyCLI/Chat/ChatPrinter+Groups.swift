internal import ChatAPI
internal import ChatProtocol
internal import Hosting

/// The lines about groups.
extension ChatPrinter {
    /// The name of a chat in lines: a group after `#`, a support chat with the name of its member.
    func title(of info: ChatInfo) -> String {
        guard case .group(let group, let scope) = info else { return name(info.localDisplayName) }
        switch scope {
        case .memberSupport(let member?): return "\(title(of: group)) (support of \(name(member.localDisplayName)))"
        case .memberSupport(nil): return "\(title(of: group)) (support)"
        case nil, .other: return title(of: group)
        }
    }

    func title(of group: GroupInfo) -> String { "#\(name(group.localDisplayName))" }

    /// The author of something: the contact, or the member with the group.
    func speaker(_ info: ChatInfo, _ direction: ItemDirection) -> String {
        guard info.chatType == .group else { return name(info.localDisplayName) }
        guard let member = direction.member else { return title(of: info) }
        return "\(title(of: info)) \(name(member.localDisplayName))"
    }

    /// A group in a list of chats.
    func show(_ chat: Chat, of group: GroupInfo, last: String) {
        let stats = chat.chatStats, isInvited = group.membership.status == .invited
        if json {
            return Output.line(
                Output.object { object in
                    object["event"] = "chat"
                    object["name"] = group.localDisplayName
                    object["group"] = true
                    object["unread"] = stats.unreadCount
                    object["mentions"] = stats.unreadMentions
                    object["reports"] = stats.reportsCount
                    object["attention"] = group.membersRequireAttention
                    object["members"] = group.groupSummary.currentMembers
                    object["role"] = group.membership.role.code
                    object["status"] = group.membership.status.rawValue
                    object["last"] = last
                })
        }
        if isInvited { return Output.line("\(title(of: group)): you are invited: :join \(name(group.localDisplayName))") }
        var notes: [String] = []
        if stats.unreadCount > 0 { notes.append("\(stats.unreadCount) unread") }
        if stats.unreadMentions > 0 { notes.append("\(stats.unreadMentions) mentioning you") }
        if stats.reportsCount > 0 { notes.append("\(stats.reportsCount) reported") }
        if group.membersRequireAttention > 0 { notes.append("\(group.membersRequireAttention) waiting for moderators") }
        if group.membership.status.isRemoved { notes.append("you are no longer a member") }
        let counts = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
        Output.line(title(of: group) + counts + (last.isEmpty ? "" : ": \(VisibleText.line(last, limit: 60))"))
    }

    /// The members of a group, this profile first.
    func show(_ group: Group) {
        let others = group.members.filter { !$0.status.isRemoved }
        for member in [group.groupInfo.membership] + others { show(member, in: group.groupInfo) }
    }

    private func show(_ member: GroupMember, in group: GroupInfo) {
        let isBlocked = member.blockedByAdmin || !member.settings.showsMessages, unread = member.supportChat?.unread ?? 0
        let isOwn = member.category == .user
        if json {
            return Output.line(
                Output.object { object in
                    object["event"] = "member"
                    object["chat"] = group.localDisplayName
                    object["name"] = member.localDisplayName
                    object["role"] = member.role.code
                    object["status"] = member.status.rawValue
                    object["you"] = isOwn ? true : nil
                    object["blocked"] = isBlocked ? true : nil
                    object["supportUnread"] = unread > 0 ? unread : nil
                })
        }
        var notes = [member.role.code]
        if isOwn { notes.append("you") }
        if member.status == .invited { notes.append("invited") }
        if member.status.isPending { notes.append("waits to be let in") }
        if isBlocked { notes.append("blocked") }
        if unread > 0 { notes.append("\(unread) unread in the support chat") }
        Output.line("\(name(member.localDisplayName)) (\(notes.joined(separator: ", ")))")
    }

    /// This profile has joined a group, or waits to be let in.
    func joined(_ group: GroupInfo) {
        let isPending = group.membership.status.isPending
        // A group's welcome message comes from the member who lets in; a channel's is known from its link.
        let welcome = group.usesRelays ? group.groupProfile.description : nil
        if json {
            let chat = JSONValue.string(group.localDisplayName)
            guard let welcome else { return object("joined", ["chat": chat, "pending": .bool(isPending)]) }
            return object("joined", ["chat": chat, "pending": .bool(isPending), "welcome": .string(welcome)])
        }
        Output.line(
            isPending
                ? "You wait to be let into \(title(of: group)); moderators see what you write here." : "You are in \(title(of: group)).")
        if let welcome { Output.line("\(title(of: group)): \(VisibleText.lines(welcome))") }
    }

    /// Shows an event about a group that has no item of its own.
    func showGroup(_ event: ChatEvent) {
        switch event {
        case .receivedGroupInvitation(_, let group, let contact, _, let role):
            if json {
                return object(
                    "invitation",
                    ["chat": .string(group.localDisplayName), "from": .string(contact.localDisplayName), "role": .string(role.code)])
            }
            Output.line(
                "\(name(contact.localDisplayName)) invites you to \(title(of: group)) as \(role.code): :join \(name(group.localDisplayName))")
        case .joinedGroupMember(_, let group, let member), .joinedGroupMemberConnecting(_, let group, _, let member):
            guard member.status.isPending, group.membership.role >= .moderator else { return }
            if json { return object("pending", ["chat": .string(group.localDisplayName), "member": .string(member.localDisplayName)]) }
            let shown = name(member.localDisplayName)
            Output.line("\(shown) asks to be let into \(title(of: group)): :group \(name(group.localDisplayName)), then :accept \(shown) or :reject \(shown)")
        case .groupChatItemsDeleted(_, let group, let ids, byUser: false, let member):
            for id in ids {
                if json {
                    object("deleted", ["chat": .string(group.localDisplayName), "item": id.json])
                } else {
                    Output.line("\(title(of: group)): \(member.map { name($0.localDisplayName) } ?? "a moderator") deleted a message.")
                }
            }
        default: break
        }
    }
}

extension ChatInfo {
    /// Whose support chat it is, by name; nil for other chats.
    var supportSubject: String? {
        guard case .group(let group, .memberSupport(let member)?) = self else { return nil }
        return (member ?? group.membership).localDisplayName
    }
}
