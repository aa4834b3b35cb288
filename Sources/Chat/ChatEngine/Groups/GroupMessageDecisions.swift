import ChatAPI
import ChatProtocol

// The decisions about messages of members: pure functions from the sender, the stored item and a time to an action.

/// The members to whom a message is forwarded by the one who introduced them to its sender.
enum ForwardAudience: Hashable, Sendable {
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
    init(_ chat: GroupConversation) {
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
    init?(eventsOf member: GroupMember) {
        switch member.status {
        case .pendingApproval: return nil
        case .pendingReview: self = .support(member.groupMemberID)
        default: self = .group(includesPending: member.role >= .moderator)
        }
    }
}

/// The decision whether a member may write somewhere.
enum WritingDecision: Hashable {
    case allow
    case refuse(String)

    init(of member: GroupMember, in scope: MessageScope?) {
        switch scope {
        case .member(let id)?:
            self = id == member.memberID || member.role >= .moderator ? .allow : .refuse("member is not allowed to send to this support chat")
        case nil:
            self = member.role >= .author || member.status.isPending ? .allow : .refuse("member is not allowed to send messages")
        }
    }
}

/// The decision about a deletion that a member asks for.
enum GroupDeletionDecision: Hashable {
    /// Deletes a message of the sender.
    case delete
    /// Deletes a message as a moderator.
    case moderate
    /// Deletes a message that comes later, as a moderator.
    case wait(author: MemberID)
    case refuse(String)

    /// - Parameters:
    ///   - stored: The item; nil if it is not there.
    ///   - membership: This profile's membership.
    init(_ deletion: MessageDeletion, by sender: GroupMember, of stored: StoredItem?, membership: GroupMember, at time: UTCTimestamp) {
        guard let stored else {
            let author = deletion.memberID ?? sender.memberID
            if author == sender.memberID {
                self = .refuse("x.msg.del: message not found")
            } else if sender.role < .moderator {
                self = .refuse("x.msg.del: message not found, message of another member with insufficient member permissions")
            } else {
                self = .wait(author: author)
            }
            return
        }
        switch stored.item.direction {
        case .groupReceived(let author) where author.memberID == sender.memberID:
            if deletion.memberID == nil {
                self =
                    ItemRules.acceptsDeletion(of: stored.item, at: time)
                    ? .delete : .refuse("x.msg.del: member attempted invalid message delete")
            } else {
                self = .moderate
            }
        case .groupReceived(let author): self = Self.moderation(of: author, deletion, by: sender)
        case .groupSent: self = Self.moderation(of: membership, deletion, by: sender)
        default: self = .refuse("x.msg.del: invalid message deletion")
        }
    }

    private static func moderation(of author: GroupMember, _ deletion: MessageDeletion, by sender: GroupMember) -> GroupDeletionDecision {
        guard let named = deletion.memberID else {
            return .refuse("x.msg.del: member attempted invalid message delete")
        }
        guard named == author.memberID else { return .refuse("x.msg.del: message of another member with incorrect memberId") }
        guard sender.role >= .moderator, sender.role >= author.role else {
            return .refuse("x.msg.del: message of another member with insufficient member permissions")
        }
        return .moderate
    }
}

/// The decision about an edit by a member.
enum GroupEditDecision: Hashable {
    case insert
    case unchanged
    case replace(isEdited: Bool, isLive: Bool)
    case refuse(String)

    init(_ update: MessageUpdate, by sender: GroupMember, of stored: StoredItem?) {
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

extension ChatMessageEvent {
    /// True for changes of members and of the group, and for deletions by moderators. None of them is shown as a message of its author, and the same
    /// change twice is one.
    var governsMembers: Bool {
        if case .deleteMessage(let deletion) = self { return deletion.memberID != nil }
        return tag.requiresSignature
    }
}
