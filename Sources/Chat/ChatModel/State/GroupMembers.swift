public import ChatAPI
public import ChatProtocol

/// The members of a group, this profile excepted, by both of their ids.
///
/// Members who were removed or left stay, with the status that says so, until the members are loaded again.
public struct GroupMembers: Sendable, Hashable {
    private var members: [GroupMemberID: GroupMember] = [:]
    private var ids: [MemberID: GroupMemberID] = [:]
    /// The newest item that was counted here in each support chat: the core did not tell the counts with it.
    var countedItems: [GroupMemberID: ChatItemID] = [:]
    /// True once the core has told all members. Until then those are known that events have shown since loading began.
    public private(set) var isLoaded = false

    /// No members, to be loaded.
    init() {}

    /// The number of known members.
    public var count: Int { members.count }

    /// The member of a database id.
    public subscript(_ id: GroupMemberID) -> GroupMember? { members[id] }

    /// The member of the id that all members use.
    public subscript(_ id: MemberID) -> GroupMember? { ids[id].flatMap { members[$0] } }

    /// All members, in the order in which the core came to know them.
    public var all: [GroupMember] { members.values.sorted { $0.groupMemberID < $1.groupMemberID } }

    /// Members who belong to the group, connected or not.
    public var current: [GroupMember] { all.filter(\.status.isCurrent) }

    /// Members who wait to be let in.
    public var pending: [GroupMember] { all.filter(\.status.isPending) }

    /// Members with a support chat, the last active first.
    public var withSupportChat: [GroupMember] {
        members.values.filter { $0.supportChat != nil }.sorted { left, right in
            let (one, other) = (left.supportChat?.chatTimestamp, right.supportChat?.chatTimestamp)
            guard let one, let other, one != other else { return left.groupMemberID < right.groupMemberID }
            return one > other
        }
    }
}

extension GroupMembers {
    /// Takes in a member as it is now.
    ///
    /// - Returns: True if anything is different.
    mutating func set(_ member: GroupMember) -> Bool {
        guard members[member.groupMemberID] != member else { return false }
        if let old = members[member.groupMemberID]?.memberID, old != member.memberID { ids[old] = nil }
        members[member.groupMemberID] = member
        ids[member.memberID] = member.groupMemberID
        return true
    }

    /// Forgets a member whose record was replaced by another.
    ///
    /// - Returns: True if it was known.
    mutating func remove(_ id: GroupMemberID) -> Bool {
        guard let member = members.removeValue(forKey: id) else { return false }
        if ids[member.memberID] == id { ids[member.memberID] = nil }
        return true
    }

    /// Takes in all members. What events have shown while they were being loaded is newer than the list.
    mutating func load(_ list: [GroupMember]) {
        let shown = isLoaded ? [] : Array(members.values)
        self = GroupMembers()
        for member in list + shown { _ = set(member) }
        isLoaded = true
    }
}
