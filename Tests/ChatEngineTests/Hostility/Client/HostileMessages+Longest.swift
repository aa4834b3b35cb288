import ChatAPI
import ChatRules
import SMPCrypto
import SMPWire

@testable import ChatEngine
@testable import ChatProtocol

// Messages at their longest: each fills a body by itself, by texts, names, lists or identifiers.

extension HostileMessages {
    /// What fits a body beside the frame of a message.
    private static let room = 14_500

    /// One message of each kind that has a part of free length, as long as fits.
    var longest: [HostileMessage] {
        let long = String(repeating: "x", count: Self.room), wide = String(repeating: "😀 ", count: Self.room / 6)
        let member = people.first?.value ?? MemberID([1]), other = people.last?.value ?? MemberID([2]), text = texts.first?.value ?? .random()
        let vast = MemberID(Bytes(repeating: 3, count: 9_000)), vastID = SharedMessageID(Bytes(repeating: 3, count: 9_000))
        let profile = Profile(displayName: String(long.prefix(7_000)), fullName: String(long.prefix(7_000)))
        var pictured = Profile(displayName: "x", fullName: "")
        pictured.image = ImageData("data:image/jpg;base64," + long)
        var described = self.profile
        described.description = long
        let info = MemberInfo(memberID: other, role: .member, versions: ChatVersions.supported, profile: pictured)
        let invitation = IntroInvitation(groupConnectionRequest: long), role = MemberIDRole(memberID: member, role: .owner)
        let session = WebRTCSession(session: long, iceCandidates: ""), call = CallType(media: .video, encryption: true)
        let markdown = String(repeating: "*b* _i_ !1 c! `s` #x# @a https://e.org/?utm_source=x ", count: Self.room / 55)
        let mentions = MessageMentions(Dictionary(uniqueKeysWithValues: (0..<256).map { ("m\($0)", member) }))
        let reference = MessageReference(messageID: text, sentAt: .current(), sent: false, memberID: member)
        let unknown = JSONObject((0..<ChatLimits.listElements).map { ("k\($0)", JSONValue.null) })
        let events: [(String, ChatMessageEvent)] = [
            ("words", .newMessage(MessageContainer(content: .text(long)))), ("wide words", .newMessage(MessageContainer(content: .text(wide)))),
            ("markdown", .newMessage(MessageContainer(content: .text(markdown)))),
            ("unclosed markdown", .newMessage(MessageContainer(content: .text(String(repeating: "*", count: Self.room))))),
            ("brackets", .newMessage(MessageContainer(content: .text(String(repeating: "[x](", count: Self.room / 4))))),
            (
                "mentions",
                .newMessage(MessageContainer(content: .text((0..<256).map { "@m\($0)" }.joined(separator: " ")), mentions: mentions))
            ),
            ("a name of a file", .newMessage(MessageContainer(content: .file(""), file: FileInvitation(name: long, size: 1, fileDescription: .pending)))),
            (
                "a description of a file",
                .newMessage(
                    MessageContainer(
                        content: .file(""),
                        file: FileInvitation(name: "x", size: 1, fileDescription: FileDescription(text: long, partNumber: 0, isComplete: true))))
            ),
            ("a file of old clients", .file(FileInvitation(name: long, size: .max))),
            ("a picture", .newMessage(MessageContainer(content: .image(text: "", image: ImageData(long))))),
            ("an unknown content", .newMessage(MessageContainer(content: .unknown(tag: "x", text: long, JSONObject())))),
            ("a report", .newMessage(MessageContainer(content: .report(text: long, reason: .spam)))),
            ("an edit", .updateMessage(MessageUpdate(messageID: text, content: .text(long)))),
            ("an edit of nothing", .updateMessage(MessageUpdate(messageID: vastID, content: .text("x")))),
            ("a deletion", .deleteMessage(MessageDeletion(messageID: vastID, memberID: member))),
            ("a deletion of a vast member's", .deleteMessage(MessageDeletion(messageID: text, memberID: vast))),
            ("a reaction", .react(MessageReactionChange(messageID: vastID, memberID: member, reaction: .emoji(ReactionEmoji.allCases[0]), add: true))),
            (
                "a part of a description",
                .fileDescription(messageID: text, FileDescription(text: String(long.prefix(14_000)), partNumber: 1, isComplete: false))
            ),
            ("a part that is far away", .fileDescription(messageID: text, FileDescription(text: long, partNumber: .max, isComplete: false))),
            ("a chunk", .fileChunk(messageID: text, .piece(number: 1, Bytes(repeating: 0, count: Self.room)))),
            ("a cancellation", .cancelFile(messageID: vastID)),
            ("an acceptance", .acceptFileInvitation(messageID: text, connectionRequest: long, name: "")), ("an old acceptance", .acceptFile(name: long)),
            ("a profile", .info(profile)), ("a picture of a profile", .info(pictured)), ("a request", .contact(ContactRequest(profile: pictured))),
            ("a subscription", .member(profile: pictured, memberID: member, key: Ed25519.generateKeyPair(SystemRandomSource()).publicKey)),
            (
                "an invitation",
                .groupInvitation(GroupInvitation(fromMember: role, invitedMember: role, connectionRequest: long, groupProfile: self.profile))
            ),
            (
                "an invitation with a description",
                .groupInvitation(GroupInvitation(fromMember: role, invitedMember: role, connectionRequest: "x", groupProfile: described))
            ), ("an accepted invitation", .acceptGroup(memberID: vast)),
            (
                "an invitation by a link",
                .groupLinkInvitation(GroupLinkInvitation(fromMember: role, fromMemberName: "x", invitedMember: role, groupProfile: described))
            ),
            (
                "a refusal", .groupLinkRejection(GroupLinkRejection(fromMember: role, invitedMember: role, groupProfile: described, reason: .longName))
            ), ("the host's profile", .groupLinkMember(pictured)),
            ("an acceptance of a joiner", .groupLinkAcceptance(.accepted, role: .member, memberID: vast)),
            (
                "a relay's invitation",
                .groupRelayInvitation(GroupRelayInvitation(fromMember: role, fromMemberProfile: pictured, relayMemberID: member, groupLink: "x"))
            ), ("a relay's link", .acceptGroupRelay(link: long)),
            ("a new relay", .newGroupRelay(link: long)), ("a refusal of a relay", .rejectGroupRelay(.unknown(long))),
            ("abilities of a relay", .groupRelayCapabilities(RelayCapabilities(webDomain: long))),
            (
                "a roster",
                .groupRoster(
                    GroupRoster(version: .first, list: InlineFileInvitation(size: .max, digest: Base64URLBytes(Bytes(repeating: 1, count: 10_000)))))
            ), ("an acknowledgement of a roster", .acknowledgeRoster(.first, error: long)), ("a request for the roster", .requestRoster(.first)),
            ("a relay's test", .testGroupRelay(challenge: Base64URLBytes(Bytes(repeating: 1, count: 10_000)), signature: nil)),
            ("an announcement", .newMember(info, scope: nil)), ("an introduction", .introduceMember(info, restrictions: nil)),
            ("an invitation of a member", .inviteMember(memberID: other, invitation)),
            (
                "an invitation that is passed on",
                .forwardMemberInvitation(
                    MemberInfo(memberID: other, role: .member, versions: ChatVersions.supported, profile: Profile(displayName: "x", fullName: "")), invitation)
            ),
            ("a member's profile", .memberInfo(memberID: other, pictured)), ("a role", .memberRole(memberID: vast, .member)),
            ("an unknown role", .memberRole(memberID: other, .unknown(long))),
            ("a block", .restrictMember(memberID: vast, MemberRestrictions(restriction: .unknown("x")))),
            ("a report of a connection", .memberConnected(memberID: vast)),
            ("a report of all connections", .memberConnectedToAll(memberID: vast)), ("a removal", .removeMember(memberID: vast, withMessages: true)),
            ("a profile of the group", .groupInfo(described)),
            ("a direct invitation", .groupDirectInvitation(connectionRequest: long, content: nil, scope: nil)),
            ("a probe", .probe(Probe(Bytes(repeating: 1, count: 10_000)))), ("a hash", .checkProbe(ProbeHash(Bytes(repeating: 1, count: 10_000)))),
            ("a confirmation", .confirmProbe(Probe(Bytes(repeating: 1, count: 10_000)))),
            ("a call", .callInvitation(CallID(Bytes(repeating: 1, count: 10_000)), CallInvitation(callType: call))),
            ("an offer", .callOffer(CallID([1]), CallOffer(callType: call, session: session))), ("an answer", .callAnswer(CallID([1]), session)),
            ("candidates", .callExtra(CallID([1]), WebRTCExtraInfo(iceCandidates: long))),
            ("the end of a call", .endCall(CallID(Bytes(repeating: 1, count: 10_000)))),
            ("an unknown message", .unknown(ChatEventTag("x.new"), parameters: unknown)),
            (
                "a message that is passed on",
                .forwardMessage(
                    MessageForward(sender: .member(other, name: "x"), brokerTimestamp: .current()),
                    ChatMessage(messageID: .random(), event: .newMessage(MessageContainer(content: .text(String(long.prefix(14_000)))))))
            ),
        ]
        var all = events.map { HostileMessage("sends the longest: \($0.0)", $0.1) }
        var quoting = MessageContainer(content: .text("x"))
        quoting.quote = QuotedMessage(reference: reference, content: .text(long))
        all.append(HostileMessage("sends the longest: a quote", .newMessage(quoting)))
        all.append(HostileMessage("sends the longest: an id", .newMessage(MessageContainer(content: .text("x"))), id: vastID))
        return all
    }
}
