package import ChatAPI
package import ChatProtocol
import ChatRules
package import SMPWire

/// Jobs about channels and their relays.
package enum ChannelJob: Sendable, Hashable {
    /// Go on with a relay that has accepted the invitation to a channel.
    case acceptRelay(member: GroupMemberID)
    /// Relay for the channel whose owner has invited this profile.
    case serve(group: GroupID)
    /// Join a channel by one of its relays.
    case joinRelay(member: GroupMemberID)
    /// Join a channel by the relays that its link names by now. While it names none, it is read again until a time.
    case findRelays(group: GroupID, until: UTCTimestamp)
    /// Prove to the one who tests this relay that it has the key of its address. What fails is tried again until a time.
    case answerTest(invitation: Bytes, challenge: Bytes, until: UTCTimestamp)
}

extension ChannelJob: FeatureJob {
    var kind: String {
        switch self {
        case .acceptRelay: "acceptRelay"
        case .serve: "serveChannel"
        case .joinRelay: "joinRelay"
        case .findRelays: "findRelays"
        case .answerTest: "answerRelayTest"
        }
    }

    var json: JSONValue {
        switch self {
        case .acceptRelay(let member), .joinRelay(let member): ["member": member.json]
        case .serve(let group): ["group": group.json]
        case .findRelays(let group, let until): ["group": group.json, "until": .int(until.stored)]
        case .answerTest(let invitation, let challenge, let until):
            ["invitation": JSONValue(invitation), "challenge": JSONValue(challenge), "until": .int(until.stored)]
        }
    }

    var isCausedByPeers: Bool { true }

    init?(kind: String, json: JSONValue) {
        switch kind {
        case "acceptRelay", "joinRelay":
            guard let member = json["member"]?.intValue.map({ GroupMemberID($0) }) else { return nil }
            self = kind == "acceptRelay" ? .acceptRelay(member: member) : .joinRelay(member: member)
        case "serveChannel":
            guard let group = json["group"]?.intValue else { return nil }
            self = .serve(group: GroupID(group))
        case "findRelays":
            guard let group = json["group"]?.intValue, let until = json["until"]?.intValue else { return nil }
            self = .findRelays(group: GroupID(group), until: UTCTimestamp(stored: until))
        case "answerRelayTest":
            guard let invitation = json["invitation"]?.bytesValue, let challenge = json["challenge"]?.bytesValue else { return nil }
            // Jobs of earlier versions have no limit: they get one more attempt.
            self = .answerTest(invitation: invitation, challenge: challenge, until: UTCTimestamp(stored: json["until"]?.intValue ?? 0))
        default: return nil
        }
    }
}
