package import ChatAPI
package import ChatProtocol

/// The part of a group that an item belongs to, as its author or the one who changes it sees it.
package enum ItemPlace: CaseIterable, Hashable, Sendable {
    /// The chat that all members see.
    case group
    /// The support chat of the acting member with the moderators.
    case ownSupport
    /// The support chat of another member.
    case othersSupport
    /// The comments on a post of a channel.
    case comments

    /// The place of a stored item. The place in a message does not count.
    package init(of stored: StoredItem, for member: GroupMember, in group: GroupInfo) {
        if stored.item.meta.parentItemID != nil {
            self = .comments
            return
        }
        switch stored.scope {
        case nil: self = .group
        case .memberSupport(let subject): self = (subject ?? group.membership.groupMemberID) == member.groupMemberID ? .ownSupport : .othersSupport
        }
    }

    /// The place of a message that comes for the first time. Those who wait to be let in write to the moderators, whatever the message names.
    package init(_ scope: MessageScope?, of member: GroupMember) {
        switch scope {
        case .member(let id)?: self = id == member.memberID ? .ownSupport : .othersSupport
        case nil: self = member.status.isPending ? .ownSupport : .group
        }
    }
}

/// An action of a member: the kind of a message, as far as rights distinguish it. Each has one row in the table of rights, ``GroupAction/right``.
package enum GroupAction: Hashable, Sendable {
    // Messages.
    case write(ItemPlace)
    case writeAsGroup
    /// Edits a message that the member has written itself.
    case edit(ItemPlace)
    case editAsGroup
    /// Edits a message of somebody else.
    case editForeign
    /// Deletes a message that the member has written itself.
    case delete(ItemPlace)
    case deleteAsGroup
    /// Deletes a message of somebody else, also one that comes later.
    case moderate
    case react(ItemPlace)
    /// Describes the file of a message that the member has written itself, or sends it in chunks.
    case sendFile(ItemPlace)
    /// Cancels the file of a message that the member has written itself.
    case cancelFile(ItemPlace)
    /// Describes or cancels the file of a message of somebody else.
    case sendForeignFile
    case closeComments

    // Members.
    case changeProfile
    case setRole
    case block
    case remove
    case letIn
    case leave
    case inviteAsContact(ItemPlace)
    case probe

    // Introductions.
    case announceMember
    case introduceMember
    case inviteMember
    case passInvitation
    case reportConnection
    case forward
    case showHostProfile

    // The roster and the relays of a channel.
    case publishRoster
    case acknowledgeRoster
    case requestRoster
    case announceRelay
    case showRelayCapabilities

    // The group.
    case changeGroup
    case deleteGroup

    /// Messages that no member may send in a group, and those without a meaning there.
    case nothing
}

extension GroupAction: CaseIterable {
    package static var allCases: [GroupAction] {
        let places = ItemPlace.allCases
        return places.map(GroupAction.write) + [.writeAsGroup] + places.map(GroupAction.edit) + [.editAsGroup, .editForeign]
            + places.map(GroupAction.delete) + [.deleteAsGroup, .moderate] + places.map(GroupAction.react)
            + places.map(GroupAction.sendFile) + places.map(GroupAction.cancelFile) + [.sendForeignFile, .closeComments]
            + [.changeProfile, .setRole, .block, .remove, .letIn, .leave] + [.group, .ownSupport, .othersSupport].map(GroupAction.inviteAsContact)
            + [
                .probe, .announceMember, .introduceMember, .inviteMember, .passInvitation, .reportConnection, .forward, .showHostProfile, .publishRoster,
                .acknowledgeRoster, .requestRoster, .announceRelay, .showRelayCapabilities, .changeGroup, .deleteGroup, .nothing,
            ]
    }
}

extension GroupAction {
    /// The action of a message that asks for something else than a change of a stored item; nil for edits, deletions, reactions and files, whose item
    /// decides.
    package init?(_ event: ChatMessageEvent, by member: GroupMember) {
        switch event {
        case .newMessage(let container):
            self = container.isAsGroup ? .writeAsGroup : .write(container.parent == nil ? ItemPlace(container.scope, of: member) : .comments)
        case .file: self = .write(ItemPlace(nil, of: member))
        case .updateMessage, .deleteMessage, .react, .fileDescription, .cancelFile, .fileChunk: return nil
        case .info: self = .changeProfile
        case .memberRole: self = .setRole
        case .restrictMember: self = .block
        case .removeMember: self = .remove
        case .groupLinkAcceptance: self = .letIn
        case .leaveGroup: self = .leave
        case .groupDirectInvitation(_, _, let scope): self = .inviteAsContact(ItemPlace(scope, of: member))
        case .probe, .checkProbe, .confirmProbe: self = .probe
        case .newMember: self = .announceMember
        case .introduceMember: self = .introduceMember
        case .inviteMember: self = .inviteMember
        case .forwardMemberInvitation: self = .passInvitation
        case .memberConnected, .memberConnectedToAll: self = .reportConnection
        case .forwardMessage: self = .forward
        case .groupLinkMember: self = .showHostProfile
        case .groupRoster: self = .publishRoster
        case .acknowledgeRoster: self = .acknowledgeRoster
        case .requestRoster: self = .requestRoster
        case .newGroupRelay: self = .announceRelay
        case .groupRelayCapabilities: self = .showRelayCapabilities
        case .groupInfo, .groupPreferences: self = .changeGroup
        case .deleteGroup: self = .deleteGroup
        case .messageDeleted, .acceptFile, .acceptFileInvitation, .contact, .member, .deleteContact, .groupInvitation, .acceptGroup, .groupLinkInvitation,
            .groupLinkRejection, .groupRelayInvitation, .acceptGroupRelay, .rejectGroupRelay, .testGroupRelay, .memberInfo, .callInvitation, .callOffer,
            .callAnswer,
            .callExtra, .endCall, .ok, .unknown:
            self = .nothing
        }
    }
}
