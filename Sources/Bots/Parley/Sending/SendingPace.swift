public import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Synchronization
internal import SystemSupport

/// The pace at which a bot sends messages.
///
/// A bot may send some messages at once, and from then on so many a second. Messages that are received count in its favour, one for one, and those that one
/// author sent in one body together as one: a bot that answers is not slowed, and nobody makes it send hundreds with a single message. A call that sends
/// above the pace waits for its turn. Reactions, edits, deletions and what moderates do not wait.
public struct SendingPace: Sendable, Hashable {
    /// A number of messages at once, and a number a second.
    public struct Rate: Sendable, Hashable {
        /// Messages that can be sent without a wait.
        public let burst: Double
        /// Messages a second from then on.
        public let perSecond: Double

        /// - Parameters:
        ///   - burst: at least 1.
        ///   - perSecond: more than zero.
        public init(burst: Int, perSecond: Double) {
            self.burst = Double(max(1, burst))
            self.perSecond = max(0.001, perSecond)
        }
    }

    /// Numbers of messages that a plain member may send into a group in a minute, an hour and a day.
    ///
    /// The network plans to enforce such numbers: at the sender, at those who forward, and at each member. Moderators, admins and owners are exempt.
    public struct MemberLimits: Sendable, Hashable {
        /// Messages in any minute.
        public let perMinute: Int
        /// Messages in any hour.
        public let perHour: Int
        /// Messages in any day.
        public let perDay: Int

        /// - Parameters:
        ///   - perMinute: 20 unless another number is given; 1 to 10,000, as the others.
        ///   - perHour: 300 unless another number is given.
        ///   - perDay: 1,500 unless another number is given.
        public init(perMinute: Int = 20, perHour: Int = 300, perDay: Int = 1_500) {
            func bounded(_ number: Int) -> Int { min(max(1, number), Self.maximum) }
            (self.perMinute, self.perHour, self.perDay) = (bounded(perMinute), bounded(perHour), bounded(perDay))
        }

        /// The numbers that the network plans.
        public static let planned = MemberLimits()
        /// The greatest number.
        package static let maximum = 10_000

        /// Seconds after which a message counts no more.
        var longestPeriod: Double { 86_400 }

        /// The time at which the next message may be sent.
        ///
        /// - Parameter taken: The times of the messages before it, oldest first.
        func next(after taken: [Double], at now: Double) -> Double {
            [(perMinute, 60), (perHour, 3_600), (perDay, longestPeriod)].reduce(now) { time, period in
                taken.count < period.0 ? time : max(time, taken[taken.count - period.0] + period.1)
            }
        }
    }

    /// The limits of what the bot sends into a group in which it is no moderator; nil for none, the default. Messages that are received do not count in its
    /// favour.
    public var asMember: MemberLimits?
    /// The pace in each chat; nil for none.
    public var perChat: Rate?
    /// The pace in all chats of the bot together; nil for none.
    public var perProfile: Rate?

    /// - Parameters:
    ///   - perChat: 30 messages at once and 5 a second, unless another is given; nil for none.
    ///   - perProfile: 300 messages at once and 100 a second, unless another is given; nil for none.
    ///   - asMember: The limits in groups in which the bot is no moderator; nil for none.
    public init(perChat: Rate? = Rate(burst: 30, perSecond: 5), perProfile: Rate? = Rate(burst: 300, perSecond: 100), asMember: MemberLimits? = nil) {
        self.perChat = perChat
        self.perProfile = perProfile
        self.asMember = asMember
    }

    /// No pace: everything is sent at once.
    public static let off = SendingPace(perChat: nil, perProfile: nil)
}

extension ChatCoreError.Code {
    /// Too many calls wait to send into the chat. Nothing was sent.
    public static let tooManyMessages = Self(rawValue: "send.tooManyMessages")
}

/// The messages that may be sent at once, as they are used up and come back. Below zero are those that wait.
struct TokenBucket: Sendable, Hashable {
    private(set) var tokens: Double
    private var time: Double

    init(_ rate: SendingPace.Rate, at now: Double) {
        tokens = rate.burst
        time = now
    }

    mutating func refill(_ rate: SendingPace.Rate, at now: Double) {
        tokens = min(rate.burst, tokens + max(0, now - time) * rate.perSecond)
        time = now
    }

    /// Takes the turn of some messages.
    ///
    /// - Returns: the seconds until the turn has come.
    mutating func take(_ count: Int, _ rate: SendingPace.Rate) -> Double {
        tokens -= Double(count)
        return max(0, -tokens / rate.perSecond)
    }

    /// Gives turns back.
    mutating func give(_ count: Int, _ rate: SendingPace.Rate) { tokens = min(rate.burst, tokens + Double(count)) }

    func isFull(_ rate: SendingPace.Rate) -> Bool { tokens >= rate.burst }
}

/// Delays messages above the bot's pace, in the order of the calls.
final class SendingPacer: Sendable {
    /// Calls that wait for their turn in one chat at the most.
    static let longestQueue = 100
    /// Chats that are counted at the most. A chat whose bucket is full needs no counting; beyond them, those with the fullest buckets are forgotten.
    static let maximumChats = 10_000

    private struct State {
        var members = MemberWindows()
        var profile: TokenBucket?
        var chats: [String: TokenBucket] = [:]
        var waiting: [String: Int] = [:]
        /// The newest body of each chat that has counted.
        var bodies: [String: CountedBody] = [:]
    }

    /// A body, and the authors whose messages in it have counted: a host or relay passes on those of several.
    private struct CountedBody {
        let receivedAt: UTCTimestamp
        var authors: Set<GroupMemberID?>
    }

    private let pace: SendingPace
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// - Parameter clock: measures the pace.
    init(_ pace: SendingPace, clock: any Clock<Duration>) {
        self.pace = pace
        elapsed = clock.stopwatch()
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Waits for the turn of some messages.
    ///
    /// - Parameter group: The group into which the bot writes as a plain member; nil for another chat.
    /// - Throws: `ChatCoreError` with the code `send.tooManyMessages` if ``longestQueue`` calls wait in the chat, and `core.cancelled` if the task is
    ///   cancelled. Then nothing may be sent.
    func wait(for count: Int, in chat: String, asMemberOf group: GroupID? = nil) async throws(ChatCoreError) {
        guard pace != .off else { return }
        let delay = state.withLock { state -> Double? in
            guard state.waiting[chat, default: 0] < Self.longestQueue else { return nil }
            var delay = take(count, chat, &state)
            if let group, let limits = pace.asMember { delay = max(delay, state.members.take(count, in: group, limits, at: elapsed().seconds)) }
            if delay > 0 { state.waiting[chat, default: 0] += 1 }
            return delay
        }
        guard let delay else {
            throw ChatCoreError(.tooManyMessages, "\(Self.longestQueue) calls wait to send into the chat: send less, or raise the pace of the bot")
        }
        guard delay > 0 else { return }
        defer { endWait(chat) }
        do {
            try await sleep(.seconds(delay))
        } catch {
            state.withLock { give(count, chat, &$0) }
            throw ChatCoreError(.cancelled, "The wait before a message was interrupted.", cause: error)
        }
    }

    /// A message was received in a chat: it can be answered at once.
    ///
    /// - Parameters:
    ///   - time: When it was stored, which is the same for all messages of one body.
    ///   - author: The member who wrote it; nil for the contact.
    func received(in chat: String, at time: UTCTimestamp, from author: GroupMemberID?) {
        guard pace != .off else { return }
        state.withLock { state in
            if state.bodies[chat]?.receivedAt == time {
                guard state.bodies[chat]?.authors.insert(author).inserted == true else { return }
            } else {
                if state.bodies.count >= Self.maximumChats, state.bodies[chat] == nil { state.bodies = [:] }
                state.bodies[chat] = CountedBody(receivedAt: time, authors: [author])
            }
            give(1, chat, &state)
        }
    }

    /// True if messages of plain members have limits.
    var limitsMembers: Bool { pace.asMember != nil }

    /// Calls that wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0, +) } }

    private func take(_ count: Int, _ chat: String, _ state: inout State) -> Double {
        let now = elapsed().seconds
        var delay = 0.0
        if let rate = pace.perProfile {
            var bucket = state.profile ?? TokenBucket(rate, at: now)
            bucket.refill(rate, at: now)
            delay = bucket.take(count, rate)
            state.profile = bucket
        }
        if let rate = pace.perChat {
            var bucket = state.chats[chat] ?? TokenBucket(rate, at: now)
            bucket.refill(rate, at: now)
            delay = max(delay, bucket.take(count, rate))
            if state.chats.count >= Self.maximumChats, state.chats[chat] == nil { Self.forget(&state, rate, now) }
            state.chats[chat] = bucket
        }
        return delay
    }

    private func give(_ count: Int, _ chat: String, _ state: inout State) {
        if let rate = pace.perProfile { state.profile?.give(count, rate) }
        guard let rate = pace.perChat else { return }
        state.chats[chat]?.give(count, rate)
        if state.chats[chat]?.isFull(rate) == true { state.chats[chat] = nil }
    }

    private func endWait(_ chat: String) {
        state.withLock { state in
            let left = state.waiting[chat, default: 1] - 1
            state.waiting[chat] = left > 0 ? left : nil
        }
    }

    private static func forget(_ state: inout State, _ rate: SendingPace.Rate, _ now: Double) {
        for (chat, var bucket) in state.chats {
            bucket.refill(rate, at: now)
            if bucket.isFull(rate) { state.chats[chat] = nil }
        }
        guard state.chats.count >= maximumChats else { return }
        // Those that have the most left are the nearest to a full bucket.
        for (chat, _) in state.chats.sorted(by: { $0.value.tokens > $1.value.tokens }).prefix(maximumChats / 2) { state.chats[chat] = nil }
    }
}

extension ChatItem {
    /// The member who wrote a message of a group; nil for other items.
    var author: GroupMemberID? { if case .groupReceived(let member) = direction { member.groupMemberID } else { nil } }
}
