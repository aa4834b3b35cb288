import ChatAPI
import ChatRules
import ChatStore
import Logging
import SMPAgent

/// Performs jobs about groups and their members.
struct GroupJobPerformer: Sendable {
    let members: MemberConnector
    let joins: JoinPacer
    /// Tells whether a relay refuses one who joins, and tells them.
    let refuses: @Sendable (GroupMemberID, InvitationID) async throws -> Bool
    let logger: Logger

    func perform(_ job: GroupJob, agentUser: Int64) async throws {
        switch job {
        case .publishLink(let group): try await members.publishLink(of: group, agentUser: agentUser)
        case .createConnection(let member): try await members.createConnection(for: member)
        case .join(let member, let link): try await members.join(member, by: link)
        case .accept(let member, let invitation, let answer, let replacesConnection):
            if !replacesConnection, try await refuses(member, InvitationID(invitation)) { return joins.end(member) }
            if case .admit = answer { try await waitForTurn(of: member) }
            do {
                try await members.accept(member, InvitationID(invitation), answer)
                joins.end(member)
            } catch {
                if !ChatCoreError(thrown: error).isTemporary { joins.end(member) }
                throw error
            }
        case .joinContact(let contact): try await members.joinContact(contact)
        }
    }

    /// Ends the turn of a member whose request is not answered any more.
    func giveUp(_ job: GroupJob) {
        if case .accept(let member, _, _, _) = job { joins.end(member) }
    }

    /// - Throws: ``JobPostponement`` while others who join the group have their turn first.
    private func waitForTurn(of id: GroupMemberID) async throws {
        guard let target = try await members.target(id), target.connection == nil else { return }
        guard let wait = joins.wait(for: id, in: target.group.groupID, cost: JoinPace.cost(of: target.group)) else { return }
        logger.notice("a join waits for its turn: too many come to one group", metadata: ["code": "join.waits", "seconds": "\(wait.components.seconds)"])
        throw JobPostponement(delay: wait)
    }
}
