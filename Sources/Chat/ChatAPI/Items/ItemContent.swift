public import ChatProtocol

/// The content of an item.
@JSONForms
public indirect enum ItemContent: JSONTagged, Hashable {
    /// A message that was sent.
    @JSONName("sndMsgContent", ["content": "msgContent"])
    case sentMessage(content: MessageContent)
    /// A message that was received.
    @JSONName("rcvMsgContent", ["content": "msgContent"])
    case receivedMessage(content: MessageContent)
    /// A sent message that was deleted (of old cores).
    @JSONName("sndDeleted", ["mode": "deleteMode"])
    case sentDeleted(mode: DeleteMode)
    /// A received message that was deleted (of old cores).
    @JSONName("rcvDeleted", ["mode": "deleteMode"])
    case receivedDeleted(mode: DeleteMode)
    /// A call that was made; its length in seconds.
    @JSONName("sndCall") case sentCall(status: CallStatus, duration: Int)
    /// A call that came; its length in seconds.
    @JSONName("rcvCall") case receivedCall(status: CallStatus, duration: Int)
    /// Messages before this one are missing or wrong.
    @JSONName("rcvIntegrityError", ["error": "msgError"])
    case receivedIntegrityError(error: MessageIntegrityError)
    /// Messages that could not be decrypted, and how many.
    @JSONName("rcvDecryptionError", ["error": "msgDecryptError", "messageCount": "msgCount"])
    case receivedDecryptionError(error: MessageDecryptError, messageCount: Int)
    /// A message that could not be processed.
    @JSONName("rcvMsgError", ["error": "rcvMsgError"])
    case receivedMessageError(error: ReceivedMessageError)
    /// An invitation to a group came.
    @JSONName("rcvGroupInvitation", ["invitation": "groupInvitation"])
    case receivedGroupInvitation(invitation: GroupInvitationItem, memberRole: GroupMemberRole)
    /// An invitation to a group was sent.
    @JSONName("sndGroupInvitation", ["invitation": "groupInvitation"])
    case sentGroupInvitation(invitation: GroupInvitationItem, memberRole: GroupMemberRole)
    /// The contact did something.
    @JSONName("rcvDirectEvent", ["event": "rcvDirectEvent"])
    case receivedDirectEvent(event: ReceivedDirectEvent)
    /// A member did something.
    @JSONName("rcvGroupEvent", ["event": "rcvGroupEvent"])
    case receivedGroupEvent(event: ReceivedGroupEvent)
    /// This profile did something in a group.
    @JSONName("sndGroupEvent", ["event": "sndGroupEvent"])
    case sentGroupEvent(event: SentGroupEvent)
    /// The other side changed the connection.
    @JSONName("rcvConnEvent", ["event": "rcvConnEvent"])
    case receivedConnectionEvent(event: ReceivedConnectionEvent)
    /// This side changed the connection.
    @JSONName("sndConnEvent", ["event": "sndConnEvent"])
    case sentConnectionEvent(event: SentConnectionEvent)
    /// A feature changed, by the contact's preferences.
    @JSONName("rcvChatFeature", ["parameter": "param"])
    case receivedChatFeature(feature: ChatFeature, enabled: PreferenceEnabled, parameter: Int?)
    /// A feature changed, by the own preferences.
    @JSONName("sndChatFeature", ["parameter": "param"])
    case sentChatFeature(feature: ChatFeature, enabled: PreferenceEnabled, parameter: Int?)
    /// The contact offers a feature.
    @JSONName("rcvChatPreference", ["parameter": "param"])
    case receivedChatPreference(feature: ChatFeature, allowed: FeatureAllowed, parameter: Int?)
    /// This profile offers a feature.
    @JSONName("sndChatPreference", ["parameter": "param"])
    case sentChatPreference(feature: ChatFeature, allowed: FeatureAllowed, parameter: Int?)
    /// A feature of the group, as another member set it.
    @JSONName("rcvGroupFeature", ["feature": "groupFeature", "parameter": "param", "memberRole": "memberRole_"])
    case receivedGroupFeature(feature: GroupFeature, preference: GroupPreference, parameter: Int?, memberRole: GroupMemberRole?)
    /// A feature of the group, as this profile set it.
    @JSONName("sndGroupFeature", ["feature": "groupFeature", "parameter": "param", "memberRole": "memberRole_"])
    case sentGroupFeature(feature: GroupFeature, preference: GroupPreference, parameter: Int?, memberRole: GroupMemberRole?)
    /// The contact used a feature that is not allowed.
    @JSONName("rcvChatFeatureRejected") case receivedChatFeatureRejected(feature: ChatFeature)
    /// A member used a feature that is not allowed.
    @JSONName("rcvGroupFeatureRejected", ["feature": "groupFeature"])
    case receivedGroupFeatureRejected(feature: GroupFeature)
    /// A sent message that was moderated (of old cores).
    @JSONName("sndModerated") case sentModerated
    /// A received message that was moderated.
    @JSONName("rcvModerated") case receivedModerated
    /// A message of a blocked member.
    @JSONName("rcvBlocked") case receivedBlocked
    /// The encryption of sent messages.
    @JSONName("sndDirectE2EEInfo", ["info": "e2eeInfo"])
    case sentDirectEncryption(info: EncryptionInfo)
    /// The encryption of received messages.
    @JSONName("rcvDirectE2EEInfo", ["info": "e2eeInfo"])
    case receivedDirectEncryption(info: EncryptionInfo)
    /// The encryption of sent group messages.
    @JSONName("sndGroupE2EEInfo", ["info": "e2eeInfo"])
    case sentGroupEncryption(info: EncryptionInfo)
    /// The encryption of received group messages.
    @JSONName("rcvGroupE2EEInfo", ["info": "e2eeInfo"])
    case receivedGroupEncryption(info: EncryptionInfo)
    /// The head of a chat.
    case chatBanner
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The encryption of a chat.
@JSONMembers
public struct EncryptionInfo: JSONObjectConvertible, Hashable {
    /// True if anybody can read it, as in a public channel.
    @JSONName("public") public var isPublic: Bool?
    /// True if post-quantum encryption is used.
    public var pqEnabled: Bool?
}

/// The extent to which an item is deleted.
public struct DeleteMode: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Deletes it for everybody.
    public static let broadcast = DeleteMode(rawValue: "broadcast")
    /// Removes it here.
    public static let `internal` = DeleteMode(rawValue: "internal")
    /// Marks it as deleted here.
    public static let internalMark = DeleteMode(rawValue: "internalMark")
    /// Takes it out of the history that a channel's relays send to new subscribers, and removes it here.
    public static let history = DeleteMode(rawValue: "history")

    /// The words that this version knows.
    public static let allCases: [DeleteMode] = [.broadcast, .internal, .internalMark, .history]
}

/// The status of a call.
public struct CallStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not answered yet.
    public static let pending = CallStatus(rawValue: "pending")
    /// Nobody answered.
    public static let missed = CallStatus(rawValue: "missed")
    /// Refused.
    public static let rejected = CallStatus(rawValue: "rejected")
    /// Accepted, not yet connected.
    public static let accepted = CallStatus(rawValue: "accepted")
    /// Connecting.
    public static let negotiated = CallStatus(rawValue: "negotiated")
    /// In progress.
    public static let progress = CallStatus(rawValue: "progress")
    /// Over.
    public static let ended = CallStatus(rawValue: "ended")
    /// Failed.
    public static let error = CallStatus(rawValue: "error")

    /// The words that this version knows.
    public static let allCases: [CallStatus] = [.pending, .missed, .rejected, .accepted, .negotiated, .progress, .ended, .error]
}
