public import ChatProtocol

/// What an item says.
public indirect enum ItemContent: JSONTagged, Hashable {
    /// A message that was sent.
    case sentMessage(content: MessageContent)
    /// A message that was received.
    case receivedMessage(content: MessageContent)
    /// A sent message that was deleted (of old cores).
    case sentDeleted(mode: DeleteMode)
    /// A received message that was deleted (of old cores).
    case receivedDeleted(mode: DeleteMode)
    /// A call that was made; its length in seconds.
    case sentCall(status: CallStatus, duration: Int)
    /// A call that came; its length in seconds.
    case receivedCall(status: CallStatus, duration: Int)
    /// Messages before this one are missing or wrong.
    case receivedIntegrityError(error: MessageIntegrityError)
    /// Messages that could not be decrypted, and how many.
    case receivedDecryptionError(error: MessageDecryptError, messageCount: Int)
    /// A message that could not be processed.
    case receivedMessageError(error: ReceivedMessageError)
    /// An invitation to a group came.
    case receivedGroupInvitation(invitation: GroupInvitation, memberRole: GroupMemberRole)
    /// An invitation to a group was sent.
    case sentGroupInvitation(invitation: GroupInvitation, memberRole: GroupMemberRole)
    /// The contact did something.
    case receivedDirectEvent(event: ReceivedDirectEvent)
    /// A member did something.
    case receivedGroupEvent(event: ReceivedGroupEvent)
    /// This profile did something in a group.
    case sentGroupEvent(event: SentGroupEvent)
    /// The other side changed the connection.
    case receivedConnectionEvent(event: ReceivedConnectionEvent)
    /// This side changed the connection.
    case sentConnectionEvent(event: SentConnectionEvent)
    /// A feature changed, by the contact's preferences.
    case receivedChatFeature(feature: ChatFeature, enabled: PreferenceEnabled, parameter: Int?)
    /// A feature changed, by the own preferences.
    case sentChatFeature(feature: ChatFeature, enabled: PreferenceEnabled, parameter: Int?)
    /// The contact offers a feature.
    case receivedChatPreference(feature: ChatFeature, allowed: FeatureAllowed, parameter: Int?)
    /// This profile offers a feature.
    case sentChatPreference(feature: ChatFeature, allowed: FeatureAllowed, parameter: Int?)
    /// A feature of the group, as another member set it.
    case receivedGroupFeature(feature: GroupFeature, preference: GroupPreference, parameter: Int?, memberRole: GroupMemberRole?)
    /// A feature of the group, as this profile set it.
    case sentGroupFeature(feature: GroupFeature, preference: GroupPreference, parameter: Int?, memberRole: GroupMemberRole?)
    /// The contact used a feature that is not allowed.
    case receivedChatFeatureRejected(feature: ChatFeature)
    /// A member used a feature that is not allowed.
    case receivedGroupFeatureRejected(feature: GroupFeature)
    /// A sent message that was moderated (of old cores).
    case sentModerated
    /// A received message that was moderated.
    case receivedModerated
    /// A message of a blocked member.
    case receivedBlocked
    /// How sent messages are encrypted.
    case sentDirectEncryption(info: EncryptionInfo)
    /// How received messages are encrypted.
    case receivedDirectEncryption(info: EncryptionInfo)
    /// How sent group messages are encrypted.
    case sentGroupEncryption(info: EncryptionInfo)
    /// How received group messages are encrypted.
    case receivedGroupEncryption(info: EncryptionInfo)
    /// The head of a chat.
    case chatBanner
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// How a chat is encrypted.
public struct EncryptionInfo: JSONObjectConvertible, Hashable {
    /// Whether anybody can read it, as in a public channel.
    public var isPublic: Bool?
    /// Whether post-quantum encryption is used.
    public var pqEnabled: Bool?

    /// Makes the value from its parts.
    public init(isPublic: Bool? = nil, pqEnabled: Bool? = nil) {
        self.isPublic = isPublic
        self.pqEnabled = pqEnabled
    }
}

extension EncryptionInfo {
    public init(object: JSONObject) throws(JSONError) {
        isPublic = try object.optional("public")
        pqEnabled = try object.optional("pqEnabled")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["public"] = isPublic
        object["pqEnabled"] = pqEnabled
    }
}

/// What deleting an item does.
public struct DeleteMode: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Deletes it for everybody.
    public static let broadcast = DeleteMode(rawValue: "broadcast")
    /// Removes it here.
    public static let `internal` = DeleteMode(rawValue: "internal")
    /// Marks it as deleted here.
    public static let internalMark = DeleteMode(rawValue: "internalMark")

    /// The words that this version knows.
    public static let allCases: [DeleteMode] = [.broadcast, .internal, .internalMark]
}

/// How a call went.
public struct CallStatus: OpenEnumeration {
    public let rawValue: String

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
