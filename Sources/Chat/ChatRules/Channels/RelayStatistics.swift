package import ChatAPI
package import ChatProtocol

/// Statistics of the profile of a core that relays for others. Totals count from the first start; they outlast restarts.
package struct RelayStatistics: Sendable, Hashable {
    /// The work for a channel, or for all channels.
    package struct Work: Sendable, Hashable {
        /// Members without owners and relays.
        package var subscribers: Int64
        /// Messages that were put into bodies.
        package var messages: Int64
        /// Bodies that were given to members: one for each member.
        package var deliveries: Int64
        /// The day of the last delivery, counted from 1970.
        package var day: Int64
        /// Bytes that were given to members on that day.
        package var bytes: Int64
        /// Messages that wait to be put into a body.
        package var waitingMessages: Int64
        /// Bodies that not all members have.
        package var waitingBodies: Int64
        /// The time at which the oldest message came that not all members have; nil if nothing waits.
        package var oldest: UTCTimestamp?

        package init(
            subscribers: Int64, messages: Int64, deliveries: Int64, day: Int64, bytes: Int64, waitingMessages: Int64, waitingBodies: Int64,
            oldest: UTCTimestamp? = nil
        ) {
            self.subscribers = subscribers
            self.messages = messages
            self.deliveries = deliveries
            self.day = day
            self.bytes = bytes
            self.waitingMessages = waitingMessages
            self.waitingBodies = waitingBodies
            self.oldest = oldest
        }

        /// Bytes that were given to members on the day of a time, in UTC.
        package func bytes(onDayOf time: UTCTimestamp) -> Int64 { day == time.seconds / RelayUsage.secondsPerDay ? bytes : 0 }

        /// Seconds since the oldest message came that not all members have; 0 if nothing waits.
        package func lag(at time: UTCTimestamp) -> Int64 { oldest.map { max(0, time.seconds - $0.seconds) } ?? 0 }
    }

    /// A channel that is served.
    package struct Channel: Sendable, Hashable {
        /// The number of the channel in this store.
        package var group: GroupID
        package var name: String
        /// The identifier of the channel, by which it is allowed and denied; nil for a channel without one.
        package var publicGroupID: String?
        package var work: Work

        package init(
            group: GroupID, name: String, publicGroupID: String?, work: Work
        ) {
            self.group = group
            self.name = name
            self.publicGroupID = publicGroupID
            self.work = work
        }
    }

    /// A channel that the relay has left. It refuses invitations to the channel until it is allowed.
    package struct LeftChannel: Sendable, Hashable {
        /// The number of the channel in this store.
        package var group: GroupID
        package var name: String
        /// The identifier of the channel; nil for a channel without one.
        package var publicGroupID: String?

        package init(group: GroupID, name: String, publicGroupID: String?) {
            (self.group, self.name, self.publicGroupID) = (group, name, publicGroupID)
        }
    }

    /// Channels that are served.
    package var channels: Int
    package var total: Work
    /// True if an operator has the relay drained.
    package var isDrained: Bool
    /// The channels in which most waits, then those with most subscribers.
    package var busiest: [Channel]
    /// The channels that the relay has left, and whose invitations it refuses, newest first.
    package var left: [LeftChannel]

    package init(
        channels: Int, total: Work, isDrained: Bool, busiest: [Channel], left: [LeftChannel] = []
    ) {
        self.channels = channels
        self.total = total
        self.isDrained = isDrained
        self.busiest = busiest
        self.left = left
    }
}
