import ChatAPI
import ChatRules
import SMPWire

@testable import ChatEngine
@testable import ChatProtocol

/// A message that a member may send from a role on only, or never.
struct MemberAttack: Sendable {
    /// The tag, and what the message asks for.
    var name: String
    /// The least role with the right to it; nil if no role has it in this situation.
    var right: GroupMemberRole?
    var event: ChatMessageEvent
    /// True if it is sent under the identifier of a message of another member.
    var takesForeignID = false

    var tag: ChatEventTag { event.tag }
}

/// What the messages of an attacker name: members, messages, the group.
struct AttackTargets: Sendable {
    /// The owner, an administrator and a plain member, and a member that nobody knows.
    var owner, admin, member, stranger: MemberID
    /// The attacker.
    var attacker: MemberID
    /// Messages of the owner and of the plain member.
    var ownersMessage, membersMessage: SharedMessageID
    var profile: GroupProfile

    /// Everything that a member can send without the right to it, each with the role that would give it.
    var attacks: [MemberAttack] { roles + removals + introductions + joining + writing + changes + unexpected }

    private func info(_ id: MemberID, as role: GroupMemberRole) -> MemberInfo {
        MemberInfo(memberID: id, role: role, versions: ChatVersions.supported, profile: Profile(displayName: "stranger", fullName: ""))
    }

    private var roles: [MemberAttack] {
        [
            MemberAttack(name: "makes itself an owner", right: .owner, event: .memberRole(memberID: attacker, .owner)),
            MemberAttack(name: "makes a member an observer", right: .admin, event: .memberRole(memberID: member, .observer)),
            MemberAttack(name: "makes a member an owner", right: .owner, event: .memberRole(memberID: member, .owner)),
            MemberAttack(name: "makes the owner an observer", right: .owner, event: .memberRole(memberID: owner, .observer)),
            MemberAttack(name: "sets the role of nobody", right: nil, event: .memberRole(memberID: stranger, .observer)),
            MemberAttack(
                name: "blocks a member", right: .moderator, event: .restrictMember(memberID: member, MemberRestrictions(restriction: .blocked))),
            MemberAttack(
                name: "blocks an administrator", right: .admin,
                event: .restrictMember(memberID: admin, MemberRestrictions(restriction: .blocked))),
            MemberAttack(
                name: "blocks the owner", right: .owner, event: .restrictMember(memberID: owner, MemberRestrictions(restriction: .blocked))),
            MemberAttack(
                name: "blocks nobody", right: .moderator, event: .restrictMember(memberID: stranger, MemberRestrictions(restriction: .blocked))),
        ]
    }

    private var removals: [MemberAttack] {
        [
            MemberAttack(name: "removes a member", right: .admin, event: .removeMember(memberID: member, withMessages: false)),
            MemberAttack(name: "removes a member with its messages", right: .admin, event: .removeMember(memberID: member, withMessages: true)),
            MemberAttack(name: "removes the owner", right: .owner, event: .removeMember(memberID: owner, withMessages: true)),
            MemberAttack(name: "removes nobody", right: nil, event: .removeMember(memberID: stranger, withMessages: true)),
            MemberAttack(name: "deletes the group", right: .owner, event: .deleteGroup),
        ]
    }

    private var introductions: [MemberAttack] {
        let invitation = IntroInvitation(groupConnectionRequest: "nonsense")
        return [
            MemberAttack(name: "announces a member", right: .admin, event: .newMember(info(stranger, as: .member), scope: nil)),
            MemberAttack(name: "announces an owner", right: .owner, event: .newMember(info(stranger, as: .owner), scope: nil)),
            MemberAttack(name: "announces a member for review", right: .admin, event: .newMember(info(stranger, as: .member), scope: .member(stranger))),
            MemberAttack(name: "announces a known member", right: nil, event: .newMember(info(member, as: .observer), scope: nil)),
            MemberAttack(name: "introduces a member", right: nil, event: .introduceMember(info(stranger, as: .member), restrictions: nil)),
            MemberAttack(name: "introduces a known member", right: nil, event: .introduceMember(info(member, as: .owner), restrictions: nil)),
            MemberAttack(name: "invites nobody", right: nil, event: .inviteMember(memberID: stranger, invitation)),
            MemberAttack(name: "forwards an invitation", right: .admin, event: .forwardMemberInvitation(info(stranger, as: .member), invitation)),
            MemberAttack(name: "forwards an owner's invitation", right: .owner, event: .forwardMemberInvitation(info(stranger, as: .owner), invitation)),
            MemberAttack(name: "is connected to nobody", right: nil, event: .memberConnected(memberID: stranger)),
            MemberAttack(name: "is connected to all", right: nil, event: .memberConnectedToAll(memberID: attacker)),
            MemberAttack(
                name: "renames a member", right: nil, event: .memberInfo(memberID: member, Profile(displayName: "renamed", fullName: ""))),
        ]
    }

    private var joining: [MemberAttack] {
        let fromOwner = MemberIDRole(memberID: owner, role: .owner), invited = MemberIDRole(memberID: stranger, role: .owner)
        return [
            MemberAttack(name: "lets itself in as an owner", right: nil, event: .groupLinkAcceptance(.accepted, role: .owner, memberID: attacker)),
            MemberAttack(name: "lets the receiver in", right: nil, event: .groupLinkAcceptance(.accepted, role: .observer, memberID: owner)),
            MemberAttack(name: "sends a member back to its review", right: nil, event: .groupLinkAcceptance(.pendingReview, role: .member, memberID: member)),
            MemberAttack(name: "lets nobody in", right: nil, event: .groupLinkAcceptance(.accepted, role: .member, memberID: stranger)),
            MemberAttack(
                name: "shows a profile as the host", right: nil, event: .groupLinkMember(Profile(displayName: "the host", fullName: ""))),
            MemberAttack(name: "accepts an invitation again", right: nil, event: .acceptGroup(memberID: owner)),
            MemberAttack(
                name: "invites again", right: nil,
                event: .groupInvitation(
                    GroupInvitation(fromMember: fromOwner, invitedMember: invited, connectionRequest: "nonsense", groupProfile: profile))),
            MemberAttack(
                name: "invites again by the link", right: nil,
                event: .groupLinkInvitation(
                    GroupLinkInvitation(fromMember: fromOwner, fromMemberName: "x", invitedMember: invited, groupProfile: profile))),
            MemberAttack(
                name: "refuses the receiver", right: nil,
                event: .groupLinkRejection(
                    GroupLinkRejection(fromMember: fromOwner, invitedMember: invited, groupProfile: profile, reason: .longName))),
            MemberAttack(name: "offers a relay", right: nil, event: .acceptGroupRelay(link: "simplex:/r#nonsense")),
            MemberAttack(
                name: "asks for a relay", right: nil,
                event: .groupRelayInvitation(
                    GroupRelayInvitation(
                        fromMember: fromOwner, fromMemberProfile: Profile(displayName: "x", fullName: ""), relayMemberID: stranger,
                        groupLink: "simplex:/c#nonsense"))),
            MemberAttack(name: "announces a relay", right: nil, event: .newGroupRelay(link: "simplex:/r#nonsense")),
            MemberAttack(name: "refuses to relay", right: nil, event: .rejectGroupRelay(.rejoinRejected)),
            MemberAttack(name: "shows abilities of a relay", right: nil, event: .groupRelayCapabilities(RelayCapabilities())),
            MemberAttack(
                name: "signs a roster", right: nil,
                event: .groupRoster(GroupRoster(version: .first, list: InlineFileInvitation(of: RosterList([]).wireBytes)))),
            MemberAttack(name: "acknowledges a roster", right: nil, event: .acknowledgeRoster(.first, error: nil)),
            MemberAttack(name: "asks for a roster", right: nil, event: .requestRoster(nil)),
            MemberAttack(name: "tests a relay", right: nil, event: .testGroupRelay(challenge: Base64URLBytes([1, 2, 3]), signature: nil)),
        ]
    }

    private var writing: [MemberAttack] {
        var asGroup = MessageContainer(content: .text("attack as the group"))
        asGroup.asGroup = true
        var foreign = MessageContainer(content: .text("attack in a foreign support chat"))
        foreign.scope = .member(member)
        let words = ChatMessageEvent.newMessage(MessageContainer(content: .text("attack")))
        func forwarded(_ author: MemberID, _ event: ChatMessageEvent) -> ChatMessageEvent {
            .forwardMessage(
                MessageForward(sender: .member(author, name: "x"), brokerTimestamp: .current()), ChatMessage(messageID: .random(), event: event))
        }
        return [
            MemberAttack(name: "writes", right: .author, event: words),
            MemberAttack(name: "writes under the identifier of another's message", right: nil, event: words, takesForeignID: true),
            MemberAttack(name: "writes as the group", right: .owner, event: .newMessage(asGroup)),
            MemberAttack(name: "writes into a foreign support chat", right: .moderator, event: .newMessage(foreign)),
            MemberAttack(name: "sends a file as old clients do", right: .author, event: .file(FileInvitation(name: "attack", size: 1))),
            MemberAttack(name: "forwards a message of a member", right: .admin, event: forwarded(member, words)),
            MemberAttack(name: "forwards a message of nobody", right: .admin, event: forwarded(stranger, words)),
            MemberAttack(
                name: "forwards the owner's removal of a member", right: .admin, event: forwarded(owner, .removeMember(memberID: member, withMessages: true))),
            MemberAttack(
                name: "forwards what is not forwarded", right: nil, event: forwarded(stranger, .groupLinkAcceptance(.accepted, role: .owner, memberID: owner))),
            MemberAttack(
                name: "forwards as a channel", right: nil,
                event: .forwardMessage(
                    MessageForward(sender: .channel, brokerTimestamp: .current()), ChatMessage(messageID: .random(), event: words))),
            MemberAttack(
                name: "invites to a contact", right: .author,
                event: .groupDirectInvitation(connectionRequest: "nonsense", content: nil, scope: nil)),
            MemberAttack(
                name: "invites to a contact from a foreign support chat", right: .moderator,
                event: .groupDirectInvitation(connectionRequest: "nonsense", content: nil, scope: .member(member))),
        ]
    }

    private var changes: [MemberAttack] {
        var renamed = profile
        renamed.displayName = "renamed"
        var asGroup = MessageUpdate(messageID: ownersMessage, content: .text("attack"))
        asGroup.asGroup = true
        return [
            MemberAttack(name: "renames the group", right: .owner, event: .groupInfo(renamed)),
            MemberAttack(
                name: "changes preferences", right: .owner, event: .groupPreferences(GroupPreferences(fullDelete: .init(enable: .on)))),
            MemberAttack(
                name: "edits as an observer", right: .author, event: .updateMessage(MessageUpdate(messageID: membersMessage, content: .text("attack")))),
            MemberAttack(name: "edits as the group", right: .owner, event: .updateMessage(asGroup)),
            MemberAttack(
                name: "edits in a foreign support chat", right: .moderator,
                event: .updateMessage(MessageUpdate(messageID: membersMessage, content: .text("attack"), scope: .member(member)))),
            MemberAttack(
                name: "moderates a member's message", right: .moderator,
                event: .deleteMessage(MessageDeletion(messageID: membersMessage, memberID: member))),
            MemberAttack(
                name: "moderates the owner's message", right: .owner,
                event: .deleteMessage(MessageDeletion(messageID: ownersMessage, memberID: owner))),
            MemberAttack(
                name: "moderates a message that comes later", right: .moderator,
                event: .deleteMessage(MessageDeletion(messageID: .random(), memberID: member))),
            MemberAttack(
                name: "deletes a member's message as its own", right: nil, event: .deleteMessage(MessageDeletion(messageID: membersMessage))),
            MemberAttack(
                name: "deletes a member's message under a wrong author", right: .moderator,
                event: .deleteMessage(MessageDeletion(messageID: membersMessage, memberID: admin))),
            MemberAttack(name: "stands for a deleted message", right: nil, event: .messageDeleted),
            MemberAttack(
                name: "describes a file that it has not sent", right: nil,
                event: .fileDescription(messageID: membersMessage, FileDescription(text: "attack", partNumber: 1, isComplete: true))),
            MemberAttack(name: "cancels a file that it has not sent", right: nil, event: .cancelFile(messageID: membersMessage)),
            MemberAttack(
                name: "reacts in a foreign support chat", right: .moderator,
                event: .react(
                    MessageReactionChange(
                        messageID: .random(), memberID: member, scope: .member(member), reaction: .emoji(ReactionEmoji.allCases[0]), add: true))),
        ]
    }

    /// What is sent by contacts, by those who connect, and by nobody.
    private var unexpected: [MemberAttack] {
        let session = WebRTCSession(session: "x", iceCandidates: "x")
        let profile = Profile(displayName: "attack", fullName: "")
        let events: [(String, ChatMessageEvent)] = [
            ("requests a contact", .contact(ContactRequest(profile: profile))), ("deletes the contact", .deleteContact),
            ("accepts a file", .acceptFile(name: "x")),
            ("accepts a message's file", .acceptFileInvitation(messageID: membersMessage, connectionRequest: nil, name: "x")),
            ("calls", .callInvitation(CallID([1]), CallInvitation(callType: CallType(media: .audio, encryption: false), key: nil))),
            ("answers a call", .callAnswer(CallID([1]), session)), ("ends a call", .endCall(CallID([1]))),
            ("tells that all is well", .ok), ("sends what is not known", .unknown(ChatEventTag("x.grp.attack"), parameters: JSONObject())),
            ("confirms a probe that was not sent", .confirmProbe(Probe(Bytes(repeating: 7, count: 32)))),
        ]
        return events.map { MemberAttack(name: $0.0, right: nil, event: $0.1) }
    }
}

extension SharedMessageID {
    static func random() -> SharedMessageID { SharedMessageID((0..<12).map { _ in UInt8.random(in: 0...255) }) }
}
