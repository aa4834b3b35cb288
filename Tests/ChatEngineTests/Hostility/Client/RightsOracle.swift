import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

@testable import ChatEngine
@testable import ChatProtocol

/// The oracle of rights: for each fact that a body has changed, it asks the table of rights, ``GroupAction/right``, whether the sender may change it.
///
/// It never looks at the message: the change decides which right is needed. So it knows nothing of the code that reads messages.
struct RightsOracle: Sendable {
    /// Who sent the body, as the receiver knows it.
    enum Sender: Sendable {
        case contact(ContactID)
        /// - Parameter member: As it was before the body.
        case member(GroupMember, GroupInfo)
        /// Somebody who asks for a connection.
        case stranger
        /// A connection that is deleted.
        case nobody
    }

    let sender: Sender
    let before: StoreFacts
    let after: StoreFacts
    /// True if an honest host or relay has passed the body on. Then the author may become known by it.
    var isPassedOn = false

    /// What was changed without a right.
    var violations: [String] {
        after.changes(since: before).compactMap { change in
            let reason =
                switch sender {
                case .contact(let id): ContactRights(contact: "\(id)", before: before, after: after).refusal(of: change)
                case .member(let member, let group): MemberRights(member, group, before: before, after: after, isPassedOn: isPassedOn).refusal(of: change)
                case .stranger: strangersRefusal(of: change)
                case .nobody: Optional("a deleted connection changes something")
                }
            return reason.map { "\($0): \(change.key.table.rawValue) \(change.key.id) \(describe(change))" }
        }
    }

    /// A request makes a contact, a member or a business chat of its own, and changes nothing that is there.
    private func strangersRefusal(of change: StoreFacts.Change) -> String? {
        guard change.before == nil, let new = change.after else { return "a request changes what is there" }
        switch change.key.table {
        case .contact, .group, .connection: return nil
        case .member:
            return GroupMemberRole(code: new["role"] ?? "") <= .member || before[.group, new["group_id"]] == nil ? nil : "a request brings in a moderator"
        case .item: return new["content_kind"] == "sndMsgContent" ? "a request writes in the name of this profile" : nil
        case .own, .reaction, .groupReaction, .file, .moderation, .roster, .relay: return "a request makes more than a contact or a member"
        }
    }

    private func describe(_ change: StoreFacts.Change) -> String {
        change.columns.map { "\($0): \(change.before?[$0]?.prefix(80) ?? "-") → \(change.after?[$0]?.prefix(80) ?? "-")" }.joined(separator: ", ")
    }
}

/// What a contact may change: its own profile, its own messages, and that it is a contact.
private struct ContactRights {
    let contact: String
    let before: StoreFacts
    let after: StoreFacts

    func refusal(of change: StoreFacts.Change) -> String? {
        switch change.key.table {
        case .own, .moderation, .groupReaction, .roster, .relay: return "a contact changes what is this profile's or a group's"
        case .contact:
            guard change.key.id == contact, let old = change.before, let new = change.after else { return "a contact adds or removes contacts" }
            let allowed: Set<String> = ["profile", "status"]
            return change.columns.allSatisfy(allowed.contains) && (old["status"] == new["status"] || new["status"] == "deleted")
                ? nil : "a contact changes more than its profile"
        case .connection:
            guard change.value("contact_id") == contact, change.before != nil, change.after.map({ $0["contact_id"] == contact }) ?? true else {
                return "a contact changes a connection that is not its own"
            }
            return nil
        case .item:
            // The first items of a group to which the contact invites.
            if change.before == nil, let group = change.after?["group_id"], before[.group, group] == nil { return nil }
            guard change.value("contact_id") == contact else { return "a contact changes another chat" }
            if change.before == nil { return change.after?["content_kind"] == "sndMsgContent" ? "a contact writes in the name of this profile" : nil }
            return change.before?["sent"] == "0" || change.columns == ["deleted"] ? refusalOfOwnItem(change) : "a contact changes a message of this profile"
        case .reaction:
            return change.value("contact_id") == contact && change.value("by_user") == "0" ? nil : "a contact reacts for another"
        case .file: return change.value("contact_id") == contact && change.value("sent") == "0" ? nil : "a contact changes a file of another"
        case .group: return change.before == nil ? nil : "a contact changes a group"
        case .member:
            // A member that has proved to be the contact has its profile.
            if change.before?["contact_id"] == contact, change.columns == ["profile"] { return nil }
            // An invitation makes a group with its host and this profile in it.
            guard change.before == nil, before[.group, change.value("group_id")] == nil else { return "a contact changes a member" }
            return nil
        }
    }

    private func refusalOfOwnItem(_ change: StoreFacts.Change) -> String? {
        change.before?["sent"] == "0" ? nil : "a contact changes a message of this profile"
    }
}

/// What a member may change, by the table of rights.
private struct MemberRights {
    let member: GroupMember
    let group: GroupInfo
    let before: StoreFacts
    let after: StoreFacts
    let isPassedOn: Bool
    let acting: ActingMember

    init(_ member: GroupMember, _ group: GroupInfo, before: StoreFacts, after: StoreFacts, isPassedOn: Bool) {
        (self.member, self.group, self.before, self.after, self.isPassedOn) = (member, group, before, after, isPassedOn)
        acting = ActingMember(member)
    }

    private var id: String { "\(member.groupMemberID)" }
    private var ownID: String { "\(group.membership.groupMemberID)" }
    private var groupID: String { "\(group.groupID)" }

    /// Whether the sender has a right itself.
    private func may(_ action: GroupAction, over others: [GroupMemberRole] = [], isHidden: Bool = false) -> Bool {
        RightDecision(action, by: acting, over: others, isHidden: isHidden, inChannel: group.usesRelays).refusal == nil
    }

    /// Whether the sender may pass on what another has done. What governs a channel is signed by its author, and the hostile client has no key of another.
    private func mayPassOn(_ action: GroupAction, of author: [String: String]?) -> Bool {
        guard may(.forward), let author, author["id"] != ownID else { return false }
        let role = GroupMemberRole(code: author["role"] ?? ""), status = GroupMemberStatus(rawValue: author["status"] ?? "")
        if group.usesRelays, action.isSigned, !(action == .leave || action == .changeProfile) || role >= .moderator { return false }
        let acting = ActingMember(
            role: role, standing: MemberStanding(status, category: .post, isForwarded: true), isBlocked: author["blocked"] == "1")
        return RightDecision(action, by: acting, inChannel: group.usesRelays).refusal == nil
    }

    /// Whether the sender may pass on what somebody above it has done.
    private func mayPassOnGoverning(_ action: GroupAction, over others: [GroupMemberRole] = []) -> Bool {
        guard may(.forward), !(group.usesRelays && action.isSigned) else { return false }
        return before.all(.member).contains { author in
            guard author["group_id"] == groupID, author["id"] != ownID else { return false }
            let acting = ActingMember(
                role: GroupMemberRole(code: author["role"] ?? ""),
                standing: MemberStanding(GroupMemberStatus(rawValue: author["status"] ?? ""), category: .post, isForwarded: true),
                isBlocked: author["blocked"] == "1")
            return RightDecision(action, by: acting, over: others, inChannel: group.usesRelays).refusal == nil
        }
    }

    private func mayGovern(_ action: GroupAction, over others: [GroupMemberRole] = []) -> Bool {
        may(action, over: others) || mayPassOnGoverning(action, over: others)
    }

    func refusal(of change: StoreFacts.Change) -> String? {
        switch change.key.table {
        case .own:
            // The link of a group goes with the group, or with this profile's membership.
            let isLink = change.after == nil && change.value("full_link") != nil && change.value("group_id") == groupID
            return isLink && (mayGovern(.deleteGroup) || mayGovern(.remove, over: [group.membership.role])) ? nil : "a member changes what is this profile's"
        case .contact:
            // An invitation to a direct chat makes a contact that this profile has not accepted.
            guard change.before == nil, change.after?["group_member_id"] == id || change.after?["is_user"] == "0" else {
                return "a member changes a contact"
            }
            return [.group, .ownSupport, .othersSupport].contains { may(.inviteAsContact($0)) } ? nil : "a member makes a contact"
        case .reaction: return "a member changes reactions of a contact"
        case .connection: return refusalOfConnection(change)
        case .group: return refusalOfGroup(change)
        case .member: return refusalOfMember(change)
        case .item: return refusalOfItem(change)
        case .groupReaction: return refusalOfReaction(change)
        case .file:
            guard let item = before[.item, change.value("chat_item_id")] ?? after[.item, change.value("chat_item_id")] else { return nil }
            return mayTouch(item, [GroupAction.sendFile, GroupAction.cancelFile]) ? nil : "a member changes a file"
        case .moderation:
            if change.after == nil { return nil }
            return mayGovern(.moderate) ? nil : "a member moderates what comes later"
        // What an owner signs, the hostile client cannot pass on with a change, and the last version is known.
        case .roster: return change.key.id == groupID && may(.publishRoster) ? nil : "a member changes the roster"
        case .relay: return refusalOfRelay(change)
        }
    }

    /// A relay shows its own state to the owner, and ends its own service.
    private func refusalOfRelay(_ change: StoreFacts.Change) -> String? {
        guard change.value("group_member_id") == id, change.before != nil else { return "a member changes a relay" }
        // One who was refused is forgotten with all that it has left. A removal takes the relay from the list.
        if change.after == nil, acting.standing == .rejected { return nil }
        guard change.after != nil else { return mayGovern(.remove, over: [.relay]) ? nil : "a member takes a relay from the list" }
        for column in change.columns {
            switch column {
            case "status": if !may(.acknowledgeRoster) && !may(.leave) { return "a member changes the state of a relay" }
            case "capabilities": if !may(.showRelayCapabilities) && !acting.isInvitee { return "a member shows abilities of a relay" }
            case "relay_link": if !acting.isInvitee { return "a member changes the link of a relay" }
            default: return "a member changes \(column) of a relay"
            }
        }
        return nil
    }

    private func refusalOfConnection(_ change: StoreFacts.Change) -> String? {
        let owner = change.value("group_member_id")
        if change.before == nil { return mayGovern(.introduceMember) || mayGovern(.passInvitation) ? nil : "a member makes a connection" }
        guard change.after?["group_member_id"] ?? owner == owner, change.columns.allSatisfy({ ["status"].contains($0) || change.after == nil }) else {
            return "a member moves a connection"
        }
        if owner == id { return nil }
        // Who goes loses its connection.
        let role = GroupMemberRole(code: before[.member, owner]?["role"] ?? "")
        return mayGovern(.remove, over: [role]) || mayGovern(.deleteGroup) || mayGovern(.remove, over: [group.membership.role]) || may(.forward)
            ? nil : "a member ends the connection of another"
    }

    private func refusalOfGroup(_ change: StoreFacts.Change) -> String? {
        guard change.key.id == groupID, change.before != nil, change.after != nil else { return "a member makes or removes a group" }
        for column in change.columns {
            switch column {
            case "profile": if !mayGovern(.changeGroup) { return "a member changes the group" }
            case "relay_own_status":
                if !mayGovern(.remove, over: [.relay]) && !mayGovern(.deleteGroup) { return "a member ends the service of this relay" }
            case "roster_version", "roster_complete_version": if !may(.publishRoster) { return "a member changes the version of the roster" }
            default: return "a member changes \(column) of the group"
            }
        }
        return nil
    }

    // MARK: Members

    private func refusalOfMember(_ change: StoreFacts.Change) -> String? {
        guard change.value("group_id") == groupID else { return "a member changes another group" }
        guard let old = change.before else { return refusalOfNewMember(change.after ?? [:]) }
        let role = GroupMemberRole(code: old["role"] ?? ""), isSelf = change.key.id == id
        guard let new = change.after else {
            if isSelf, old["status"] == "rejected" { return nil }
            return isSelf && may(.leave) || mayGovern(.remove, over: [role]) ? nil : "a member removes another from the store"
        }
        // One who was known by what others passed on is announced.
        let isAnnounced = old["status"] == "unknown" && new["status"] != "unknown"
        for column in change.columns {
            switch column {
            case "role":
                let roles = [role, GroupMemberRole(code: new["role"] ?? "")]
                if isAnnounced, mayBringIn(roles[1], known: role) { continue }
                if ["pending_approval", "pending_review"].contains(old["status"]), mayGovern(.letIn, over: [roles[1]]) { continue }
                if !mayGovern(.setRole, over: roles) { return "a member changes a role" }
            case "status":
                if let refusal = refusalOfStatus(from: old, to: new["status"] ?? "", role: role, isSelf: isSelf) { return refusal }
            case "blocked": if !mayGovern(.block, over: [role]) { return "a member changes a block" }
            case "profile":
                if isSelf, may(.changeProfile) || may(.showHostProfile) { continue }
                if isAnnounced, mayBringIn(GroupMemberRole(code: new["role"] ?? ""), known: role) { continue }
                if !isSelf, mayPassOn(.changeProfile, of: old) { continue }
                return "a member changes a profile"
            // A relay that is invited shows its link, which the owner checks before it uses it.
            case "relay_link" where isSelf && acting.isInvitee && acting.role == .relay: continue
            case "category", "key":
                if isAnnounced || old["status"] == "unknown" || old["key"] == nil, mayGovern(.announceMember) || mayGovern(.introduceMember) { continue }
                return "a member changes \(column) of a member"
            default: return "a member changes \(column) of a member"
            }
        }
        return nil
    }

    private func refusalOfStatus(from old: [String: String], to status: String, role: GroupMemberRole, isSelf: Bool) -> String? {
        switch (old["status"] ?? "", status) {
        // Who was invited accepts.
        case ("invited", "accepted") where isSelf && acting.isInvitee: return nil
        case (_, "left"): return isSelf && may(.leave) || mayPassOn(.leave, of: old) ? nil : "a member makes another leave"
        case (_, "removed"): return mayGovern(.remove, over: [role]) ? nil : "a member removes another"
        case (_, "deleted"): return mayGovern(.deleteGroup) ? nil : "a member deletes the group"
        case ("pending_approval", _), ("pending_review", _): return mayGovern(.letIn) ? nil : "a member lets somebody in"
        case ("unknown", "announced"), ("unknown", "pending_review"): return mayGovern(.announceMember) ? nil : "a member announces another"
        case ("unknown", "introduced"): return mayGovern(.introduceMember) ? nil : "a member introduces another"
        case (_, "intro-inv"): return mayGovern(.passInvitation) ? nil : "a member passes on an invitation"
        case ("left", _), ("removed", _), ("deleted", _): return "a member brings back one who has gone"
        case ("introduced", "announced"), ("announced", "introduced"): return mayGovern(.introduceMember) ? nil : "a member changes an introduction"
        default: return "a member changes a status"
        }
    }

    /// Whether the sender may tell of a member with a role. A relay introduces subscribers, and those whose role the owner has signed already.
    ///
    /// - Parameter known: The role that the member had before; nil for a new member.
    private func mayBringIn(_ role: GroupMemberRole, known: GroupMemberRole? = nil) -> Bool {
        if group.usesRelays, RosterRules.isPrivileged(role), role != known { return false }
        return mayGovern(.announceMember, over: [role]) || may(.introduceMember) && (!group.usesRelays || role < .owner && role != .relay)
    }

    private func refusalOfNewMember(_ new: [String: String]) -> String? {
        let role = GroupMemberRole(code: new["role"] ?? "")
        if isPassedOn, new["id"] == id { return role <= .member ? nil : "a member becomes known with a role" }
        if new["status"] == "unknown" {
            // The author of what is passed on, or one that an administrator of a channel speaks of.
            let mayName = may(.forward) || group.usesRelays && may(.setRole) || may(.block)
            return role <= .member && mayName || group.usesRelays && may(.setRole, over: [role]) ? nil : "a member makes another up"
        }
        return mayBringIn(role) ? nil : "a member brings in another"
    }

    // MARK: Items

    /// The place of an item for the sender, or for another member.
    private func place(_ item: [String: String], for member: String? = nil) -> ItemPlace {
        if item["parent_item_id"] != nil { return .comments }
        guard item["scope"] != nil else { return .group }
        // Whoever writes to this profile while it waits is shown in its support chat.
        if item["scope_member_id"] == nil, group.membership.status.isPending { return .group }
        return (item["scope_member_id"] ?? ownID) == member ?? id ? .ownSupport : .othersSupport
    }

    private func isHidden(_ item: [String: String]) -> Bool { item["deleted"] == "\(StoredDeletion.blockedByAdmin.rawValue)" }

    private func mayTouch(_ item: [String: String], _ actions: [(ItemPlace) -> GroupAction]) -> Bool {
        actions.contains { action in
            let needed = action(place(item))
            if item["as_group"] == "1", may(.writeAsGroup) || may(.forward) { return true }
            let author = item["group_member_id"]
            guard author == id else { return mayPassOn(action(place(item, for: author)), of: before[.member, author] ?? after[.member, author]) }
            return may(needed, isHidden: isHidden(item))
        }
    }

    private func refusalOfItem(_ change: StoreFacts.Change) -> String? {
        guard change.value("group_id") == groupID else { return "a member changes another chat" }
        guard let old = change.before else { return refusalOfNewItem(change.after ?? [:]) }
        let author = before[.member, old["group_member_id"]]
        // Who leaves takes its support chat with it.
        if change.after == nil, old["scope_member_id"] == id, may(.leave), after[.member, id].map({ $0["status"] == "left" }) ?? true { return nil }
        // One who was refused is forgotten with all that it has left.
        if change.after == nil, old["group_member_id"] == id, acting.standing == .rejected { return nil }
        if after[.member, id] == nil, change.columns.allSatisfy({ ["forwarded_by", "deleted_by"].contains($0) }) { return nil }
        let role = old["sent"] == "1" ? group.membership.role : GroupMemberRole(code: author?["role"] ?? "")
        let columns = Set(change.columns)
        if change.after == nil || columns.contains("deleted") {
            let mayModerate = old["as_group"] == "1" ? may(.deleteAsGroup) || may(.forward) : mayGovern(.moderate, over: [role])
            let mayRemove = mayGovern(.remove, over: [role])
            // Reports of a message are archived with it.
            let isReport = old["content"]?.contains("\"report\"") == true && mayGovern(.moderate)
            return mayTouch(old, [GroupAction.delete]) || mayModerate || mayRemove || isReport ? nil : "a member deletes a message"
        }
        if columns == ["comments_disabled"] { return mayGovern(.closeComments) ? nil : "a member closes a post" }
        if old["as_group"] == "1" { return may(.editAsGroup) || may(.forward) ? nil : "a member edits a post" }
        return mayTouch(old, [GroupAction.edit, GroupAction.sendFile]) ? nil : "a member edits a message"
    }

    private func refusalOfNewItem(_ new: [String: String]) -> String? {
        let kind = new["content_kind"] ?? ""
        guard kind != "sndMsgContent" else { return "a member writes in the name of this profile" }
        let isOwn = new["group_member_id"] == id
        if let shared = new["shared"], new["deleted"] == "0", kind == "rcvMsgContent",
            before.all(.moderation).contains(where: { $0["shared"] == shared && $0["author"] == after[.member, new["group_member_id"]]?["member_id"] })
        {
            return "a member shows what a moderator has deleted"
        }
        guard kind == "rcvMsgContent" else {
            // Notes of what a member did, or of what came from it.
            if isOwn, new["content"]?.contains("memberLeft") == true, may(.leave) { return nil }
            switch acting.standing {
            case .invited, .rejected, .ended: return "one who is not in the group leaves a note"
            case .awaitingApproval, .underReview: return isOwn && place(new) != .group ? nil : "one who waits leaves a note in the group"
            case .member: return isOwn || acting.role >= .moderator || acting.role == .relay || acting.isHost ? nil : "a member leaves a note of another"
            }
        }
        if new["as_group"] == "1" { return may(.writeAsGroup) || may(.forward) ? nil : "a member posts" }
        let decision = RightDecision(.write(place(new)), by: acting, inChannel: group.usesRelays)
        if isOwn {
            if decision == .hide, new["deleted"] == "0" { return "one who is blocked is seen" }
            return decision.refusal == nil ? nil : "a member writes"
        }
        let author = new["group_member_id"]
        // In a body with many messages, the author may have been introduced before it wrote.
        let authors = [before[.member, author], after[.member, author]]
        return authors.contains { mayPassOn(.write(place(new, for: author)), of: $0) }
            ? nil : "a member writes in the name of another"
    }

    private func refusalOfReaction(_ change: StoreFacts.Change) -> String? {
        guard change.value("by_user") == "0" || change.after == nil else { return "a member reacts for this profile" }
        let author = change.value("author") ?? ""
        let stored = before.all(.item).first { item in
            let written = item["sent"] == "1" ? before[.member, ownID] : before[.member, item["group_member_id"]]
            return item["group_id"] == groupID && item["shared"] == change.value("shared") && written?["member_id"] ?? "" == author
        }
        // Reactions go with their message.
        if change.after == nil, let stored, after[.item, stored["id"]] == nil { return nil }
        let places = stored.map { [place($0)] } ?? [.group, .ownSupport, .othersSupport]
        if change.value("group_member_id") == id { return places.contains { may(.react($0)) } ? nil : "a member reacts" }
        let reactor = before[.member, change.value("group_member_id")] ?? after[.member, change.value("group_member_id")]
        return places.contains { mayPassOn(.react($0), of: reactor) } ? nil : "a member reacts in the name of another"
    }
}

extension GroupAction {
    /// Whether the messages of the action count in channels with a signature only.
    fileprivate var isSigned: Bool {
        switch self {
        case .deleteGroup, .changeGroup, .remove, .setRole, .block, .leave, .changeProfile: true
        default: false
        }
    }
}
