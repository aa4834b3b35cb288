import ChatAPI
import ChatProtocol

@testable import ChatRules

/// The page docs/rights.md, which shows the table of rights.
enum RightsPage {
    static var text: String {
        """
        # Rights in groups and channels

        Every message of a member goes through one table of rights, at the member that receives it and before it is forwarded. This page shows the table.
        It is generated: do not edit it. After a change of the table, run
        `PARLEY_WRITE_PAGES=1 swift test --filter '^ChatRulesTests\\.RightsPageTests'`.

        A right depends on the kind of the message, on the role and the status of its author, and on the item that it changes. The item counts as it is
        stored: its author, and the chat that it is in, whatever the message says. Rights never depend on names.

        ## Statuses

        | Status | Rights |
        |---|---|
        | connected, introduced, announced, known by forwarded messages | the table |
        | waits for a review (`pending_review`) | the table, in the rows that say so |
        | waits for approval (`pending_approval`) | the table, in the rows that say so |
        | invited, has not accepted | none |
        | refused (`rejected`) | none. A message of a refused joiner ends its connection |
        | removed, left, group deleted | none. What a member wrote before it left counts when another member passes it on; what a removed member wrote does not |

        ## The table

        "Least role" is the role that has the right with all above it: relay, observer, commenter, author, member, moderator, admin, owner. Where it is
        "bounded", a member has the right only over members up to its own role, and gives no role above its own. If channels differ, the second role is for channels.

        | Action | Message | Least role | Who waits | Blocked for all |
        |---|---|---|---|---|

        """ + GroupAction.allCases.map(row).joined(separator: "\n") + "\n\n" + """
            Messages of a member that is blocked for all are hidden, and it changes nothing that others see. What the block leaves "as before" is passed on to the
            others if it concerns them: its leave. A relay cannot be blocked: it writes nothing of its own.

            For 78 hours after it was sent, a message can be deleted by its author, also if the deletion names its author. A moderator who names itself moderates: it
            has no limit of time.

            ## Introductions

            - The host forwards an invitation (`x.grp.mem.inv`) once, and only to a member that it has introduced to the sender. It introduces a member that
              waits for a review to the moderators only, and a member that waits for approval to no other member.
            - A member accepts a forwarded invitation (`x.grp.mem.fwd`) only if the same host has announced the sender before. Official hosts forward
              invitations without a check, but they announce only members that they have admitted.
            - A removal, a new role and a block are sent to all members. If they concern a moderator, they are also sent to members that wait for a review,
              because these know the moderators.

            ## Tests

            `RightsTableTests` checks the whole table. `MemberRightsTests` and `MemberStatusTests` send every message, from every role and status, to a host
            and to a member, and check the stored and forwarded messages. `IntroductionTests` covers introductions, `HostileRelayTests` and `HostileCommentTests`
            cover relays and subscribers.

            """
    }

    private static func row(_ action: GroupAction) -> String {
        let right = action.right
        var role = text(right.roles)
        if let other = right.rolesInChannels { role += "; in channels: \(text(other))" }
        if right.isBounded { role += ", bounded" }
        if right.reservesRosterRoles { role += "; in channels only an owner gives and takes member, moderator and admin" }
        switch right.origin {
        case .host: role += ", from the host of this profile"
        case .invitee: role += ", from a member that this profile has brought in"
        case .anyone: break
        }
        let pending: String =
            switch (right.standings.contains(.underReview), right.standings.contains(.awaitingApproval)) {
            case (true, true): "yes"
            case (true, false): "for a review"
            default: "no"
            }
        return "| \(title(action)) | \(messages(action)) | \(role) | \(pending) | \(text(right.block)) |"
    }

    private static func text(_ roles: GroupRight.Roles) -> String {
        switch roles {
        case .everyone: "everyone"
        case .from(let role): role.code
        case .relays: "relays only"
        case .relaysOr(let role): "\(role.code), or a relay for roles below member"
        case .nobody: "nobody"
        }
    }

    private static func text(_ effect: GroupRight.BlockEffect) -> String {
        switch effect {
        case .none: "as before"
        case .hides: "hidden"
        case .refusesVisible: "refused, unless the item is hidden"
        case .refuses: "refused"
        }
    }

    private static func text(_ place: ItemPlace) -> String {
        switch place {
        case .group: "in the group"
        case .ownSupport: "in its own support chat"
        case .othersSupport: "in the support chat of another member"
        case .comments: "in comments"
        }
    }

    private static func title(_ action: GroupAction) -> String {
        switch action {
        case .write(let place): "write \(text(place))"
        case .writeAsGroup: "write in the name of the group"
        case .edit(let place): "edit its own message \(text(place))"
        case .editAsGroup: "edit in the name of the group"
        case .editForeign: "edit a message of another member"
        case .delete(let place): "delete its own message \(text(place))"
        case .deleteAsGroup: "delete a post of the channel"
        case .moderate: "delete a message of another member"
        case .react(let place): "react \(text(place))"
        case .sendFile(let place): "describe the file of its own message \(text(place))"
        case .cancelFile(let place): "cancel the file of its own message \(text(place))"
        case .sendForeignFile: "describe or cancel the file of another member"
        case .closeComments: "close a post for comments"
        case .changeProfile: "change its own profile"
        case .setRole: "change a role"
        case .block: "block for all"
        case .remove: "remove a member"
        case .letIn: "admit a waiting member"
        case .leave: "leave"
        case .inviteAsContact(let place): "invite to a direct chat, \(text(place))"
        case .probe: "ask whether a member is a contact"
        case .announceMember: "announce a member"
        case .introduceMember: "introduce a member"
        case .inviteMember: "invite an introduced member"
        case .passInvitation: "forward an invitation"
        case .reportConnection: "report a connection"
        case .forward: "forward messages of other members"
        case .showHostProfile: "show the profile of the host, once"
        case .publishRoster: "sign the roster of members, moderators and admins"
        case .acknowledgeRoster: "acknowledge the roster"
        case .requestRoster: "ask for the roster"
        case .announceRelay: "announce a relay"
        case .showRelayCapabilities: "show what a relay does beside forwarding"
        case .changeGroup: "change the profile or the preferences of the group"
        case .deleteGroup: "delete the group"
        case .nothing: "send anything else"
        }
    }

    private static func messages(_ action: GroupAction) -> String {
        let tags: [ChatEventTag] =
            switch action {
            case .write: [.newMessage, .file]
            case .writeAsGroup: [.newMessage]
            case .edit, .editAsGroup, .editForeign, .closeComments: [.updateMessage]
            case .delete, .deleteAsGroup, .moderate: [.deleteMessage]
            case .react: [.react]
            case .sendFile: [.fileDescription]
            case .cancelFile: [.cancelFile]
            case .sendForeignFile: [.fileDescription, .cancelFile]
            case .changeProfile: [.info]
            case .setRole: [.memberRole]
            case .block: [.restrictMember]
            case .remove: [.removeMember]
            case .letIn: [.groupLinkAcceptance]
            case .leave: [.leaveGroup]
            case .inviteAsContact: [.groupDirectInvitation]
            case .probe: [.probe, .checkProbe, .confirmProbe]
            case .announceMember: [.newMember]
            case .introduceMember: [.introduceMember]
            case .inviteMember: [.inviteMember]
            case .passInvitation: [.forwardMemberInvitation]
            case .reportConnection: [.memberConnected]
            case .forward: [.forwardMessage]
            case .showHostProfile: [.groupLinkMember]
            case .publishRoster: [.groupRoster]
            case .acknowledgeRoster: [.acknowledgeRoster]
            case .requestRoster: [.requestRoster]
            case .announceRelay: [.newGroupRelay]
            case .showRelayCapabilities: [.groupRelayCapabilities]
            case .changeGroup: [.groupInfo, .groupPreferences]
            case .deleteGroup: [.deleteGroup]
            case .nothing: []
            }
        return tags.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
