import ChatProtocol
import SMPCrypto
import SMPWire
import TestSupport

/// Messages of every kind, made up from a seed: with hostile texts, numbers at their ends, and members that are there or not.
struct MessageSource {
    var random: SplitMix64
    /// False for kinds of newer clients, which keep what they came with.
    var knownOnly = false

    init(seed: UInt64, knownOnly: Bool = false) {
        random = SplitMix64(seed: seed)
        self.knownOnly = knownOnly
    }

    /// How many kinds of events there are.
    static let kinds = 55

    private static let texts = [
        "", "a", "hello *bold* @bob", "\"", "\\", "\u{0}\u{1F}\u{7F}", "é", "e\u{301}", "👩‍👩‍👧‍👦", "\u{2028}", "\u{FEFF}", "{\"a\":1}", "a\r\nb\t",
        String(repeating: "漢", count: 300),
    ]
    private static let keys = Ed25519.generateKeyPair(SeededRandomSource(seed: 1))
    private static let agreementKey = X25519.generateKeyPair(SeededRandomSource(seed: 2)).publicKey

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
    mutating func flag() -> Bool { Bool.random(using: &random) }
    mutating func maybe<Value>(_ make: (inout MessageSource) -> Value) -> Value? { flag() ? make(&self) : nil }
    mutating func text() -> String { pick(Self.texts) }
    mutating func bytes() -> Bytes { random.bytes(pick([1, 2, 12, 12, 12, 255])) }
    mutating func member() -> MemberID { MemberID(bytes()) }
    mutating func id() -> SharedMessageID { SharedMessageID(bytes()) }
    mutating func number() -> Int { pick([0, 1, -1, 60, 1 << 53, .max, .min]) }
    mutating func ttl() -> Int { pick([0, 1, 86_400, TimeToLive.range.upperBound]) }
    mutating func image() -> ImageData { ImageData(text()) }
    mutating func scope() -> MessageScope { .member(member()) }

    mutating func time() -> UTCTimestamp {
        UTCTimestamp(
            seconds: pick([0, -1, 1_700_000_000, UTCTimestamp.range.lowerBound, UTCTimestamp.range.upperBound]),
            nanoseconds: pick([0, 1, 500_000_000, 999_999_999]))
    }

    mutating func role() -> GroupMemberRole { pick([.relay, .observer, .author, .member, .moderator, .admin, .owner, .unknown("chief"), .unknown("")]) }

    mutating func rosterVersion() -> RosterVersion { pick([.first, .first.next, RosterVersion(rawValue: .max - 1) ?? .first]) }

    mutating func mentions() -> MessageMentions {
        MessageMentions(Dictionary((0..<pick([0, 0, 1, 3, 9])).map { ("name \($0)", MemberID([UInt8($0)])) }) { first, _ in first })
    }

    mutating func preferences() -> ChatPreferences {
        var preferences = ChatPreferences(
            timedMessages: maybe { .init(allow: $0.pick(FeatureAllowed.allCases), ttl: $0.maybe { $0.ttl() }) },
            commands: maybe { [.command(keyword: $0.text(), label: $0.text(), params: $0.maybe { $0.text() }), .menu(label: $0.text(), commands: [])] })
        for feature in ChatFeature.allCases where feature != .timedMessages { preferences.set(feature, allow: maybe { $0.pick(FeatureAllowed.allCases) }) }
        return preferences
    }

    mutating func groupPreferences() -> GroupPreferences {
        var preferences = GroupPreferences()
        for feature in GroupFeature.allCases where flag() { preferences.set(feature, pick([.on, .off]), role: maybe { $0.role() }) }
        return preferences
    }

    mutating func profile() -> Profile {
        Profile(
            displayName: text(), fullName: text(), shortDescription: maybe { $0.text() }, image: maybe { $0.image() }, contactLink: maybe { $0.text() },
            preferences: maybe { $0.preferences() }, peerType: maybe { $0.pick([.human, .bot]) })
    }

    mutating func groupProfile() -> GroupProfile {
        GroupProfile(
            displayName: text(), fullName: text(), shortDescription: maybe { $0.text() }, description: maybe { $0.text() }, image: maybe { $0.image() },
            publicGroup: maybe {
                PublicGroupProfile(groupType: $0.pick([.channel, .group, .unknown("x")]), groupLink: $0.text(), publicGroupID: Base64URLBytes($0.bytes()))
            }, groupPreferences: maybe { $0.groupPreferences() }, memberAdmission: maybe { GroupMemberAdmission(review: $0.maybe { _ in .all }) })
    }

    mutating func info() -> MemberInfo {
        MemberInfo(
            memberID: member(), role: role(), versions: maybe { $0.pick([VersionRange(1...17), VersionRange(0), VersionRange(.max)]) }, profile: profile(),
            key: maybe { _ in Self.keys.publicKey })
    }

    mutating func link() -> MessageChatLink {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .contact(link: text(), profile: profile(), business: flag())
        case 1: .invitation(link: text(), profile: profile())
        default: .group(link: text(), profile: groupProfile())
        }
    }

    mutating func linkContent() -> LinkContent {
        pick(
            [.page, .image, .video(duration: nil), .video(duration: number())] + (knownOnly ? [] : [.unknown(tag: "map", ["type": "map", "at": [1, .null]])]))
    }

    mutating func content() -> MessageContent {
        switch Int.random(in: 0..<(knownOnly ? 8 : 9), using: &random) {
        case 0: return .text(text())
        case 1:
            return .link(
                text: text(), preview: LinkPreview(uri: text(), title: text(), description: text(), image: image(), content: maybe { $0.linkContent() }))
        case 2: return .image(text: text(), image: image())
        case 3: return .video(text: text(), image: image(), duration: number())
        case 4: return .voice(text: text(), duration: number())
        case 5: return .file(text())
        case 6: return .report(text: text(), reason: pick([.spam, .content, .community, .profile, .other, .unknown("rude")]))
        case 7:
            let signature = maybe {
                LinkOwnerSignature(
                    ownerID: $0.maybe { Base64URLBytes($0.bytes()) }, chatBinding: Base64URLBytes($0.bytes()), signature: Base64URLBytes($0.random.bytes(64)))
            }
            return .chat(text: text(), link: link(), ownerSignature: signature)
        default:
            let text = text()
            return .unknown(tag: "poll", text: text, ["type": "poll", "options": [1, .null, [:]], "text": .string(text)])
        }
    }

    mutating func reference() -> MessageReference {
        MessageReference(messageID: maybe { $0.id() }, sentAt: time(), sent: flag(), memberID: maybe { $0.member() })
    }

    mutating func file() -> FileInvitation {
        FileInvitation(
            name: text(), size: Int64(number()), digest: maybe { Base64URLBytes($0.bytes()) }, connectionRequest: maybe { $0.text() },
            inline: maybe { $0.pick([.offer, .sent]) },
            fileDescription: maybe { FileDescription(text: $0.text(), partNumber: $0.number(), isComplete: $0.flag()) })
    }

    mutating func container() -> MessageContainer {
        MessageContainer(
            content: content(), mentions: mentions(), file: maybe { $0.file() }, ttl: maybe { $0.ttl() }, live: maybe { $0.flag() },
            scope: maybe { $0.scope() },
            asGroup: maybe { $0.flag() }, quote: maybe { QuotedMessage(reference: $0.reference(), content: $0.content()) }, parent: maybe { $0.reference() },
            forward: maybe { $0.flag() })
    }

    /// A message with an event of that kind.
    mutating func message(_ kind: Int) -> ChatMessage {
        var message = ChatMessage(
            versions: pick([VersionRange(1...17), VersionRange(1), VersionRange(0...(.max))]), messageID: maybe { $0.id() }, event: event(kind))
        if flag() { message.capabilities = [.comments] }
        return message
    }

    private mutating func event(_ kind: Int) -> ChatMessageEvent {
        switch kind % Self.kinds {
        case 0: .newMessage(container())
        case 1: .fileDescription(messageID: id(), FileDescription(text: text(), partNumber: number(), isComplete: flag()))
        case 2:
            .updateMessage(
                MessageUpdate(
                    messageID: id(), content: content(), mentions: mentions(), ttl: maybe { $0.ttl() }, live: maybe { $0.flag() }, scope: maybe { $0.scope() },
                    asGroup: maybe { $0.flag() }, preferences: maybe { MessagePreferences(commentsDisabled: $0.flag()) }))
        case 3: .deleteMessage(MessageDeletion(messageID: id(), memberID: maybe { $0.member() }, scope: maybe { $0.scope() }))
        case 4: .messageDeleted
        case 5:
            .react(
                MessageReactionChange(
                    messageID: id(), memberID: maybe { $0.member() }, scope: maybe { $0.scope() }, reaction: .emoji(pick(ReactionEmoji.allCases)), add: flag()))
        case 6: .file(file())
        case 7: .acceptFile(name: text())
        case 8: .acceptFileInvitation(messageID: id(), connectionRequest: maybe { $0.text() }, name: text())
        case 9: .cancelFile(messageID: id())
        case 10: .info(profile())
        case 11:
            .contact(
                ContactRequest(
                    profile: profile(), requestID: maybe { ContactRequestID($0.bytes()) }, welcomeMessageID: maybe { $0.id() },
                    message: maybe { .init(messageID: $0.id(), content: $0.content()) }))
        case 12: .member(profile: profile(), memberID: member(), key: Self.keys.publicKey, relay: maybe { $0.member() })
        case 13: .deleteContact
        case 14...22: group(kind % Self.kinds)
        case 23: .newMember(info(), scope: maybe { $0.scope() })
        case 24: .introduceMember(info(), restrictions: maybe { MemberRestrictions(restriction: $0.pick([.blocked, .unrestricted, .unknown("x")])) })
        case 25: .inviteMember(memberID: member(), invitation())
        case 26: .forwardMemberInvitation(info(), invitation())
        case 27: .memberInfo(memberID: member(), profile())
        case 28: .memberRole(memberID: member(), role(), key: maybe { _ in Self.keys.publicKey }, rosterVersion: maybe { $0.rosterVersion() })
        case 29: .restrictMember(memberID: member(), MemberRestrictions(restriction: pick([.blocked, .unrestricted, .unknown("x")])))
        case 30: .memberConnected(memberID: member())
        case 31: .memberConnectedToAll(memberID: member())
        case 32: .removeMember(memberID: member(), withMessages: flag(), rosterVersion: maybe { $0.rosterVersion() })
        case 33: .leaveGroup
        case 34: .deleteGroup
        case 35: .groupInfo(groupProfile())
        case 36: .groupPreferences(groupPreferences())
        case 37: .groupDirectInvitation(connectionRequest: text(), content: maybe { $0.content() }, scope: maybe { $0.scope() })
        case 38: .forwardMessage(forward(), message(pick([0, 2, 33])))
        case 39: .probe(Probe(bytes()))
        case 40: .checkProbe(ProbeHash(bytes()))
        case 41: .confirmProbe(Probe(bytes()))
        case 42: .callInvitation(CallID(bytes()), CallInvitation(callType: call(), key: maybe { _ in Self.agreementKey }))
        case 43: .callOffer(CallID(bytes()), CallOffer(callType: call(), session: session(), key: maybe { _ in Self.agreementKey }))
        case 44: .callAnswer(CallID(bytes()), session())
        case 45: .callExtra(CallID(bytes()), WebRTCExtraInfo(iceCandidates: text()))
        case 46: .endCall(CallID(bytes()))
        case 47: .ok
        case 48: .newGroupRelay(link: text())
        case 49: .rejectGroupRelay(pick([.rejoinRejected, .unknown("full"), .unknown("")]))
        case 50: .groupRelayCapabilities(RelayCapabilities(webDomain: maybe { $0.text() }))
        case 51:
            .groupRoster(GroupRoster(version: rosterVersion(), list: InlineFileInvitation(size: Int64(number()), digest: Base64URLBytes(bytes()))))
        case 52: .acknowledgeRoster(rosterVersion(), error: maybe { $0.text() })
        case 53: .requestRoster(maybe { $0.rosterVersion() })
        default: knownOnly ? .ok : .unknown(ChatEventTag(rawValue: "x.later"), parameters: ["a": .string(text()), "b": [.null, 1]])
        }
    }

    private mutating func group(_ kind: Int) -> ChatMessageEvent {
        let from = MemberIDRole(memberID: member(), role: role()), to = MemberIDRole(memberID: member(), role: role())
        let business = maybe { BusinessChatInfo(chatType: $0.pick(BusinessChatType.allCases), businessID: $0.member(), customerID: $0.member()) }
        switch kind {
        case 14:
            return .groupInvitation(
                GroupInvitation(
                    fromMember: from, invitedMember: to, connectionRequest: text(), groupProfile: groupProfile(), business: business,
                    groupLinkID: maybe { GroupLinkID($0.bytes()) }, groupSize: maybe { $0.number() }))
        case 15: return .acceptGroup(memberID: member())
        case 16:
            return .groupLinkInvitation(
                GroupLinkInvitation(
                    fromMember: from, fromMemberName: text(), invitedMember: to, groupProfile: groupProfile(),
                    accepted: maybe { $0.pick([.accepted, .pendingApproval, .pendingReview]) }, business: business, groupSize: maybe { $0.number() }))
        case 17:
            return .groupLinkRejection(
                GroupLinkRejection(fromMember: from, invitedMember: to, groupProfile: groupProfile(), reason: pick([.longName, .blockedName, .unknown("")])))
        case 18: return .groupLinkMember(profile())
        case 19: return .groupLinkAcceptance(pick([.accepted, .pendingApproval, .pendingReview]), role: role(), memberID: member())
        case 20:
            return .groupRelayInvitation(GroupRelayInvitation(fromMember: from, fromMemberProfile: profile(), relayMemberID: member(), groupLink: text()))
        case 21: return .acceptGroupRelay(link: text(), capabilities: RelayCapabilities(webDomain: maybe { $0.text() }))
        default: return .testGroupRelay(challenge: Base64URLBytes(random.bytes(400)), signature: maybe { Base64URLBytes($0.bytes()) })
        }
    }

    mutating func forward() -> MessageForward {
        MessageForward(sender: flag() ? .channel : .member(member(), name: text()), brokerTimestamp: time())
    }

    private mutating func invitation() -> IntroInvitation {
        IntroInvitation(groupConnectionRequest: text(), directConnectionRequest: maybe { $0.text() })
    }
    private mutating func call() -> CallType { CallType(media: pick([.audio, .video]), encryption: flag()) }
    private mutating func session() -> WebRTCSession { WebRTCSession(session: text(), iceCandidates: text()) }
}
