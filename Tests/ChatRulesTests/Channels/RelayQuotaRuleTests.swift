import ChatProtocol
import Testing

@testable import ChatRules

@Suite("The quotas of relays")
struct RelayQuotaRuleTests {
    /// The beginning of a day, and of a minute.
    private static let midnight = UTCTimestamp(seconds: 20_000 * 86_400)

    private func usage(messages: Int = 0, bytes: Int64 = 0, at time: UTCTimestamp = midnight) -> RelayUsage {
        RelayUsage().adding(messages: messages, bytes: bytes, at: time)
    }

    // MARK: Use

    @Test("the messages of a minute and the bytes of a day count until these are over, and not if the clock is set back")
    func periods() {
        let used = usage(messages: 3, bytes: 500)
        #expect(used.at(Self.midnight.adding(seconds: 59)).messages == 3)
        #expect(used.at(Self.midnight.adding(seconds: 60)).messages == 0 && used.at(Self.midnight.adding(seconds: -1)).messages == 0)
        #expect(used.at(Self.midnight.adding(seconds: 86_399)).bytes == 500)
        #expect(used.at(Self.midnight.adding(seconds: 86_400)).bytes == 0 && used.at(Self.midnight.adding(seconds: -1)).bytes == 0)
    }

    @Test("use adds up within its minute and day, and stops at the largest number")
    func sums() {
        let next = usage(messages: 3, bytes: 500).adding(messages: 2, bytes: 10, at: Self.midnight.adding(seconds: 61))
        #expect(next.messages == 2 && next.bytes == 510)
        let most = usage(messages: .max, bytes: .max).adding(messages: 1, bytes: 1, at: Self.midnight)
        #expect(most.messages == .max && most.bytes == .max)
    }

    // MARK: One quota

    @Test("without limits, any number may be passed on")
    func unlimited() { #expect(RelayQuota().allowance(usage(messages: 1_000_000, bytes: .max), at: Self.midnight) == .messages(nil)) }

    @Test("what is left of the minute may be passed on, and the rest waits for the next one")
    func messageLimit() {
        let quota = RelayQuota(messagesPerMinute: 10), now = Self.midnight.adding(seconds: 30)
        #expect(quota.allowance(usage(messages: 9), at: now) == .messages(1))
        for used in [10, 11] { #expect(quota.allowance(usage(messages: used), at: now) == .wait(until: Self.midnight.adding(seconds: 60))) }
        #expect(quota.allowance(usage(messages: 11), at: Self.midnight.adding(seconds: 60)) == .messages(10))
    }

    @Test("a day whose bytes are used up makes everything wait for the next one, whatever is left of the minute")
    func byteLimit() {
        let quota = RelayQuota(messagesPerMinute: 10, bytesPerDay: 1_000), now = Self.midnight.adding(seconds: 30)
        #expect(quota.allowance(usage(bytes: 999), at: now) == .messages(10), "the body that reaches the limit is still given to all")
        for used in [Int64(1_000), 1_001, .max] { #expect(quota.allowance(usage(bytes: used), at: now) == .wait(until: Self.midnight.adding(seconds: 86_400))) }
    }

    @Test("two quotas allow what both allow, and wait for the later one")
    func together() {
        let early = Self.midnight, late = Self.midnight.adding(seconds: 60)
        #expect(RelayAllowance.messages(3).and(.messages(5)) == .messages(3) && RelayAllowance.messages(5).and(.messages(3)) == .messages(3))
        #expect(RelayAllowance.messages(nil).and(.messages(5)) == .messages(5) && RelayAllowance.messages(5).and(.messages(nil)) == .messages(5))
        #expect(RelayAllowance.messages(nil).and(.messages(nil)) == .messages(nil))
        #expect(RelayAllowance.wait(until: early).and(.messages(5)) == .wait(until: early))
        #expect(RelayAllowance.messages(nil).and(.wait(until: early)) == .wait(until: early))
        #expect(RelayAllowance.wait(until: early).and(.wait(until: late)) == .wait(until: late))
        #expect(RelayAllowance.wait(until: late).and(.wait(until: early)) == .wait(until: late))
    }

    // MARK: Shares of a quota

    private func share(_ quota: RelayQuota, own: RelayUsage, others: [RelayUsage], idle: RelayUsage? = nil) -> RelayAllowance {
        var total = own
        for other in others + [idle].compactMap({ $0 }) { total = total.adding(messages: Int(other.messages), bytes: other.bytes, at: Self.midnight) }
        return quota.share(own, of: total, others: others, at: Self.midnight)
    }

    private static let turn = RelayAllowance.wait(until: midnight.adding(seconds: 1))

    @Test("a channel may use everything that is left while no other one waits")
    func alone() {
        let quota = RelayQuota(messagesPerMinute: 10)
        #expect(share(quota, own: usage(messages: 6), others: []) == .messages(4))
        #expect(share(quota, own: usage(messages: 10), others: []) == .wait(until: Self.midnight.adding(seconds: 60)))
    }

    @Test("channels that have used the same get the same, rounded up", arguments: [(9, 3), (10, 4), (1, 1), (2, 1)])
    func evenShares(limit: Int, share expected: Int) {
        #expect(share(RelayQuota(messagesPerMinute: limit), own: usage(), others: [usage(), usage()]) == .messages(expected))
    }

    @Test("what is left goes to the channel that has used least, until it has caught up")
    func leastUsedFirst() {
        let quota = RelayQuota(messagesPerMinute: 10)
        #expect(share(quota, own: usage(), others: [usage(messages: 6)]) == .messages(4))
        #expect(share(quota, own: usage(messages: 6), others: [usage()]) == Self.turn)
        // Six are left: three until it has caught up, then both get half of the rest.
        #expect(share(quota, own: usage(messages: 1), others: [usage(messages: 3)]) == .messages(4))
        #expect(share(quota, own: usage(messages: 3), others: [usage(messages: 1)]) == .messages(2))
    }

    @Test("a channel that has had exactly its share waits for its turn")
    func exactShare() {
        // An idle channel has used two: four are left, up to which the other one comes.
        #expect(share(RelayQuota(messagesPerMinute: 10), own: usage(messages: 4), others: [usage()], idle: usage(messages: 2)) == Self.turn)
        #expect(share(RelayQuota(bytesPerDay: 1_000), own: usage(bytes: 400), others: [usage()], idle: usage(bytes: 200)) == Self.turn)
        #expect(share(RelayQuota(bytesPerDay: 1_000), own: usage(bytes: 399), others: [usage()], idle: usage(bytes: 200)) == .messages(nil))
    }

    @Test("the bytes of a day are shared as the messages of a minute are, and both limits hold")
    func bothLimits() {
        let quota = RelayQuota(messagesPerMinute: 10, bytesPerDay: 1_000)
        #expect(share(quota, own: usage(bytes: 900), others: [usage()]) == Self.turn)
        #expect(share(quota, own: usage(messages: 2), others: [usage(messages: 2, bytes: 900)]) == .messages(3))
    }

    @Test("use of an earlier minute does not count for the share")
    func earlierUse() {
        let before = usage(messages: 10, at: Self.midnight.adding(seconds: -60))
        #expect(RelayQuota(messagesPerMinute: 10).share(before, of: before, others: [usage()], at: Self.midnight) == .messages(5))
    }
}
