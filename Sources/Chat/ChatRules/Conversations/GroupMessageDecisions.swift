package import ChatAPI
package import ChatProtocol

// The decisions about messages of members: pure functions from the sender, the stored item and a time to an action.

/// The members to whom their introducer to the sender forwards a message.
package enum ForwardAudience: Hashable, Sendable {
    /// All members.
    ///
    /// - Parameter includesPending: Whether those who wait to be let in are among them.
    case group(includesPending: Bool)
    /// The member of a support chat, and the moderators.
    case support(GroupMemberID)
    /// All members of a channel, in whose name the message is.
    case channel
    /// The members of a channel whose clients know comments.
    ///
    /// - Parameter asChannel: True if the message is in the name of the channel.
    case comments(asChannel: Bool)
    /// All members of a channel, whose relay is told that it serves it no longer.
    case everybodyAtLast

    /// The audience of messages in a conversation.
    package init(_ chat: GroupConversation) {
        guard chat.post == nil else {
            self = .comments(asChannel: false)
            return
        }
        switch chat.scope {
        case .memberSupport(let subject): self = .support((subject ?? chat.group.membership).groupMemberID)
        case .other, nil: self = .group(includesPending: false)
        }
    }

    /// The audience of events of a member, or about it.
    package init?(eventsOf member: GroupMember) {
        switch member.status {
        case .pendingApproval: return nil
        case .pendingReview: self = .support(member.groupMemberID)
        default: self = .group(includesPending: member.role >= .moderator)
        }
    }
}

/// The decision whether a member may write somewhere, or edit what it has written there.
package enum WritingDecision: Hashable {
    case allow
    case refuse(String)

    /// - Parameter scope: The place that a new message names.
    package init(of member: GroupMember, in scope: MessageScope?) { self.init(.write(ItemPlace(scope, of: member)), by: member) }

    /// - Parameter stored: A message of the member. Its place counts, and no other.
    package init(editing stored: StoredItem, by member: GroupMember, in group: GroupInfo) {
        self.init(
            .edit(ItemPlace(of: stored, for: member, in: group)), by: member, isHidden: stored.isBlockedByAdmin, inChannel: group.usesRelays)
    }

    /// - Parameter isHidden: True if the action changes an item that is out of sight.
    package init(_ action: GroupAction, by member: GroupMember, isHidden: Bool = false, inChannel: Bool = false) {
        switch (RightDecision(action, by: ActingMember(member, isForwarded: true), isHidden: isHidden, inChannel: inChannel), action) {
        case (.allow, _), (.hide, _): self = .allow
        case (.refuse(.role), .write(.othersSupport)), (.refuse(.role), .edit(.othersSupport)), (.refuse(.role), .inviteAsContact(.othersSupport)):
            self = .refuse("member is not allowed to send to this support chat")
        case (.refuse(.blocked), _): self = .refuse("member is not allowed to change messages while it is blocked")
        case (.refuse, _): self = .refuse("member is not allowed to send messages")
        }
    }
}

/// The decision about a deletion that a member asks for.
package enum GroupDeletionDecision: Hashable {
    /// Deletes a message of the sender.
    case delete
    /// Deletes a message as a moderator.
    case moderate
    /// Deletes a message that comes later, as a moderator.
    case wait(author: MemberID)
    case refuse(String)

    /// - Parameters:
    ///   - stored: The item; nil if it is not there.
    package init(_ deletion: MessageDeletion, by sender: GroupMember, of stored: StoredItem?, in group: GroupInfo, at time: UTCTimestamp) {
        guard let stored else {
            let author = deletion.memberID ?? sender.memberID
            if author == sender.memberID {
                self = .refuse("x.msg.del: message not found")
            } else {
                switch RightDecision(.moderate, by: ActingMember(sender, isForwarded: true)) {
                case .allow, .hide: self = .wait(author: author)
                case .refuse(.role):
                    self = .refuse("x.msg.del: message not found, message of another member with insufficient member permissions")
                case .refuse(let refusal): self = .refuse(refusal.text(.deleteMessage))
                }
            }
            return
        }
        switch stored.item.direction {
        case .groupReceived(let author) where author.memberID == sender.memberID:
            let action = GroupAction.delete(ItemPlace(of: stored, for: sender, in: group))
            let isHidden = stored.isBlockedByAdmin
            switch RightDecision(action, by: ActingMember(sender, isForwarded: true), isHidden: isHidden, inChannel: group.usesRelays) {
            case .refuse(let refusal):
                self = .refuse(refusal.text(.deleteMessage))
                return
            case .allow, .hide: break
            }
            if deletion.onlyHistory == true, deletion.memberID == nil {
                self = ChannelRules.isEditor(sender, in: group) ? .delete : .refuse("x.msg.del: member attempted invalid message delete")
                return
            }
            // Who moderates may name itself, too. Everybody else has the time that its own messages can be taken back in, whomever it names.
            if deletion.memberID != nil, case .moderate = Self.moderation(of: author, deletion, by: sender) {
                self = .moderate
            } else {
                self =
                    ItemRules.acceptsDeletion(of: stored.item, at: time)
                    ? .delete : .refuse("x.msg.del: member attempted invalid message delete")
            }
        case .groupReceived(let author): self = Self.moderation(of: author, deletion, by: sender)
        case .groupSent: self = Self.moderation(of: group.membership, deletion, by: sender)
        default: self = .refuse("x.msg.del: invalid message deletion")
        }
    }

    private static func moderation(of author: GroupMember, _ deletion: MessageDeletion, by sender: GroupMember) -> GroupDeletionDecision {
        guard let named = deletion.memberID else {
            return .refuse("x.msg.del: member attempted invalid message delete")
        }
        guard named == author.memberID else { return .refuse("x.msg.del: message of another member with incorrect memberId") }
        switch RightDecision(.moderate, by: ActingMember(sender, isForwarded: true), over: [author.role]) {
        case .allow, .hide: return .moderate
        case .refuse(.role): return .refuse("x.msg.del: message of another member with insufficient member permissions")
        case .refuse(let refusal): return .refuse(refusal.text(.deleteMessage))
        }
    }
}

/// The decision about an edit by a member.
package enum GroupEditDecision: Hashable {
    case insert
    case unchanged
    case replace(isEdited: Bool, isLive: Bool)
    case refuse(String)

    package init(_ update: MessageUpdate, by sender: GroupMember, of stored: StoredItem?) {
        guard let stored else {
            self = .insert
            return
        }
        guard case .groupReceived(let author) = stored.item.direction, let old = stored.message else {
            self = .refuse("x.msg.update: invalid message update")
            return
        }
        guard author.memberID == sender.memberID else {
            self = .refuse("x.msg.update: group member attempted to update a message of another member")
            return
        }
        let wasLive = stored.item.meta.isLive == true
        self = old == update.content && !wasLive ? .unchanged : .replace(isEdited: !wasLive, isLive: update.live == true)
    }
}

extension StoredItem {
    /// True for an item that came while its author was blocked for all, and that is out of sight.
    package var isBlockedByAdmin: Bool { if case .blockedByAdmin? = item.meta.deleted { true } else { false } }
}

extension ChatMessageEvent {
    /// True for changes of members and of the group, and for deletions by moderators. None of them is shown as a message of its author, and the same
    /// change twice is one.
    package var governsMembers: Bool {
        if case .deleteMessage(let deletion) = self { return deletion.memberID != nil }
        return tag.requiresSignature
    }
}
