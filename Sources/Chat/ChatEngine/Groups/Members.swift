import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// What commands do with members of groups.

/// Adds, changes, introduces and removes members of groups.
struct Members: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Members of groups.
    var members: Members { Members(transaction: self) }
}

extension Members {
    /// The members that a command names, in the order of the group.
    private func members(_ ids: [GroupMemberID], of group: GroupInfo) throws -> (named: [GroupMember], others: [GroupMember]) {
        if group.usesRelays {
            // Of the members of a channel, of whom there may be very many, only those are read that are named or written to.
            let found = try ids.map { id in
                guard let member = try db.members.find(id), member.groupID == group.groupID, member.category != .user else {
                    throw Refusal.chat(.groupMemberNotFound)
                }
                return member
            }
            return (found, try db.members.relayMembers(of: group.groupID).filter { !ids.contains($0.groupMemberID) })
        }
        let named = Set(ids)
        let members = try db.members.members(of: group.groupID)
        let found = members.filter { named.contains($0.groupMemberID) }
        guard found.count == ids.count else { throw Refusal.chat(.groupMemberNotFound) }
        return (found, members.filter { !named.contains($0.groupMemberID) })
    }

    // MARK: Letting in

    func accept(_ memberID: GroupMemberID, in id: GroupID, as role: GroupMemberRole) throws -> ChatResponse {
        let user = try transaction.user()
        var group = try transaction.conversations.group(id, of: user)
        let member = try transaction.conversations.member(memberID, in: group)
        try transaction.conversations.require(max(.moderator, role), in: group)
        switch member.status {
        case .pendingApproval where member.category == .invitee:
            guard member.activeConnection != nil else { throw Refusal.chat(.groupMemberNotActive) }
            if group.groupProfile.memberAdmission?.review != nil {
                try introduceToModerators(member, in: group)
                try db.members.update(memberID, status: .pendingReview, at: now)
                return .memberAccepted(user: user, groupInfo: group, member: try transaction.conversations.member(memberID, in: group))
            }
            try transaction.outbox.sendDirectly([.groupLinkAcceptance(.accepted, role: role, memberID: member.memberID)], to: member, in: group)
            return try letIn(member, as: role, status: .connected, in: &group, of: user)
        case .pendingReview:
            let moderators = try db.members.moderators(of: id).filter(\.status.isCurrent)
            try transaction.outbox.send(
                .groupLinkAcceptance(.accepted, role: role, memberID: member.memberID),
                to: [member] + moderators.filter { $0.groupMemberID != memberID }, in: group)
            if !member.supports(ChatVersions.groupKnocking) {
                try transaction.outbox.sendDirectly([.newMessage(MessageContainer(content: .text(Self.acceptedText)))], to: member, in: group)
            }
            let isConnected = member.activeConnection?.status == .ready || member.activeConnection?.status == .sendReady
            return try letIn(member, as: role, status: isConnected ? .connected : .announced, in: &group, of: user)
        default: throw Refusal.command("member should be pending approval and invitee, or pending review and not invitee")
        }
    }

    private func letIn(
        _ member: GroupMember, as role: GroupMemberRole, status: GroupMemberStatus, in group: inout GroupInfo, of user: User
    ) throws -> ChatResponse {
        if member.category == .invitee {
            var introduced = member
            introduced.role = role
            try introduce(introduced, in: group)
            try transaction.groupHistory.send(to: member, in: group)
        }
        let accepted = try accept(member, as: role, status: status, in: &group, of: user)
        // The event is shown to all, and in the support chat.
        var main = GroupConversation(group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: accepted, in: &main, of: user)
        var (_, support) = try transaction.conversations.supportChat(of: accepted, in: main.group)
        try transaction.groupItems.addEvent(
            .sentGroupEvent(event: .memberAccepted(groupMemberID: accepted.groupMemberID, profile: accepted.profile.published)), in: &support,
            of: user)
        return .memberAccepted(user: user, groupInfo: group, member: accepted)
    }

    func deleteSupportChat(of memberID: GroupMemberID, in id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        var group = try transaction.conversations.group(id, of: user)
        let member = try transaction.conversations.member(memberID, in: group)
        guard member.supportChat != nil else { throw Refusal.command("member has no support chat") }
        guard !member.status.isPending else { throw Refusal.command("member is pending") }
        try db.supportChats.delete(member: memberID, group: id)
        transaction.effects.removesFiles = true
        let updated = try transaction.conversations.member(memberID, in: group)
        try transaction.groupItems.noteAttention(before: member, after: updated, in: &group)
        return .memberSupportChatDeleted(user: user, groupInfo: group, member: updated)
    }

    // MARK: Roles

    func setRole(_ role: GroupMemberRole, of ids: [GroupMemberID], in id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        guard !ids.contains(group.membership.groupMemberID) else { throw Refusal.command("can't change role for self") }
        let (named, others) = try members(ids, of: group)
        if ids.count > 1, role >= .admin || named.contains(where: { $0.role >= .admin }) {
            throw Refusal.command("can't change role of multiple members when admins selected, or new role is admin")
        }
        guard !named.contains(where: \.status.isPending) else { throw Refusal.command("can't change role of members pending approval") }
        try transaction.conversations.require(max(.admin, role, named.map(\.role).max() ?? .observer), in: group)
        try transaction.rosters.checkChange(of: named.filter { $0.role != role }, to: role, in: group)
        let changed = named.filter { $0.role != role }
        var errors: [ChatError] = []
        var result: [GroupMember] = []
        for member in changed where member.status == .invited {
            let outcome = try attempt { try reinvite(member, as: role, to: group, of: user) }
            switch outcome {
            case .success(let member): result.append(member)
            case .failure(let refusal): errors.append(refusal.error)
            }
        }
        let current = changed.filter { $0.status != .invited }
        let recipients = recipients(ofChangesOf: current, among: named + others)
        let contents = current.map { member in
            ItemContent.sentGroupEvent(
                event: .memberRole(groupMemberID: member.groupMemberID, profile: member.profile.published, role: role))
        }
        // A relay has the roster before it passes on the change.
        let version = try transaction.rosters.publish(current, as: role, in: group)
        let (items, isSigned) = try announceChanges(
            current.map { .memberRole(memberID: $0.memberID, role, key: version == nil ? nil : $0.signingKey, rosterVersion: version) }, contents,
            to: recipients, in: GroupConversation(group), of: user)
        for var member in current {
            try db.members.update(member.groupMemberID, role: role, at: now)
            member.role = role
            result.append(member)
        }
        if !items.isEmpty { emit(.newChatItems(user: user, chatItems: items)) }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        return .membersRoleUser(user: user, groupInfo: group, members: result, role: role, isSigned: isSigned)
    }

    /// Sends the invitation of a contact again, with another role.
    private func reinvite(_ member: GroupMember, as role: GroupMemberRole, to group: GroupInfo, of user: User) throws -> GroupMember {
        guard let contact = member.contactID,
            case .sentGroupInvitation(_, _, _, let invited)? = try transaction.groups.repeatInvitation(of: contact, to: group.groupID, as: role)
        else { throw Refusal.chat(.groupCantResendInvitation(groupInfo: group, contactName: member.localDisplayName)) }
        return invited
    }

    /// Sends events about members together, and adds an item for each.
    private func announceChanges(
        _ events: [ChatMessageEvent], _ contents: [ItemContent], to recipients: [GroupMember], in chat: GroupConversation, of user: User
    ) throws -> (items: [ItemInChat], isSigned: Bool) {
        var chat = chat
        let messages = try events.map { try transaction.outbox.outgoing($0, in: chat.group) }
        try transaction.outbox.send(messages, to: recipients, in: chat.group)
        let items = try zip(messages, contents).map { message, content in
            var draft = ItemDraft(content, isSent: true)
            draft.sharedMessageID = message.id
            draft.group.verification = MessageVerification(message.signature)
            return chat.containing(try transaction.groupItems.add(draft, to: &chat, of: user))
        }
        return (items, messages.contains(where: \.isSigned))
    }

    // MARK: Blocking

    func block(_ ids: [GroupMemberID], _ isBlocked: Bool, in id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        var group = try transaction.conversations.group(id, of: user)
        guard !ids.contains(group.membership.groupMemberID) else { throw Refusal.command("can't block/unblock self") }
        let (named, others) = try members(ids, of: group)
        if ids.count > 1, named.contains(where: { $0.role >= .admin }) {
            throw Refusal.command("can't block/unblock multiple members when admins selected")
        }
        guard !named.contains(where: \.status.isPending) else { throw Refusal.command("can't block/unblock members pending approval") }
        try transaction.conversations.require(max(.moderator, named.map(\.role).max() ?? .observer), in: group)
        let restrictions = MemberRestrictions(restriction: isBlocked ? .blocked : .unrestricted)
        let contents = named.map { member in
            ItemContent.sentGroupEvent(
                event: .memberBlocked(groupMemberID: member.groupMemberID, profile: member.profile.published, blocked: isBlocked))
        }
        let (items, isSigned) = try announceChanges(
            named.map { .restrictMember(memberID: $0.memberID, restrictions) }, contents, to: recipients(ofChangesOf: named, among: others),
            in: GroupConversation(group), of: user)
        if !items.isEmpty { emit(.newChatItems(user: user, chatItems: items)) }
        let changed = try named.map { member in
            try db.members.update(member.groupMemberID, isBlocked: isBlocked, at: now)
            var member = member
            member.blockedByAdmin = isBlocked
            return isBlocked ? member : try transaction.groupProfiles.showWithheldProfile(of: member, in: &group, of: user)
        }
        return .membersBlockedForAllUser(user: user, groupInfo: group, members: changed, blocked: isBlocked, isSigned: isSigned)
    }

    func set(_ settings: GroupMemberSettings, of memberID: GroupMemberID, in id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        _ = try transaction.conversations.member(memberID, in: try transaction.conversations.group(id, of: user))
        try db.members.update(memberID, showsMessages: settings.showsMessages)
        return .cmdOk(user: user)
    }

    // MARK: Removing

    func remove(_ ids: [GroupMemberID], from id: GroupID, withMessages: Bool) throws -> ChatResponse {
        let user = try transaction.user()
        var group = try transaction.conversations.group(id, of: user)
        let (named, others) = try members(ids, of: group)
        if ids.count > 1, named.contains(where: { $0.role >= .admin }) {
            throw Refusal.command("can't remove multiple members when admins selected")
        }
        try transaction.conversations.require(max(.admin, named.map(\.role).max() ?? .observer), in: group)
        try transaction.rosters.checkChange(of: named, to: nil, in: group)
        let all = named + others
        var items: [ItemInChat] = []
        // Messages are taken away first: a member whose messages stay is kept as their author.
        if withMessages {
            for member in named { try transaction.groupItems.moderateMessages(of: member, by: group.membership, in: group) }
        }
        let invited = named.filter { $0.status == .invited }
        try deleteConnections(of: invited, afterDelivery: false, keepsRows: false, user: user)
        for member in invited { try db.members.delete(member, user: user.userID) }
        let current = named.filter { $0.status != .invited && !$0.status.isPending }
        let version = try transaction.rosters.publish(current.filter(\.status.isCurrent), as: nil, in: group)
        items += try remove(
            current, in: GroupConversation(group), tell: recipients(ofChangesOf: current, among: all), withMessages: withMessages, rosterVersion: version,
            of: user)
        for member in named where member.status.isPending {
            let (member, chat) = try transaction.conversations.supportChat(of: member, in: group)
            let relations = try db.members.relations(ofMember: member.groupMemberID)
            let others = all.filter { other in
                guard other.groupMemberID != member.groupMemberID else { return false }
                if member.status == .pendingReview, other.role >= .moderator { return true }
                return other.status.isCurrent && relations[other.indexInGroup] != .new
            }
            items += try remove([member], in: chat, tell: [member] + others, withMessages: withMessages, of: user)
        }
        for member in named where member.status != .invited {
            if member.isRelay { try db.relays.delete(member: member.groupMemberID) }
            try endMembership(of: member, as: .removed, in: &group, keepsRow: false, of: user)
        }
        try transaction.groups.publishMemberCount(of: &group, user: user)
        group = try transaction.conversations.group(id, of: user)
        let shown = items.map { item in
            guard case .group(_, let scope) = item.chatInfo else { return item }
            return ItemInChat(chatInfo: .group(groupInfo: group, scope: scope), chatItem: item.chatItem)
        }
        if !shown.isEmpty { emit(.newChatItems(user: user, chatItems: shown)) }
        let removed = named.map { member in
            var member = member
            member.status = .removed
            return member
        }
        return .userDeletedMembers(
            user: user, groupInfo: group, members: removed, withMessages: withMessages,
            isSigned: items.contains { $0.chatItem.meta.signatureStatus != nil })
    }

    /// The members who are notified of changes of some members: those who can be connected to one of these. A member who waits for a review knows the
    /// moderators.
    private func recipients(ofChangesOf changed: [GroupMember], among members: [GroupMember]) -> [GroupMember] {
        let areModerators = changed.contains { $0.role >= .moderator }
        return members.filter { $0.status.isCurrent || (areModerators && $0.status == .pendingReview) }
    }

    /// Tells members of a removal, and ends the connections with the removed ones once they were told.
    private func remove(
        _ members: [GroupMember], in chat: GroupConversation, tell recipients: [GroupMember], withMessages: Bool,
        rosterVersion: RosterVersion? = nil, of user: User
    ) throws -> [ItemInChat] {
        guard !members.isEmpty else { return [] }
        var chat = chat
        let messages = try members.map { member in
            try transaction.outbox.outgoing(.removeMember(memberID: member.memberID, withMessages: withMessages, rosterVersion: rosterVersion), in: chat.group)
        }
        try transaction.outbox.send(messages, to: recipients, in: chat.group)
        var items: [ItemInChat] = []
        for (member, message) in zip(members, messages) where member.status != .removed && member.status != .left {
            var draft = ItemDraft(
                .sentGroupEvent(event: .memberDeleted(groupMemberID: member.groupMemberID, profile: member.profile.published)), isSent: true)
            draft.sharedMessageID = message.id
            draft.group.verification = MessageVerification(message.signature)
            items.append(chat.containing(try transaction.groupItems.add(draft, to: &chat, of: user)))
        }
        try deleteConnections(of: members, afterDelivery: true, keepsRows: false, user: user)
        return items
    }
}

extension Members {
    /// Admits a member with a role.
    func accept(
        _ member: GroupMember, as role: GroupMemberRole, status: GroupMemberStatus, in group: inout GroupInfo, of user: User
    ) throws -> GroupMember {
        try db.members.update(member.groupMemberID, status: status, at: now)
        try db.members.update(member.groupMemberID, role: role, at: now)
        guard let accepted = try db.members.find(member.groupMemberID) else { return member }
        try transaction.groupItems.noteAttention(before: member, after: accepted, in: &group)
        if let current = try db.groups.find(group.groupID, user: user.userID) { group.groupSummary = current.groupSummary }
        return accepted
    }
}
