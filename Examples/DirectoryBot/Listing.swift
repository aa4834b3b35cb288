import Foundation
import Parley

/// A group in the directory, or on its way into it: stored for the group. A value without I/O.
struct Listing: StoredState, Hashable {
    enum Status: String, Codable, Sendable {
        /// The group was never submitted.
        case none
        /// The submitter has to confirm the description.
        case unconfirmed
        /// An admin of the directory has to decide.
        case pending
        case listed, rejected, suspended
        /// The bot is no admin of the group any more, or was removed.
        case unavailable
    }

    /// The treatment of new members who wait to be admitted.
    enum Admission: String, Codable, CaseIterable, Sendable {
        /// The moderators decide.
        case manual
        /// Those with forbidden names are refused, and the others admitted.
        case names
        /// Those with forbidden names are refused, and the others have to answer a question.
        case captcha
    }

    /// A change that somebody is to be told of.
    enum Change: Hashable, Sendable {
        case edited, unavailable, available
    }

    var status = Status.none
    /// The contact who submitted the group: the only one who may confirm, delete and filter.
    var submitter = ""
    /// False for a group that was submitted by its link: then nobody knows whether the submitter owns it.
    var isByOwner = false
    var link = ""
    /// The description that was, or is to be, approved.
    var description = GroupDescription()
    /// The number of the description: an approval is of one revision.
    var revision = 0
    var listedAt = Date.distantPast
    var admission = Admission.manual

    /// Begins the way into the directory, also of a group that was in it before.
    mutating func submit(by submitter: String, isByOwner: Bool, link: String, _ facts: GroupFacts) {
        (self.submitter, self.isByOwner, self.link) = (submitter, isByOwner, link)
        (status, description, revision) = (.unconfirmed, facts.description, revision + 1)
    }

    /// Confirms the description. False if there is nothing to confirm.
    mutating func confirm() -> Bool {
        guard status == .unconfirmed else { return false }
        status = .pending
        return true
    }

    /// Approves a revision. False if it is not the one that waits.
    mutating func approve(_ revision: Int, at time: Date) -> Bool {
        guard status == .pending, revision == self.revision else { return false }
        (status, listedAt) = (.listed, time)
        return true
    }

    /// Compares with what the group is now. A change takes the group out of the directory until it is approved again.
    mutating func review(_ facts: GroupFacts) -> Change? {
        let isEdited = facts.description != description
        switch status {
        case .none, .rejected, .suspended: return nil
        case .unavailable:
            guard isUsable(facts) else { return nil }
            (status, description, revision) = (.pending, facts.description, revision + 1)
            return .available
        case .unconfirmed, .pending, .listed:
            guard isUsable(facts) else {
                status = .unavailable
                return .unavailable
            }
            guard isEdited else { return nil }
            (description, revision) = (facts.description, revision + 1)
            guard status != .unconfirmed else { return nil }
            status = .pending
            return .edited
        }
    }

    /// True for a group that searches find: also when a change of it was missed, none is shown that was not approved.
    func isShown(_ facts: GroupFacts) -> Bool { status == .listed && facts.description == description && isUsable(facts) }

    /// A group whose owner submitted it must let the bot admit newcomers by its link.
    private func isUsable(_ facts: GroupFacts) -> Bool { isByOwner ? facts.isAdmin : facts.isMember }
}

/// The profile of a group, as far as it is approved.
struct GroupDescription: Codable, Hashable, Sendable {
    var name = ""
    var summary = ""
    var welcome = ""
    var image = ""

    /// The text that people see before they join.
    var text: String { [name, summary, welcome].filter { !$0.isEmpty }.joined(separator: "\n") }
}

/// A group as it is now.
struct GroupFacts: Hashable, Sendable {
    var description: GroupDescription
    var members: Int64
    var isMember: Bool
    var isAdmin: Bool
}

extension GroupFacts {
    init(_ group: BotGroup) {
        let profile = group.info.groupProfile
        description = GroupDescription(
            name: profile.displayName, summary: profile.shortDescription ?? "", welcome: profile.description ?? "", image: profile.image?.uri ?? "")
        members = group.info.groupSummary.publicMemberCount ?? group.info.groupSummary.currentMembers
        (isMember, isAdmin) = (group.isMember, group.canManageMembers)
    }
}
