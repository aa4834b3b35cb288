import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

/// The consequences of a transaction, dispatched once it is on disk.
struct Effects: Sendable {
    /// Events for subscribers, in order.
    var events: [ChatEvent] = []
    /// Messages for the agent.
    var deliveries: [Delivery] = []
    /// Other jobs of the agent.
    var jobs: [AgentJob] = []
    /// True if files may have been deleted: their copies and transfers are to be removed.
    var removesFiles = false
    /// Channels that this profile relays for and has something to deliver in.
    var relayedGroups: Set<GroupID> = []
    /// The number of messages that wait in channels to which the received message adds some, or a larger one.
    var relayBacklogs: [GroupID: Int64] = [:]
    /// Answers to tests of relays.
    var relayTestAnswers: [(connection: Bytes, answer: ChatMessageEvent)] = []
    /// True if an item was given a time at which it disappears.
    var hasNewExpiry = false
    /// True if the received message is answered with a delivery receipt.
    var sendsReceipt = false
    /// The number of messages in the received body that could not be read or were refused.
    var uselessMessages = 0
    /// True if the event concerns a message that the outbox may still be handing over: it must be received again after that.
    var isPremature = false
}

extension Effects {
    /// The extent of the effects at some moment, to which they can be cut back. It holds counts instead of the events and deliveries themselves, so that a
    /// mark for each of many messages costs the same however much the messages before it have caused.
    struct Mark {
        fileprivate let events, deliveries, jobs, relayTestAnswers: Int
        /// The effects without these arrays. A transaction concerns few channels.
        fileprivate let rest: Effects
    }

    /// The extent of the effects now.
    var mark: Mark {
        var rest = self
        (rest.events, rest.deliveries, rest.jobs, rest.relayTestAnswers) = ([], [], [], [])
        return Mark(events: events.count, deliveries: deliveries.count, jobs: jobs.count, relayTestAnswers: relayTestAnswers.count, rest: rest)
    }

    /// Drops everything that was added since a mark.
    mutating func cutBack(to mark: Mark) {
        var cut = mark.rest
        swap(&cut.events, &events)
        swap(&cut.deliveries, &deliveries)
        swap(&cut.jobs, &jobs)
        swap(&cut.relayTestAnswers, &relayTestAnswers)
        cut.events.removeLast(max(0, cut.events.count - mark.events))
        cut.deliveries.removeLast(max(0, cut.deliveries.count - mark.deliveries))
        cut.jobs.removeLast(max(0, cut.jobs.count - mark.jobs))
        cut.relayTestAnswers.removeLast(max(0, cut.relayTestAnswers.count - mark.relayTestAnswers))
        self = cut
    }
}
