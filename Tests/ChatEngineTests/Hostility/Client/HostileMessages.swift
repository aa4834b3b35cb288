import ChatAPI
import ChatRules
import SMPCrypto
import SMPWire

@testable import ChatEngine
@testable import ChatProtocol

/// A message of a hostile client, with what it tries.
struct HostileMessage: Sendable {
    var name: String
    var event: ChatMessageEvent
    /// The id of the message; nil for a new one.
    var id: SharedMessageID?

    init(_ name: String, _ event: ChatMessageEvent, id: SharedMessageID? = nil) {
        (self.name, self.event, self.id) = (name, event, id)
    }

    /// The message as an element of a body.
    var element: Bytes { ChatMessage(messageID: id ?? .random(), event: event).body }
}

/// Every message of the protocol, aimed at every member and every message that a hostile client knows.
struct HostileMessages: Sendable {
    /// Members by what they are to the attacker.
    var people: KeyValuePairs<String, MemberID>
    /// Messages by their authors and chats.
    var texts: KeyValuePairs<String, SharedMessageID>
    var profile: GroupProfile

    private static let words = MessageContent.text("attack")
    private static let attackerProfile = Profile(displayName: "attack", fullName: "")

    /// All of them.
    var all: [HostileMessage] { writing + changes + governing + introductions + joining + forwards + others }

    private static func info(_ id: MemberID, as role: GroupMemberRole, key: Ed25519.PublicKey? = nil) -> MemberInfo {
        MemberInfo(memberID: id, role: role, versions: ChatVersions.supported, profile: attackerProfile, key: key)
    }

    private func reference(_ id: SharedMessageID, _ member: MemberID? = nil) -> MessageReference {
        MessageReference(messageID: id, sentAt: .current(), sent: false, memberID: member)
    }

    // MARK: Writing

    private var writing: [HostileMessage] {
        var all: [HostileMessage] = [
            HostileMessage("writes", .newMessage(MessageContainer(content: Self.words))),
            HostileMessage("sends a file as old clients do", .file(FileInvitation(name: "attack", size: 1))),
        ]
        func add(_ name: String, id: SharedMessageID? = nil, _ change: (inout MessageContainer) -> Void) {
            var container = MessageContainer(content: Self.words)
            change(&container)
            all.append(HostileMessage(name, .newMessage(container), id: id))
        }
        add("writes as the group") { $0.asGroup = true }
        add("writes live") { $0.live = true }
        add("writes for a second") { $0.ttl = 1 }
        add("writes as if forwarded") { $0.forward = true }
        add("sends a file") { ($0.content, $0.file) = (.file("x"), FileInvitation(name: "x", size: 1, fileDescription: .pending)) }
        add("sends a file inside messages") { $0.file = FileInvitation(name: "x", size: 20_000, inline: .sent) }
        add("sends a voice message") { $0.content = .voice(text: "", duration: 1) }
        add("sends a link") { $0.content = .text("https://example.org simplex:/contact#x @a #b *c*") }
        add("reports a message") { $0.content = .report(text: "attack", reason: .spam) }
        add("sends what is not known") { $0.content = .unknown(tag: "attack", text: "attack", JSONObject()) }
        for (who, id) in people {
            add("writes into the support chat of \(who)") { $0.scope = .member(id) }
            add("mentions \(who)") { ($0.content, $0.mentions) = (.text("@x"), ["x": id]) }
        }
        for (which, id) in texts {
            add("writes under the id of \(which)", id: id) { _ in }
            add("comments on \(which)") { $0.parent = reference(id) }
            add("quotes \(which)") { $0.quote = QuotedMessage(reference: reference(id, people.first?.value), content: Self.words) }
        }
        return all
    }

    // MARK: Changes

    private var changes: [HostileMessage] {
        let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])
        let scopes: [(String, MessageScope?)] = [("", nil)] + people.map { (" in the support chat of \($0.key)", .member($0.value)) }
        let authors: [(String, MemberID?)] = [("", nil)] + people.map { (" of \($0.key)", $0.value) }
        var all: [HostileMessage] = []
        for (which, id) in texts {
            for (place, scope) in scopes {
                all.append(
                    HostileMessage("edits \(which)\(place)", .updateMessage(MessageUpdate(messageID: id, content: Self.words, scope: scope))))
                for (author, member) in authors {
                    all.append(
                        HostileMessage(
                            "deletes \(which)\(author)\(place)",
                            .deleteMessage(MessageDeletion(messageID: id, memberID: member, scope: scope))))
                    all.append(
                        HostileMessage(
                            "reacts to \(which)\(author)\(place)",
                            .react(MessageReactionChange(messageID: id, memberID: member, scope: scope, reaction: thumb, add: true))))
                }
            }
            var update = MessageUpdate(messageID: id, content: Self.words)
            update.asGroup = true
            all.append(HostileMessage("edits \(which) as the group", .updateMessage(update)))
            update.asGroup = nil
            update.live = true
            all.append(HostileMessage("types \(which)", .updateMessage(update)))
            update.preferences = MessagePreferences(commentsDisabled: true)
            all.append(HostileMessage("closes \(which)", .updateMessage(update)))
            let part = FileDescription(text: "attack", partNumber: 1, isComplete: true)
            all += [
                HostileMessage("describes the file of \(which)", .fileDescription(messageID: id, part)),
                HostileMessage("cancels the file of \(which)", .cancelFile(messageID: id)),
                HostileMessage("sends a chunk of \(which)", .fileChunk(messageID: id, .piece(number: 1, Bytes(repeating: 1, count: 100)))),
                HostileMessage("ends the chunks of \(which)", .fileChunk(messageID: id, .cancel)),
                HostileMessage("accepts the file of \(which)", .acceptFileInvitation(messageID: id, connectionRequest: nil, name: "x")),
            ]
        }
        return all
    }

    // MARK: Members and the group

    private var governing: [HostileMessage] {
        var all: [HostileMessage] = []
        for (who, id) in people {
            for role in [GroupMemberRole.observer, .member, .moderator, .owner] {
                all.append(HostileMessage("makes \(who) \(role.code)", .memberRole(memberID: id, role)))
            }
            for restriction in [MemberRestrictionStatus.blocked, .unrestricted] {
                all.append(HostileMessage("sets the block of \(who)", .restrictMember(memberID: id, MemberRestrictions(restriction: restriction))))
            }
            for withMessages in [false, true] {
                all.append(HostileMessage("removes \(who)", .removeMember(memberID: id, withMessages: withMessages)))
            }
            for acceptance in [GroupAcceptance.accepted, .pendingApproval, .pendingReview] {
                for role in [GroupMemberRole.member, .owner] {
                    all.append(HostileMessage("lets \(who) in", .groupLinkAcceptance(acceptance, role: role, memberID: id)))
                }
            }
        }
        var renamed = profile
        renamed.displayName = "attack"
        var moved = profile
        moved.publicGroup?.publicGroupID = Base64URLBytes(Bytes(repeating: 1, count: 32))
        return all + [
            HostileMessage("renames the group", .groupInfo(renamed)), HostileMessage("gives the group another identity", .groupInfo(moved)),
            HostileMessage("changes preferences", .groupPreferences(GroupPreferences(fullDelete: .init(enable: .on)))),
            HostileMessage("deletes the group", .deleteGroup), HostileMessage("leaves", .leaveGroup),
            HostileMessage("renames itself", .info(Self.attackerProfile)),
        ]
    }

    private var introductions: [HostileMessage] {
        let invitation = IntroInvitation(groupConnectionRequest: "nonsense"), key = Ed25519.generateKeyPair(SystemRandomSource()).publicKey
        var all: [HostileMessage] = []
        for (who, id) in people {
            for role in [GroupMemberRole.observer, .member, .owner, .relay] {
                all += [
                    HostileMessage("announces \(who) as \(role.code)", .newMember(Self.info(id, as: role), scope: nil)),
                    HostileMessage("announces \(who) as \(role.code) with a key", .newMember(Self.info(id, as: role, key: key), scope: nil)),
                    HostileMessage("introduces \(who) as \(role.code)", .introduceMember(Self.info(id, as: role, key: key), restrictions: nil)),
                    HostileMessage("passes on an invitation of \(who) as \(role.code)", .forwardMemberInvitation(Self.info(id, as: role), invitation)),
                ]
            }
            all += [
                HostileMessage("announces \(who) for review", .newMember(Self.info(id, as: .member), scope: .member(id))),
                HostileMessage(
                    "introduces \(who) as blocked",
                    .introduceMember(Self.info(id, as: .member), restrictions: MemberRestrictions(restriction: .blocked))),
                HostileMessage("invites \(who)", .inviteMember(memberID: id, invitation)),
                HostileMessage("is connected to \(who)", .memberConnected(memberID: id)),
                HostileMessage("is connected to all in the name of \(who)", .memberConnectedToAll(memberID: id)),
                HostileMessage("renames \(who)", .memberInfo(memberID: id, Self.attackerProfile)),
                HostileMessage(
                    "invites to a contact in the support chat of \(who)",
                    .groupDirectInvitation(connectionRequest: "nonsense", content: Self.words, scope: .member(id))),
            ]
        }
        return all + [HostileMessage("invites to a contact", .groupDirectInvitation(connectionRequest: "nonsense", content: nil, scope: nil))]
    }

    private var joining: [HostileMessage] {
        var all: [HostileMessage] = []
        for (who, id) in people {
            let from = MemberIDRole(memberID: id, role: .owner), invited = MemberIDRole(memberID: MemberID(Bytes(repeating: 8, count: 12)), role: .owner)
            all += [
                HostileMessage("accepts an invitation as \(who)", .acceptGroup(memberID: id)),
                HostileMessage(
                    "invites in the name of \(who)",
                    .groupInvitation(GroupInvitation(fromMember: from, invitedMember: invited, connectionRequest: "nonsense", groupProfile: profile))),
                HostileMessage(
                    "invites by the link in the name of \(who)",
                    .groupLinkInvitation(
                        GroupLinkInvitation(fromMember: from, fromMemberName: "attack", invitedMember: invited, groupProfile: profile))),
                HostileMessage(
                    "refuses in the name of \(who)",
                    .groupLinkRejection(GroupLinkRejection(fromMember: from, invitedMember: invited, groupProfile: profile, reason: .longName))),
                HostileMessage(
                    "asks for a relay in the name of \(who)",
                    .groupRelayInvitation(
                        GroupRelayInvitation(fromMember: from, fromMemberProfile: Self.attackerProfile, relayMemberID: id, groupLink: "simplex:/c#x"))),
                HostileMessage(
                    "joins a channel as \(who)",
                    .member(profile: Self.attackerProfile, memberID: id, key: Ed25519.generateKeyPair(SystemRandomSource()).publicKey)),
            ]
        }
        return all + [
            HostileMessage("shows a profile as the host", .groupLinkMember(Self.attackerProfile)),
            HostileMessage("offers a relay", .acceptGroupRelay(link: "simplex:/r#nonsense")),
            HostileMessage("tests a relay", .testGroupRelay(challenge: Base64URLBytes([1, 2, 3]), signature: nil)),
            HostileMessage("announces a relay", .newGroupRelay(link: "simplex:/r#nonsense")),
            HostileMessage("refuses to relay", .rejectGroupRelay(.rejoinRejected)),
            HostileMessage("shows what a relay can do", .groupRelayCapabilities(RelayCapabilities(webDomain: "example.org"))),
            HostileMessage(
                "signs no roster", .groupRoster(GroupRoster(version: .first.next, list: InlineFileInvitation(of: RosterList([]).wireBytes)))),
            HostileMessage("acknowledges a roster", .acknowledgeRoster(.first, error: nil)),
            HostileMessage("refuses a roster", .acknowledgeRoster(.first, error: "x")),
            HostileMessage("acknowledges the last roster", .acknowledgeRoster(.first.next, error: nil)),
            HostileMessage("refuses the last roster", .acknowledgeRoster(.first.next, error: "x")),
            HostileMessage("asks for the roster", .requestRoster(nil)),
            HostileMessage("asks for the roster after the last", .requestRoster(.first.next)),
        ] + rosters
    }

    // MARK: Rosters

    private static let attackerKey = Ed25519.generateKeyPair(SystemRandomSource()).publicKey

    /// A roster of the version after the last that makes somebody a moderator, and its list in the message that follows.
    func roster(of id: MemberID) -> (signed: HostileMessage, list: HostileMessage) {
        let list = RosterList([RosterMember(memberID: id, key: Self.attackerKey, role: .admin)]).wireBytes, message = SharedMessageID.random()
        return (
            HostileMessage("makes a roster", .groupRoster(GroupRoster(version: .first.next.next, list: InlineFileInvitation(of: list))), id: message),
            HostileMessage("sends the list of a roster", .fileChunk(messageID: message, .piece(number: 1, list)))
        )
    }

    private var rosters: [HostileMessage] {
        people.flatMap { who, id in
            let roster = roster(of: id)
            return [
                roster.signed, roster.list,
                HostileMessage(
                    "makes \(who) a moderator by a roster", .memberRole(memberID: id, .moderator, key: Self.attackerKey, rosterVersion: .first.next.next)),
                HostileMessage("takes \(who) from the roster", .memberRole(memberID: id, .observer, key: nil, rosterVersion: .first.next.next)),
                HostileMessage("removes \(who) from the roster", .removeMember(memberID: id, withMessages: false, rosterVersion: .first.next.next)),
            ]
        }
    }

    // MARK: In the name of others

    private var forwards: [HostileMessage] {
        let member = people.first { $0.key == "the bystander" }?.value ?? MemberID([1])
        let text = texts.first { $0.key == "the bystander's words" }?.value ?? .random()
        var renamed = profile
        renamed.displayName = "attack"
        let inner: [(String, ChatMessageEvent)] = [
            ("words", .newMessage(MessageContainer(content: Self.words))), ("an edit", .updateMessage(MessageUpdate(messageID: text, content: Self.words))),
            ("a deletion", .deleteMessage(MessageDeletion(messageID: text))),
            ("a moderation", .deleteMessage(MessageDeletion(messageID: text, memberID: member))),
            (
                "a reaction",
                .react(MessageReactionChange(messageID: text, memberID: member, reaction: .emoji(ReactionEmoji.allCases[0]), add: true))
            ),
            ("a role", .memberRole(memberID: member, .observer)), ("a block", .restrictMember(memberID: member, MemberRestrictions(restriction: .blocked))),
            ("a removal", .removeMember(memberID: member, withMessages: true)), ("a leave", .leaveGroup), ("a deletion of the group", .deleteGroup),
            ("a profile", .info(Self.attackerProfile)), ("a profile of the group", .groupInfo(renamed)),
            ("preferences", .groupPreferences(GroupPreferences(fullDelete: .init(enable: .on)))),
            ("a newcomer", .newMember(Self.info(MemberID(Bytes(repeating: 8, count: 12)), as: .member), scope: nil)),
            ("a cancellation", .cancelFile(messageID: text)),
            ("a description", .fileDescription(messageID: text, FileDescription(text: "attack", partNumber: 1, isComplete: true))),
            ("what is not forwarded", .groupLinkAcceptance(.accepted, role: .owner, memberID: member)),
        ]
        let senders: [(String, MessageForward.Sender)] = people.map { ($0.key, .member($0.value, name: "attack")) } + [("the channel", .channel)]
        return senders.flatMap { who, sender in
            inner.map { what, event in
                HostileMessage(
                    "passes on \(what) of \(who)",
                    .forwardMessage(MessageForward(sender: sender, brokerTimestamp: .current()), ChatMessage(messageID: .random(), event: event)))
            }
        }
    }

    // MARK: What belongs nowhere

    private var others: [HostileMessage] {
        let session = WebRTCSession(session: "x", iceCandidates: "x"), type = CallType(media: .audio, encryption: false), call = CallID([1])
        let probe = Bytes(repeating: 7, count: 32)
        return [
            HostileMessage("stands for a deleted message", .messageDeleted), HostileMessage("accepts a file", .acceptFile(name: "x")),
            HostileMessage("asks for a contact", .contact(ContactRequest(profile: Self.attackerProfile))),
            HostileMessage("deletes the contact", .deleteContact),
            HostileMessage("probes", .probe(Probe(probe))), HostileMessage("checks a probe", .checkProbe(ProbeHash(probe))),
            HostileMessage("confirms a probe", .confirmProbe(Probe(probe))), HostileMessage("calls", .callInvitation(call, CallInvitation(callType: type))),
            HostileMessage("offers a call", .callOffer(call, CallOffer(callType: type, session: session))),
            HostileMessage("answers a call", .callAnswer(call, session)),
            HostileMessage("goes on with a call", .callExtra(call, WebRTCExtraInfo(iceCandidates: "x"))), HostileMessage("ends a call", .endCall(call)),
            HostileMessage("tells that all is well", .ok),
            HostileMessage("sends an unknown message", .unknown(ChatEventTag("x.new"), parameters: JSONObject())),
        ]
    }
}
