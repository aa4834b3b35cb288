import ChatProtocol
import SMPCrypto
import SMPWire
import TestSupport
import Testing

/// A type that keeps the members it does not know, with values of it in JSON.
struct KeptType: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// A value in JSON, out of a source.
    let sample: @Sendable (inout MessageSource) -> JSONValue
    /// What reading and writing makes of a value.
    let again: @Sendable (JSONValue) throws -> (tree: JSONValue, text: String)
    /// The name of the member in which such values are.
    let key: String

    init<Value: JSONConvertible>(_ type: Value.Type, at key: String = "", _ make: @escaping @Sendable (inout MessageSource) -> Value) {
        testDescription = "\(type)"
        self.key = key
        sample = { make(&$0).json }
        again = { json in
            let value = try Value(json: json)
            return (value.json, value.jsonText)
        }
    }

    private static let key = Ed25519.generateKeyPair(SeededRandomSource(seed: 3)).publicKey

    private static func business(_ source: inout MessageSource) -> BusinessChatInfo {
        BusinessChatInfo(chatType: .business, businessID: source.member(), customerID: source.member())
    }

    private static func memberRole(_ source: inout MessageSource) -> MemberIDRole { MemberIDRole(memberID: source.member(), role: source.role()) }

    private static func relay(_ source: inout MessageSource) -> RelayProfile {
        RelayProfile(displayName: source.text(), shortDescription: source.text(), image: source.image())
    }

    private static func description(_ source: inout MessageSource) -> FileDescription {
        FileDescription(text: source.text(), partNumber: source.number(), isComplete: source.flag())
    }

    private static func signature(_ source: inout MessageSource) -> LinkOwnerSignature {
        LinkOwnerSignature(ownerID: nil, chatBinding: Base64URLBytes(source.bytes()), signature: Base64URLBytes(source.random.bytes(64)))
    }

    private static func call(_ source: inout MessageSource) -> CallType { CallType(media: .audio, encryption: source.flag()) }
    private static func session(_ source: inout MessageSource) -> WebRTCSession { WebRTCSession(session: source.text(), iceCandidates: source.text()) }

    /// All types that conform to `ExtensibleObject`, and the others whose values hold such.
    static let all: [KeptType] = profiles + preferences + messages + groups + links

    private static let profiles: [KeptType] = [
        KeptType(Profile.self) { $0.profile() }, KeptType(GroupProfile.self) { $0.groupProfile() },
        KeptType(PublicGroupProfile.self) {
            PublicGroupProfile(groupType: .channel, groupLink: $0.text(), publicGroupID: Base64URLBytes($0.bytes()))
        }, KeptType(GroupMemberAdmission.self) { _ in GroupMemberAdmission(review: .all) },
    ]

    private static let preferences: [KeptType] = [
        KeptType(SimplePreference.self) { _ in SimplePreference(allow: .always) },
        KeptType(TimedMessagesPreference.self) { TimedMessagesPreference(allow: .yes, ttl: $0.ttl()) }, KeptType(ChatPreferences.self) { $0.preferences() },
        KeptType(FullChatPreferences.self) { FullChatPreferences($0.preferences()) }, KeptType(GroupPreference.self) { _ in GroupPreference(enable: .on) },
        KeptType(RoleGroupPreference.self) { RoleGroupPreference(enable: .off, role: $0.role()) },
        KeptType(TimedMessagesGroupPreference.self) { TimedMessagesGroupPreference(enable: .on, ttl: $0.ttl()) },
        KeptType(CommentsGroupPreference.self) { CommentsGroupPreference(enable: .on, duration: $0.ttl()) },
        KeptType(GroupPreferences.self) { $0.groupPreferences() }, KeptType(FullGroupPreferences.self) { FullGroupPreferences($0.groupPreferences()) },
        KeptType(BotCommand.self) {
            .menu(label: $0.text(), commands: [.command(keyword: $0.text(), label: $0.text(), params: $0.text()), .menu(label: "", commands: [])])
        },
    ]

    private static let messages: [KeptType] = [
        KeptType(MessageContent.self) { $0.content() }, KeptType(MessageContainer.self) { $0.container() },
        KeptType(QuotedMessage.self) { QuotedMessage(reference: $0.reference(), content: $0.content()) },
        KeptType(MessageReference.self) { $0.reference() }, KeptType(MessageMentions.self, at: "mentions") { $0.mentions() },
        KeptType(LinkPreview.self) { LinkPreview(uri: $0.text(), title: $0.text(), description: $0.text(), image: $0.image(), content: $0.linkContent()) },
        KeptType(LinkContent.self) { $0.linkContent() }, KeptType(MessageChatLink.self) { $0.link() },
        KeptType(LinkOwnerSignature.self) { Self.signature(&$0) }, KeptType(FileInvitation.self) { $0.file() },
        KeptType(FileDescription.self) { Self.description(&$0) },
        KeptType(MessageUpdate.self) { MessageUpdate(messageID: $0.id(), content: $0.content(), mentions: $0.mentions()) },
        KeptType(MessageDeletion.self) { MessageDeletion(messageID: $0.id(), memberID: $0.member()) },
        KeptType(MessageReactionChange.self) { MessageReactionChange(messageID: $0.id(), reaction: .emoji(ReactionEmoji.allCases[0]), add: true) },
        KeptType(MessagePreferences.self) { MessagePreferences(commentsDisabled: $0.flag()) },
        KeptType(ChatMessage.self) { source in source.message(source.pick(Array(0..<MessageSource.kinds))) },
        KeptType(CallInvitation.self) { CallInvitation(callType: Self.call(&$0), key: nil) }, KeptType(WebRTCSession.self) { Self.session(&$0) },
        KeptType(WebRTCExtraInfo.self) { WebRTCExtraInfo(iceCandidates: $0.text()) },
        KeptType(CallOffer.self) { CallOffer(callType: Self.call(&$0), session: Self.session(&$0), key: nil) },
    ]

    private static let groups: [KeptType] = [
        KeptType(MemberIDRole.self) { Self.memberRole(&$0) }, KeptType(BusinessChatInfo.self) { Self.business(&$0) },
        KeptType(GroupInvitation.self) {
            GroupInvitation(
                fromMember: Self.memberRole(&$0), invitedMember: Self.memberRole(&$0), connectionRequest: $0.text(), groupProfile: $0.groupProfile(),
                business: Self.business(&$0))
        },
        KeptType(GroupLinkInvitation.self) {
            GroupLinkInvitation(
                fromMember: Self.memberRole(&$0), fromMemberName: $0.text(), invitedMember: Self.memberRole(&$0), groupProfile: $0.groupProfile())
        },
        KeptType(GroupLinkRejection.self) {
            GroupLinkRejection(
                fromMember: Self.memberRole(&$0), invitedMember: Self.memberRole(&$0), groupProfile: $0.groupProfile(), reason: .longName)
        },
        KeptType(GroupRelayInvitation.self) {
            GroupRelayInvitation(fromMember: Self.memberRole(&$0), fromMemberProfile: $0.profile(), relayMemberID: $0.member(), groupLink: $0.text())
        }, KeptType(MemberInfo.self) { $0.info() },
        KeptType(RelayCapabilities.self) { RelayCapabilities(webDomain: $0.text()) },
        KeptType(GroupRoster.self) { GroupRoster(version: $0.rosterVersion(), list: InlineFileInvitation(of: $0.bytes())) },
        KeptType(InlineFileInvitation.self) { InlineFileInvitation(of: $0.bytes()) },
        KeptType(MemberRestrictions.self) { _ in MemberRestrictions(restriction: .blocked) },
        KeptType(IntroInvitation.self) { IntroInvitation(groupConnectionRequest: $0.text(), directConnectionRequest: $0.text()) },
    ]

    private static let links: [KeptType] = [
        KeptType(ContactShortLinkData.self) { ContactShortLinkData(profile: $0.profile(), message: $0.content(), business: $0.flag()) },
        KeptType(PublicGroupData.self) { PublicGroupData(publicMemberCount: Int64($0.number())) },
        KeptType(GroupShortLinkData.self) { GroupShortLinkData(groupProfile: $0.groupProfile(), publicGroupData: PublicGroupData(publicMemberCount: 3)) },
        KeptType(RelayShortLinkData.self) { RelayShortLinkData(relayProfile: $0.profile()) }, KeptType(RelayProfile.self) { Self.relay(&$0) },
        KeptType(RelayAddressLinkData.self) { RelayAddressLinkData(relayProfile: Self.relay(&$0)) },
        KeptType(GroupLinkClientData.self) { GroupLinkClientData(groupLinkID: GroupLinkID($0.bytes())) },
    ]
}

/// Members of newer clients, put into every object of a value.
enum LaterMembers {
    /// Members whose objects are no values of the types here, with the reason.
    private static let excluded: Set<String> = [
        // An audience: a form of it that is not known whole is no audience that can be kept to.
        "scope",
        // A word of a set, by which equal reactions are counted.
        "reaction",
        // Calls are neither stored nor passed on.
        "callType", "answer", "extra",
    ]

    /// The value with members of newer clients in every object, at every depth.
    static func added(to json: JSONValue, at key: String = "", from source: inout MessageSource) -> JSONValue {
        switch json {
        case .array(let elements): return .array(elements.map { added(to: $0, at: key, from: &source) })
        case .object(let object):
            guard !excluded.contains(key) else { return json }
            var members: [(String, JSONValue)] = []
            for (name, value) in object.members { members.append((name, added(to: value, at: name, from: &source))) }
            // The names of mentions are those of members.
            if key != "mentions" { for (name, value) in later(isNullable: key != "params", from: &source).members { members.append((name, value)) } }
            return .object(JSONObject(members))
        default: return json
        }
    }

    private static func later(isNullable: Bool, from source: inout MessageSource) -> JSONObject {
        var object = JSONObject()
        let names = ["later", "publicGroupAccess", "displayname", "unknownMembers", "", "é", "e\u{301}", "a.b", "\"", "漢字"]
        for _ in 0..<source.pick([0, 1, 1, 2, 5]) {
            let value: JSONValue = source.pick(
                [.string(source.text()), .int(Int64.max), true, [], [[], [:], "x"], ["a": ["b": ["c": nil]], "displayName": 1]]
                    + (isNullable ? [.null] : []))
            object[source.pick(names)] = value
        }
        return object
    }
}
