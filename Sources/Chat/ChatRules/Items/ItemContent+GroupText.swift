package import ChatAPI
import ChatProtocol

// The texts of items that only groups have, as official clients search for them.

extension ItemContent {
    /// The text of an item of a group; nil for all others.
    package var groupText: String? {
        switch self {
        case .receivedGroupInvitation(let invitation, let role): "received " + invitation.text(role)
        case .sentGroupInvitation(let invitation, let role): "sent " + invitation.text(role)
        case .receivedGroupEvent(let event): event.text
        case .sentGroupEvent(let event): event.text
        case .receivedGroupFeature(let feature, let preference, let parameter, let role),
            .sentGroupFeature(let feature, let preference, let parameter, let role):
            feature.stateText(GroupFeatureState(enable: preference.enable, parameter: parameter, role: role))
        case .receivedGroupFeatureRejected(let feature): feature.name + ": received, prohibited"
        case .sentModerated, .receivedModerated: "moderated"
        case .receivedBlocked: "blocked"
        default: nil
        }
    }
}

extension GroupInvitationItem {
    fileprivate func text(_ role: GroupMemberRole) -> String {
        "invitation to join group \(shownName(groupProfile.displayName, groupProfile.fullName)) as \(role.code)"
    }
}

/// A name with the full name behind it, where that says more.
private func shownName(_ displayName: String, _ fullName: String) -> String {
    fullName.isEmpty || fullName == displayName ? displayName : "\(displayName) (\(fullName))"
}

extension Profile {
    fileprivate var shownName: String { ChatRules.shownName(displayName, fullName) }
}

extension ReceivedGroupEvent {
    fileprivate var text: String {
        switch self {
        case .memberAdded(_, let profile): "added \(profile.shownName)"
        case .memberConnected: "connected"
        case .memberAccepted(_, let profile): "accepted \(profile.shownName)"
        case .userAccepted: "accepted you"
        case .memberLeft: "left"
        case .memberRole(_, let profile, let role): "changed role of \(profile.shownName) to \(role.code)"
        case .memberBlocked(_, let profile, let isBlocked): "\(isBlocked ? "blocked" : "unblocked") \(profile.shownName)"
        case .userRole(let role): "changed your role to \(role.code)"
        case .memberDeleted(_, let profile): "removed \(profile.shownName)"
        case .userDeleted: "removed you"
        case .groupDeleted: "deleted group"
        case .groupUpdated: "group profile updated"
        case .invitedViaGroupLink: "invited via your group link"
        case .memberCreatedContact: "started direct connection with you"
        case .memberProfileUpdated: "updated profile"
        case .newMemberPendingReview: "new member wants to join the group"
        case .messageBadSignature: "message rejected: bad signature"
        case .other(let tag, _): tag
        }
    }

    /// True for events that count as unread.
    package var requiresAttention: Bool {
        switch self {
        case .userRole, .userDeleted, .groupDeleted, .newMemberPendingReview: true
        default: false
        }
    }
}

extension SentGroupEvent {
    fileprivate var text: String {
        switch self {
        case .memberRole(_, let profile, let role): "changed role of \(profile.shownName) to \(role.code)"
        case .memberBlocked(_, let profile, let isBlocked): "\(isBlocked ? "blocked" : "unblocked") \(profile.shownName)"
        case .userRole(let role): "changed role for yourself to \(role.code)"
        case .memberDeleted(_, let profile): "removed \(profile.shownName)"
        case .userLeft: "left"
        case .groupUpdated: "group profile updated"
        case .memberAccepted: "you accepted this member"
        case .userPendingReview: "please wait for group moderators to review your request to join the group"
        case .other(let tag, _): tag
        }
    }
}
