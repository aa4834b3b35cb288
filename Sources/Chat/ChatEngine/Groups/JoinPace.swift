import ChatAPI
import Logging
import Synchronization
import SystemSupport

/// The number of messages that joins of strangers may make a host send.
///
/// A join costs the host about three messages for each member: it introduces the newcomer to every member and every member to the newcomer, and the end of
/// the membership is announced again. A joiner beyond the pace waits for its turn.
package struct JoinPace: Sendable, Hashable {
    /// Messages that the joins of one group may cause at once after a time of rest.
    package var burst: Int
    /// Messages a second from then on.
    package var perSecond: Double

    /// - Parameters:
    ///   - burst: At least 1.
    ///   - perSecond: More than zero.
    package init(burst: Int = 20_000, perSecond: Double = 100) {
        self.burst = max(1, burst)
        self.perSecond = max(0.001, perSecond)
    }

    /// Messages for each member of a group that one join causes.
    static let messagesPerMember = 3
    /// Further messages of a join: the answer, the history, and all messages of a join in a channel, where nobody is introduced.
    static let messagesPerJoin = 4

    /// The messages that a join causes.
    static func cost(of group: GroupInfo) -> Int {
        let members = group.usesRelays || group.businessChat != nil ? 0 : Int(clamping: max(0, group.groupSummary.currentMembers))
        let (introductions, isTooMany) = members.multipliedReportingOverflow(by: messagesPerMember)
        return isTooMany ? .max / 2 : introductions + messagesPerJoin
    }
}

/// The turns of joiners: a bucket of messages for each group. Counts are in memory: after a restart the buckets are full.
final class JoinPacer: Sendable {
    /// Groups whose buckets are kept at the most; a full bucket needs no keeping.
    static let maximumGroups = 1_000

    private struct State {
        /// When all joins so far are paid for, in seconds of the clock.
        var paidAt: [GroupID: Double] = [:]
        /// The turns of members who have one and are not let in yet.
        var turns: [GroupMemberID: Double] = [:]
    }

    private let pace: JoinPace
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    init(_ pace: JoinPace, clock: any Clock<Duration>) {
        self.pace = pace
        elapsed = clock.stopwatch()
    }

    /// Takes a turn for a member, once.
    ///
    /// - Parameter cost: The messages that the join causes.
    /// - Returns: The time until the turn has come; nil if it has.
    func wait(for member: GroupMemberID, in group: GroupID, cost: Int) -> Duration? {
        let now = elapsed() / .seconds(1)
        return state.withLock { state in
            let turn = state.turns[member] ?? take(cost, group, now, &state)
            state.turns[member] = turn
            return turn > now ? .seconds(turn - now) : nil
        }
    }

    /// A member is let in, or will not be: its turn is over.
    func end(_ member: GroupMemberID) { state.withLock { $0.turns[member] = nil } }

    /// Members who have a turn.
    var waitingCount: Int { state.withLock(\.turns.count) }

    private func take(_ cost: Int, _ group: GroupID, _ now: Double, _ state: inout State) -> Double {
        let burst = Double(pace.burst) / pace.perSecond
        if state.paidAt.count >= Self.maximumGroups, state.paidAt[group] == nil { Self.forgetPaid(&state, before: now - burst) }
        let before = max(state.paidAt[group] ?? (now - burst), now - burst)
        // A join that costs more than the bucket holds is let through when the bucket is full.
        let paid = before + min(Double(cost), Double(pace.burst)) / pace.perSecond
        state.paidAt[group] = paid
        return paid
    }

    private static func forgetPaid(_ state: inout State, before limit: Double) {
        state.paidAt = state.paidAt.filter { $0.value > limit }
        guard state.paidAt.count >= maximumGroups else { return }
        let kept = state.paidAt.sorted { $0.value > $1.value }.prefix(maximumGroups / 2)
        state.paidAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
