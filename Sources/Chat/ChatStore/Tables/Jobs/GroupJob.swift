package import ChatAPI
import ChatProtocol
package import ChatRules
package import SMPWire

/// Jobs about groups and their members.
package enum GroupJob: Sendable, Hashable {
    /// Publish the profile of a group behind its link.
    case publishLink(group: GroupID)
    /// Make the connection to which a member is invited that the host has introduced.
    case createConnection(member: GroupMemberID)
    /// Join the connection to which a member has invited.
    case join(member: GroupMemberID, link: String)
    /// Answer the request of a member to join by a link.
    ///
    /// `replacesConnection` is true for a subscriber whom this relay serves already, and who comes with a proof of its key.
    case accept(member: GroupMemberID, invitation: Bytes, answer: JoinAnswer = .admit(.accepted), replacesConnection: Bool = false)
    /// Join the connection to which a member has invited as a contact.
    case joinContact(contact: ContactID)
}

extension GroupJob: FeatureJob {
    var kind: String {
        switch self {
        case .publishLink: "publishGroupLink"
        case .createConnection: "createMemberConnection"
        case .join: "joinMember"
        case .accept: "acceptMember"
        case .joinContact: "joinMemberContact"
        }
    }

    var json: JSONValue {
        switch self {
        case .publishLink(let group): ["group": group.json]
        case .createConnection(let member): ["member": member.json]
        case .join(let member, let link): ["member": member.json, "link": .string(link)]
        case .accept(let member, let invitation, .admit(let acceptance), let replacesConnection):
            [
                "member": member.json, "invitation": JSONValue(invitation), "acceptance": .string(acceptance.rawValue),
                "replacesConnection": .bool(replacesConnection),
            ]
        case .accept(let member, let invitation, .refuse(let reason), _):
            ["member": member.json, "invitation": JSONValue(invitation), "rejection": .string(reason.code)]
        case .joinContact(let contact): ["contact": contact.json]
        }
    }

    var isCausedByPeers: Bool {
        switch self {
        case .createConnection, .join, .accept, .joinContact: true
        case .publishLink: false
        }
    }

    init?(kind: String, json: JSONValue) {
        switch kind {
        case "publishGroupLink":
            guard let group = json["group"]?.intValue else { return nil }
            self = .publishLink(group: GroupID(group))
        case "createMemberConnection":
            guard let member = json["member"]?.intValue else { return nil }
            self = .createConnection(member: GroupMemberID(member))
        case "joinMember":
            guard let member = json["member"]?.intValue, let link = json["link"]?.stringValue else { return nil }
            self = .join(member: GroupMemberID(member), link: link)
        case "acceptMember":
            guard let member = json["member"]?.intValue, let invitation = json["invitation"]?.bytesValue else { return nil }
            // Jobs of earlier versions say no more than that the member is accepted.
            let acceptance = json["acceptance"]?.stringValue.flatMap(GroupAcceptance.init(rawValue:)) ?? .accepted
            let answer = json["rejection"]?.stringValue.map { JoinAnswer.refuse(GroupRejectionReason(code: $0)) } ?? .admit(acceptance)
            self = .accept(
                member: GroupMemberID(member), invitation: invitation, answer: answer,
                replacesConnection: json["replacesConnection"]?.boolValue ?? false)
        case "joinMemberContact":
            guard let contact = json["contact"]?.intValue else { return nil }
            self = .joinContact(contact: ContactID(contact))
        default: return nil
        }
    }
}
