import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent

/// Performs jobs about channels and their relays.
struct ChannelJobPerformer: Sendable {
    let channels: ChannelConnector
    let clock: EngineClock

    func perform(_ job: ChannelJob, agentUser: Int64) async throws {
        switch job {
        case .acceptRelay(let member): try await channels.acceptRelay(member)
        case .serve(let group): try await channels.serve(group)
        case .joinRelay(let member): try await channels.joinRelay(member)
        case .findRelays(let group, let until): try await findRelays(group, until)
        case .answerTest(let invitation, let challenge, let limit):
            try await channels.answerTest(InvitationID(invitation), challenge: challenge, agentUser: agentUser, until: limit)
        }
    }

    /// Looks often at first: a relay that is invited again is there after some seconds, and posts do not wait for subscribers.
    private func findRelays(_ group: GroupID, _ limit: UTCTimestamp) async throws {
        do {
            try await channels.findRelays(group, until: limit)
        } catch {
            let elapsed = clock.time.now.seconds - limit.seconds + Channels.relaySearchPeriod
            guard ChatCoreError(thrown: error).isTemporary, (0..<120).contains(elapsed) else { throw error }
            throw JobPostponement(delay: .seconds(min(max(2, elapsed), 10)))
        }
    }
}
