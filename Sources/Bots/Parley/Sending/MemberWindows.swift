internal import ChatAPI

/// The times at which a bot sent, or is going to send, messages into groups as a plain member.
///
/// Others count in periods of their own, so no period of any beginning has more than the number that is permitted: a bucket that fills again would allow
/// nearly twice the number in one period.
struct MemberWindows: Sendable {
    /// The groups that are counted at the most. Beyond them, the one that was longest without a message is forgotten.
    static let maximumGroups = 1_000

    private var times: [GroupID: [Double]] = [:]

    /// Takes the turns of some messages. A turn is never given back: it is not known what others have counted.
    ///
    /// - Returns: The seconds until the last of them may be sent.
    mutating func take(_ count: Int, in group: GroupID, _ limits: SendingPace.MemberLimits, at now: Double) -> Double {
        var taken = times[group] ?? []
        taken.removeFirst(taken.firstIndex { $0 > now - limits.longestPeriod } ?? taken.count)
        var time = max(now, taken.last ?? now)
        for _ in 0..<count {
            time = max(time, limits.next(after: taken, at: now))
            taken.append(time)
        }
        if times.count >= Self.maximumGroups, times[group] == nil {
            let idle = times.min { ($0.value.last ?? 0) < ($1.value.last ?? 0) }?.key
            if let idle { times[idle] = nil }
        }
        times[group] = taken
        return time - now
    }
}
