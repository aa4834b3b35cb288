import ChatProtocol
import ChatRules

/// What stands here for values of a recording that are new in every run: ids, links, codes, random names.
///
/// They are not left out of the comparison. The same value of the recording must stand for the same value here each time, and two
/// values for two: an item that is named by a wrong id, or a code that the two sides do not share, shows. But the official database
/// gives the numbers of what was deleted to what comes later, ours does not: a number may come to stand for one that is new here.
struct Correspondence {
    /// What kinds of value there are. Those of one core's database are told apart by peer, the others are the same everywhere.
    enum Kind: Hashable {
        case user, agentUser, contact, connection, address, request, profile, noteFolder, item, version, tag, file, relay
        case message, link, code, requestTag, agentConnection, queue, server, name

        fileprivate var isLocal: Bool {
            switch self {
            case .message, .link, .code, .requestTag, .queue, .server, .name: false
            default: true
            }
        }
    }

    /// The members of objects that hold such values.
    static let members: [String: Kind] = [
        "userId": .user, "agentUserId": .agentUser, "contactId": .contact, "contactId_": .contact, "userContactId": .contact,
        "connId": .connection, "pccConnId": .connection,
        "userContactLinkId": .address, "userContactLinkId_": .address, "viaUserContactLink": .address,
        "contactRequestId": .request, "contactRequestId_": .request, "agentInvitationId": .request,
        "profileId": .profile, "userProfileId": .profile, "customUserProfileId": .profile, "noteFolderId": .noteFolder,
        "itemId": .item, "minUnreadItemId": .item, "quotedItemId": .item, "chatItemId": .item, "chatItemVersionId": .version,
        "chatTagId": .tag, "chatRelayId": .relay, "fileId": .file,
        "sharedMsgId": .message, "itemSharedMsgId": .message, "welcomeSharedMsgId": .message, "requestSharedMsgId": .message,
        "connFullLink": .link, "connShortLink": .link, "contactLink": .link, "connectionCode": .code, "securityCode": .code,
        "expectedCode": .code, "xContactId": .requestTag, "agentConnId": .agentConnection, "pccAgentConnId": .agentConnection,
        "agentConnIds": .agentConnection, "agentQueueId": .queue, "entityId": .queue, "rcvId": .queue, "sndId": .queue,
        "rcvServer": .server, "sndServer": .server, "server": .server, "serverAddress": .server, "brokerAddress": .server,
        "displayName": .name, "localDisplayName": .name,
    ]

    private struct Place: Hashable {
        var kind: Kind
        var peer: String?
    }

    private var here: [Place: [String: String]] = [:]
    private var there: [Place: [String: String]] = [:]

    private func place(_ kind: Kind, _ peer: String) -> Place { Place(kind: kind, peer: kind.isLocal ? peer : nil) }

    /// What stands here for a recorded value.
    func counterpart(of recorded: String, _ kind: Kind, at peer: String) -> String? { here[place(kind, peer)]?[recorded] }

    /// Pairs two values unless one is paired with another already.
    ///
    /// - Returns: why they do not belong together; nil if they do.
    mutating func pair(_ recorded: String, _ actual: String, _ kind: Kind, at peer: String) -> String? {
        guard recorded != "0", recorded != "" else { return recorded == actual ? nil : "\(actual) instead of \(recorded)" }
        let place = place(kind, peer)
        switch (here[place]?[recorded], there[place]?[actual]) {
        case (nil, nil):
            here[place, default: [:]][recorded] = actual
            there[place, default: [:]][actual] = recorded
            return nil
        case (actual?, recorded?): return nil
        case (let known?, nil) where Self.isLater(actual, than: known):
            here[place, default: [:]][recorded] = actual
            there[place, default: [:]][actual] = recorded
            return nil
        case (let known?, _): return "\(actual) instead of \(known), which stood for \(recorded) before"
        case (nil, let other?): return "\(actual), which stands for \(other), instead of another for \(recorded)"
        }
    }

    private static func isLater(_ number: String, than other: String) -> Bool {
        guard let number = Int64(number), let other = Int64(other) else { return false }
        return number > other
    }

    /// Whether a name is one of those that incognito profiles and profiles without a name get: two words.
    static func isRandomName(_ name: String) -> Bool { name.wholeMatch(of: /([A-Z][a-z]+){2}(_\d)?/) != nil }

    /// A recorded text with what stands here for the links, codes and random names in it.
    func translated(_ text: String) -> String {
        var text = text
        for kind in [Kind.link, .code, .name] {
            let pairs = here[Place(kind: kind, peer: nil)] ?? [:]
            for (recorded, actual) in pairs.sorted(by: { $0.key.count > $1.key.count }) where recorded != actual && text.contains(recorded) {
                text = text.replacing(recorded, with: actual)
            }
        }
        return text
    }
}
