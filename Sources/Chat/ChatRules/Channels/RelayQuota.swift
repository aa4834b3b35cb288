package import ChatProtocol

/// Limits on forwarding by a relay, for one channel or for all that it serves. Messages above them wait; nothing is dropped.
package struct RelayQuota: Sendable, Hashable {
    /// Messages of a minute, with edits, deletions, reactions and comments; nil for any number. Minutes are those of the clock.
    package var messagesPerMinute: Int?
    /// Bytes given to subscribers on a day in UTC: the size of each body times its receivers; nil for any number. The body with which they are reached
    /// is still given to all.
    package var bytesPerDay: Int64?

    /// No limits.
    package init(messagesPerMinute: Int? = nil, bytesPerDay: Int64? = nil) {
        self.messagesPerMinute = messagesPerMinute
        self.bytesPerDay = bytesPerDay
    }
}

/// The use of a relay in the minute and on the day of its last message.
package struct RelayUsage: Sendable, Hashable {
    /// The minute, counted from 1970.
    package var minute: Int64 = 0
    /// The messages of that minute.
    package var messages: Int64 = 0
    /// The day, counted from 1970.
    package var day: Int64 = 0
    /// The bytes of that day.
    package var bytes: Int64 = 0

    package init(
        minute: Int64 = 0, messages: Int64 = 0, day: Int64 = 0, bytes: Int64 = 0
    ) {
        self.minute = minute
        self.messages = messages
        self.day = day
        self.bytes = bytes
    }

    package static let secondsPerMinute: Int64 = 60
    package static let secondsPerDay: Int64 = 86_400

    /// The use at a time: that of another minute or day counts no more, also if the clock was set back.
    package func at(_ time: UTCTimestamp) -> RelayUsage {
        let minute = time.seconds / Self.secondsPerMinute, day = time.seconds / Self.secondsPerDay
        return RelayUsage(minute: minute, messages: minute == self.minute ? messages : 0, day: day, bytes: day == self.day ? bytes : 0)
    }

    /// The use after more of it at a time. Sums stop at the largest number.
    package func adding(messages more: Int = 0, bytes moreBytes: Int64 = 0, at time: UTCTimestamp) -> RelayUsage {
        var usage = at(time)
        usage.messages = Self.sum(usage.messages, Int64(more))
        usage.bytes = Self.sum(usage.bytes, moreBytes)
        return usage
    }

    package static func sum(_ one: Int64, _ two: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(two)
        return overflow ? .max : sum
    }
}

/// The decision about how much a relay may pass on now.
package enum RelayAllowance: Sendable, Hashable {
    /// Messages at the most; nil for any number.
    case messages(Int?)
    /// Nothing before a time.
    case wait(until: UTCTimestamp)

    /// The decision under two quotas: both must allow it.
    package func and(_ other: RelayAllowance) -> RelayAllowance {
        switch (self, other) {
        case (.wait(let one), .wait(let two)): .wait(until: max(one, two))
        case (.wait, _): self
        case (_, .wait): other
        case (.messages(let one), .messages(let two)): .messages(one.flatMap { one in two.map { min(one, $0) } ?? one } ?? two)
        }
    }
}

extension RelayQuota {
    /// Decides how much may be passed on.
    package func allowance(_ usage: RelayUsage, at time: UTCTimestamp) -> RelayAllowance {
        let current = usage.at(time)
        if let bytesPerDay, current.bytes >= bytesPerDay {
            return .wait(until: UTCTimestamp(seconds: (current.day + 1) * RelayUsage.secondsPerDay))
        }
        guard let messagesPerMinute else { return .messages(nil) }
        let left = Int64(messagesPerMinute) - current.messages
        return left > 0
            ? .messages(Int(clamping: left)) : .wait(until: UTCTimestamp(seconds: (current.minute + 1) * RelayUsage.secondsPerMinute))
    }
}

extension RelayQuota {
    /// The wait of a channel that has had its share, while others have not. It is short, because they may need no more.
    package static let turn: Int64 = 1

    /// Decides how much may be passed on for one channel out of a quota for all of them, so that none uses up what others need (max-min fairness).
    ///
    /// The remainder is filled up evenly: the channel that has used least comes first. A channel may use everything when no other one waits.
    ///
    /// - Parameters:
    ///   - own: The use by the channel.
    ///   - total: The use by all channels.
    ///   - others: The use by each of the other channels that have something to pass on now.
    package func share(_ own: RelayUsage, of total: RelayUsage, others: [RelayUsage], at time: UTCTimestamp) -> RelayAllowance {
        let allowance = allowance(total, at: time)
        guard case .messages(let left) = allowance, !others.isEmpty else { return allowance }
        let (own, total, others) = (own.at(time), total.at(time), others.map { $0.at(time) })
        let turn = RelayAllowance.wait(until: time.adding(seconds: Self.turn))
        if let bytesPerDay {
            let level = Self.level(left: bytesPerDay - total.bytes, used: [own.bytes] + others.map(\.bytes))
            if own.bytes >= level { return turn }
        }
        guard let left else { return .messages(nil) }
        let level = Self.level(left: Int64(left), used: [own.messages] + others.map(\.messages))
        return own.messages >= level ? turn : .messages(min(left, Int(clamping: level - own.messages)))
    }

    /// The use up to which all may come if what is left is added where least is used, rounded up. It is above the least use if anything is left.
    private static func level(left: Int64, used: [Int64]) -> Int64 {
        let used = used.sorted()
        var sum = left
        for (index, use) in used.enumerated() {
            sum = RelayUsage.sum(sum, use)
            let count = Int64(index + 1), level = sum / count + (sum % count > 0 ? 1 : 0)
            // Those that have used more than that get nothing.
            if index + 1 == used.count || level <= used[index + 1] { return level }
        }
        return left
    }
}
