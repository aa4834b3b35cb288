import ChatAPI
import ChatProtocol

extension UserState {
    /// Takes in all members of a group.
    mutating func loadMembers(_ group: Group, _ changes: inout [ChatModelChange]) {
        let id = group.groupInfo.groupID
        guard !deletedChats.contains(.group(id)) else { return }
        var loaded = members[id] ?? GroupMembers()
        loaded.load(group.members)
        place(loaded, of: id, &changes)
    }

    /// Puts the members of a group in their place.
    mutating func place(_ loaded: GroupMembers, of group: GroupID, _ changes: inout [ChatModelChange]) {
        guard loaded != members[group] else { return }
        members[group] = loaded
        changes.append(.members(user.userID, group))
    }

    /// Takes in members of a group whose members are being loaded, or are loaded; of other groups none are kept.
    mutating func take(_ report: MemberReport, _ changes: inout [ChatModelChange]) {
        updateMembers(of: report.group, &changes) { members in
            var isChanged = report.replaced.map { members.remove($0) } ?? false
            for var member in report.members where member.category != .user {
                if !report.hasCounts, let known = members[member.groupMemberID] { member.keepLater(known) }
                if members.set(member) { isChanged = true }
            }
            return isChanged
        }
    }

    /// Takes in the counts of a support chat that come with an item of it.
    mutating func take(_ info: ChatInfo, with item: ChatItem? = nil, _ changes: inout [ChatModelChange]) {
        guard case .group(let group, .memberSupport(let subject?)?) = info else { return }
        updateMembers(of: group.groupID, &changes) { members in
            guard var member = members[subject.groupMemberID] else { return members.set(subject) }
            if let told = subject.supportChat, member.supportChat.map({ $0.chatTimestamp < told.chatTimestamp }) ?? true {
                member.supportChat = told
            } else if let item, item.isUnread, !item.isMessage, members.countedItems[subject.groupMemberID].map({ $0 < item.id }) ?? true {
                // The core counts items that are no messages after it has reported them.
                members.countedItems[subject.groupMemberID] = item.id
                member.supportChat?.count(item, of: subject.groupMemberID, 1)
            }
            return members.set(member)
        }
    }

    /// Takes in that items of a support chat were read.
    ///
    /// - Parameters:
    ///   - count: How many were read.
    ///   - items: Those that are loaded, as they were before.
    mutating func markRead(_ count: Int, items: [ChatItem], in reference: ChatReference, _ changes: inout [ChatModelChange]) {
        guard case .memberSupport(let subject?) = reference.scope else { return }
        updateMembers(of: GroupID(reference.id), &changes) { members in
            guard var member = members[subject], member.supportChat != nil else { return false }
            for item in items { member.supportChat?.count(item, of: subject, -1) }
            // Of items that are not loaded it is not known who wrote them: only those by the member need attention at all.
            let others = max(0, count - items.count)
            member.supportChat?.unread.decrease(by: others)
            if let unread = member.supportChat?.unread { member.supportChat?.memberAttention.limit(to: unread) }
            return members.set(member)
        }
    }

    /// Takes in that a contact has another name or profile: a member who is the same person has it, too.
    mutating func updateMembers(for contact: Contact, _ changes: inout [ChatModelChange]) {
        for id in members.keys {
            updateMembers(of: id, &changes) { members in
                var isChanged = false
                for var member in members.all where member.contactID == contact.contactID && member.profileID == contact.profile.profileID {
                    member.take(contact)
                    if members.set(member) { isChanged = true }
                }
                return isChanged
            }
        }
    }

    /// Changes the members of a group whose members are kept.
    ///
    /// - Parameter change: Returns true if anything is different.
    mutating func updateMembers(of group: GroupID, _ changes: inout [ChatModelChange], _ change: (inout GroupMembers) -> Bool) {
        guard members[group] != nil, change(&members[group, default: GroupMembers()]) else { return }
        changes.append(.members(user.userID, group))
    }
}

extension ChatModelState {
    /// Takes in the members that an event or an answer shows.
    mutating func take(_ report: MemberReport?, _ user: User?, _ changes: inout [ChatModelChange]) {
        guard let report, let user else { return }
        mutate(user) { $0.take(report, &changes) }
    }
}

extension GroupMember {
    /// Counts of a support chat are kept unless the member shows later ones.
    fileprivate mutating func keepLater(_ known: GroupMember) {
        guard let kept = known.supportChat else { return }
        if supportChat.map({ $0.chatTimestamp <= kept.chatTimestamp }) ?? true { supportChat = kept }
    }
}

extension GroupSupportChat {
    /// Counts an item that came, or that was read, in the support chat of `subject`.
    fileprivate mutating func count(_ item: ChatItem, of subject: GroupMemberID, _ change: Int) {
        unread.decrease(by: -change)
        if item.direction.member?.groupMemberID == subject { memberAttention.decrease(by: -change) }
        if item.meta.userMention { mentions.decrease(by: -change) }
    }
}

extension Int {
    fileprivate mutating func decrease(by count: Int) { self = Swift.max(0, self - count) }
    fileprivate mutating func limit(to bound: Int) { self = Swift.min(self, bound) }
}
