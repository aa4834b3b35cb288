public import SMPWire

/// A version of the chat protocol.
public typealias ChatVersion = UInt16

/// Which chat protocol versions bring what.
public enum ChatVersions {
    /// The versions that this implementation supports: 1 to 19.
    public static let supported = VersionRange(1...19)
    /// The version of a sender whose messages have no version range.
    public static let initial = VersionRange(1)

    /// A direct connection to a member is invited to inside the group (`x.grp.direct.inv`).
    public static let groupDirectInvitation: ChatVersion = 2
    /// Joining by a group link makes no contact.
    public static let groupFastLinkJoin: ChatVersion = 3
    /// Members' messages are forwarded to members that are not connected yet.
    public static let groupForwarding: ChatVersion = 4
    /// Several messages in one body, in groups.
    public static let batching: ChatVersion = 5
    /// The welcome message of a group comes after its history.
    public static let groupHistoryWelcome: ChatVersion = 6
    /// Profile updates reach group members.
    public static let memberProfileUpdate: ChatVersion = 7
    /// Bodies may be compressed, and encryption post-quantum.
    public static let compressionAndPostQuantum: ChatVersion = 8
    /// Several messages in one body, in direct chats too; forwarded messages in batches.
    public static let directBatching: ChatVersion = 9
    /// Addresses may make business chats.
    public static let businessChats: ChatVersion = 10
    /// Preferences of business chats are updated by `x.grp.prefs`.
    public static let businessChatPreferences: ChatVersion = 11
    /// Reports to moderators.
    public static let contentReports: ChatVersion = 12
    /// A request to join a group may be rejected with a reason.
    public static let groupJoinRejection: ChatVersion = 14
    /// Messages may have a scope, members may be reviewed.
    public static let groupKnocking: ChatVersion = 15
    /// Short links with data.
    public static let shortLinkData: ChatVersion = 16
    /// A host may send voice messages to a member under approval whatever the group allows.
    public static let memberSupportVoice: ChatVersion = 17
    /// Relays tell owners of what else they do for a channel (`x.grp.relay.cap`).
    public static let relayCapabilities: ChatVersion = 18
    /// The members, moderators and admins of a channel are those of its owner-signed roster (`x.grp.roster`). A relay acknowledges it before subscribers come.
    public static let groupRoster: ChatVersion = 19
    /// Any text behind a slash is a command, as in `/+`. Before, its first word has letters, digits and `_` only. Parley reads such commands, and does not
    /// announce the version: it includes the keys of members of groups (20), which Parley does not send.
    public static let anyTextCommands: ChatVersion = 21

    /// The version in which to talk to a peer: the highest that both support, or the nearest one that the peer supports.
    public static func connectionVersion(local: VersionRange, peer: VersionRange) -> ChatVersion {
        local.compatibleVersion(with: peer) ?? (peer.min > local.max ? peer.min : peer.max)
    }
}

extension VersionRange: JSONConvertible {
    /// Reads `1-17`, or `1` for a single version.
    public init(json: JSONValue) throws(JSONError) {
        do {
            self = try VersionRange(wireString: try String(json: json))
        } catch let error as JSONError {
            throw error
        } catch {
            throw JSONError(.invalidValue, "a version range is expected")
        }
    }

    /// The JSON form.
    public var json: JSONValue { .string(wireString) }
}
