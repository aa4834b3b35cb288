import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPWire

/// The bodies that some members of a channel get before that of a job: the authors whom they do not know, and the roster if they never got one.
struct RelayIntroductions: Sendable {
    private struct Introduction: Sendable {
        var body: Bytes
        var requestKey: Int64
        var targets: Set<GroupMemberID>
    }

    private var introductions: [Introduction] = []
    private var introduced: [GroupMemberID: IntroducedMembers] = [:]
    private var servedRoster: (version: RosterVersion, targets: [GroupMemberID])?

    /// No bodies.
    init() {}

    /// - Throws: An error of the database.
    init(before job: RelayJob, for targets: [RelayTarget], db: Database) throws {
        guard let firstKey = job.introductionKey, !targets.isEmpty else { return }
        let senders = try job.senders.map { try db.members.find($0) }
        // Most posts are of owners, whom everybody knows.
        guard senders.contains(where: { $0.map { RelayIntroductionRules.introduces($0, isListed: true) } ?? false }),
            let user = try db.groups.userID(ofGroup: job.group), let group = try db.groups.find(job.group, user: user)
        else { return }
        let roster = try db.rosters.stored(of: job.group)
        let listed = Set((roster.flatMap { try? RosterList(wireBytes: $0.list) }?.members ?? []).map(\.memberID))
        if let roster, senders.contains(where: { $0.map { listed.contains($0.memberID) } ?? false }) {
            let missing = targets.filter { $0.knowsRosters && !$0.hasRoster }.map(\.member)
            if !missing.isEmpty {
                for (index, body) in roster.bodies.prefix(RelayJob.maximumRosterBodies).enumerated() {
                    introductions.append(
                        Introduction(body: body, requestKey: firstKey + Int64(index), targets: Set(missing)))
                }
                servedRoster = (roster.version, missing)
            }
        }
        for (index, sender) in senders.enumerated() {
            guard let sender, RelayIntroductionRules.introduces(sender, isListed: listed.contains(sender.memberID)) else { continue }
            var known = try db.introductions.introductions(of: sender.groupMemberID, to: targets.map(\.index))
            let missing = targets.filter { $0.member != sender.groupMemberID && !known.isKnown(to: $0.index) }
            guard !missing.isEmpty, let body = Self.body(of: sender, in: group) else { continue }
            for target in missing { known.introduce(to: target.index) }
            introduced[sender.groupMemberID] = known
            introductions.append(
                Introduction(body: body, requestKey: firstKey + Int64(RelayJob.maximumRosterBodies + index), targets: Set(missing.map(\.member))))
        }
    }

    /// The introduction of a member; without its picture if that is too large, and nil if it is too large even so.
    private static func body(of member: GroupMember, in group: GroupInfo) -> Bytes? {
        var info = MemberInfo(member, in: group)
        for _ in 0..<2 {
            if let body = try? ChatMessage(event: .newMember(info, scope: nil)).body(limit: ChatLimits.encodedMessage) { return body }
            info.profile.image = nil
        }
        return nil
    }

    /// The bodies for a member, in order, with the numbers under which the agent knows them.
    func introductionBodies(for target: GroupMemberID) -> [(body: Bytes, requestKey: Int64)] {
        introductions.filter { $0.targets.contains(target) }.map { ($0.body, $0.requestKey) }
    }

    /// Notes who knows whom now.
    func noteIntroductions(_ db: Database) throws {
        for (sender, known) in introduced { try db.introductions.update(known, of: sender) }
        for target in servedRoster?.targets ?? [] { if let version = servedRoster?.version { try db.rosters.update(servedVersion: version, to: target) } }
    }
}
