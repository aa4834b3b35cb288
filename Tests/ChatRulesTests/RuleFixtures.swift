import ChatAPI
import ChatProtocol
import SMPCrypto
import SMPWire

@testable import ChatRules

/// Values that tests of decisions begin with. Each test changes what its decision depends on.
enum RuleFixtures {
    static let time = UTCTimestamp(seconds: 1_790_000_000)
    static let publicGroupID = Bytes(repeating: 7, count: 32)

    static func connection(_ status: ConnectionStatus = .ready, version: Int = 16) -> Connection {
        Connection(
            connectionID: 1, agentConnectionID: "AQ==", chatVersion: version, peerChatVersions: ChatVersionRange(minVersion: 1, maxVersion: version), level: 0,
            type: .member, status: status, createdAt: time)
    }

    static func member(
        _ number: UInt8 = 2, _ role: GroupMemberRole = .member, _ status: GroupMemberStatus = .connected, category: GroupMemberCategory = .post,
        connection: Connection? = nil, version: Int = 16
    ) -> GroupMember {
        GroupMember(
            groupMemberID: GroupMemberID(Int64(number)), groupID: 1, memberID: MemberID([number]), role: role, category: category, status: status,
            settings: GroupMemberSettings(showsMessages: true), invitedBy: .unknown, localDisplayName: "m\(number)",
            profile: LocalProfile(Profile(displayName: "m\(number)", fullName: ""), id: ProfileID(Int64(number)), alias: ""),
            profileID: ProfileID(Int64(number)), activeConnection: connection, chatVersions: ChatVersionRange(minVersion: 1, maxVersion: version),
            createdAt: time, updatedAt: time)
    }

    /// This profile as a member.
    static func me(_ role: GroupMemberRole = .member, _ status: GroupMemberStatus = .connected) -> GroupMember { member(1, role, status, category: .user) }

    static func group(_ membership: GroupMember = me(), channel: Bool = false, _ change: (inout GroupPreferences) -> Void = { _ in }) -> GroupInfo {
        var preferences = GroupPreferences()
        change(&preferences)
        var profile = GroupProfile(displayName: "team", fullName: "")
        if channel {
            profile.publicGroup = PublicGroupProfile(
                groupType: .channel, groupLink: "https://smp.example/c#a", publicGroupID: Base64URLBytes(publicGroupID))
        }
        return GroupInfo(
            groupID: 1, usesRelays: channel, localDisplayName: "team", groupProfile: profile, fullGroupPreferences: FullGroupPreferences(preferences),
            membership: membership, chatSettings: ChatSettings(notifications: .all, sendsReceipts: nil, isFavorite: false), createdAt: time,
            updatedAt: time, groupSummary: GroupSummary(currentMembers: 2))
    }

    /// A channel in which this profile has the key of the seed.
    static func channel(_ membership: GroupMember = me(.observer), keySeed: UInt64 = 1) -> GroupInfo {
        var group = group(membership, channel: true)
        let key = Ed25519.generateKeyPair(SeededRandomSource(seed: keySeed)).privateKey
        group.groupKeys = GroupKeys(
            publicGroupID: Base64URL.encode(publicGroupID), rootKey: .public(rootPublicKey: ""), memberPrivateKey: GroupKeys.text(key))
        return group
    }

    /// A message in the group: of this profile without an author.
    static func item(
        _ content: MessageContent = .text("text"), by author: GroupMember? = nil, isAsGroup: Bool = false, scope: GroupChatScope? = nil,
        deletion: StoredDeletion = .none, _ change: (inout ItemRecord) -> Void = { _ in }
    ) -> StoredItem {
        let isSent = author == nil && !isAsGroup
        var record = ItemRecord(
            id: 7, userID: 1, owner: .group(1), isSent: isSent, content: isSent ? .sentMessage(content: content) : .receivedMessage(content: content),
            status: isSent ? .sendNew : .receivedNew, sharedMessageID: SharedMessageID(Bytes(repeating: 1, count: 12)), deletion: deletion,
            itemTimestamp: time, createdAt: time, updatedAt: time)
        record.group = GroupItemDetails(memberID: author?.groupMemberID, scope: scope)
        change(&record)
        var members = ItemMembers()
        if let author { members.add(author) }
        return StoredItem(record, at: time, members: members)
    }
}
