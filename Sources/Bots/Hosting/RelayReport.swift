internal import ChatAPI
internal import ChatEngine
package import ChatProtocol
package import ChatRules

/// A report for operators on the work of a profile that relays for others: for `parley relay`, `parley top` and `/metrics`.
package struct RelayReport: Sendable {
    let statistics: RelayStatistics
    /// True if the relay accepts no new channels and subscribers, by its configuration or an operator.
    package let isDraining: Bool
    /// The time of the report.
    package let time: UTCTimestamp

    package init(_ statistics: RelayStatistics, isDraining: Bool, at time: UTCTimestamp) {
        (self.statistics, self.isDraining, self.time) = (statistics, isDraining, time)
    }

    /// The report as JSON. Keys are stable.
    package var json: JSONValue {
        let busiest = statistics.busiest.map { channel in
            let names: [(String, JSONValue)] = [("id", .int(channel.group.rawValue)), ("name", .string(channel.name))]
            let identifier: [(String, JSONValue)] = channel.publicGroupID.map { [("publicGroupId", .string($0))] } ?? []
            return JSONValue.object(JSONObject(names + identifier + members(of: channel.work)))
        }
        let left = statistics.left.map { channel in
            let identifier: [(String, JSONValue)] = channel.publicGroupID.map { [("publicGroupId", .string($0))] } ?? []
            return JSONValue.object(JSONObject([("id", .int(channel.group.rawValue)), ("name", .string(channel.name))] + identifier))
        }
        let head: [(String, JSONValue)] = [("draining", .bool(isDraining)), ("channels", .int(statistics.channels))]
        return .object(JSONObject(head + members(of: statistics.total) + [("busiest", .array(busiest)), ("left", .array(left))]))
    }

    private func members(of work: RelayStatistics.Work) -> [(String, JSONValue)] {
        [
            ("subscribers", .int(work.subscribers)), ("messages", .int(work.messages)), ("deliveries", .int(work.deliveries)),
            ("bytesToday", .int(work.bytes(onDayOf: time))), ("waitingMessages", .int(work.waitingMessages)),
            ("waitingBodies", .int(work.waitingBodies)), ("lagSeconds", .int(work.lag(at: time))),
        ]
    }

    /// Adds the metrics of the relay. The label `channel` is the number of a channel in the store; at most 50 channels have samples.
    package func write(to text: inout PrometheusText) {
        let total = statistics.total
        text.gauge("parley_relay_draining", "1 while the relay takes no new channels and subscribers.", isDraining ? 1 : 0)
        text.gauge("parley_relay_channels", "Channels that the relay serves.", Double(statistics.channels))
        text.gauge("parley_relay_subscribers", "Subscribers of all channels.", Double(total.subscribers))
        text.counter("parley_relay_messages_total", "Messages that the relay has passed on.", [([], Double(total.messages))])
        text.counter("parley_relay_deliveries_total", "Deliveries of bodies to subscribers.", [([], Double(total.deliveries))])
        text.gauge("parley_relay_bytes_today", "Bytes given to subscribers on this day in UTC.", Double(total.bytes(onDayOf: time)))
        text.gauge("parley_relay_waiting_messages", "Messages that are in no body yet.", Double(total.waitingMessages))
        text.gauge("parley_relay_waiting_bodies", "Bodies that not all subscribers have.", Double(total.waitingBodies))
        text.gauge("parley_relay_lag_seconds", "The age of the oldest message that not all subscribers have.", Double(total.lag(at: time)))
        func samples(_ value: (RelayStatistics.Work) -> Int64) -> [(labels: [(String, String)], value: Double)] {
            statistics.busiest.map { ([("channel", "\($0.group)")], Double(value($0.work))) }
        }
        text.gauge("parley_relay_channel_subscribers", "Subscribers of a channel.", samples(\.subscribers))
        text.counter("parley_relay_channel_messages_total", "Messages of a channel that were passed on.", samples(\.messages))
        text.counter("parley_relay_channel_deliveries_total", "Deliveries of bodies to subscribers of a channel.", samples(\.deliveries))
        text.gauge("parley_relay_channel_waiting_messages", "Messages of a channel that are in no body yet.", samples(\.waitingMessages))
        text.gauge("parley_relay_channel_waiting_bodies", "Bodies that not all subscribers of a channel have.", samples(\.waitingBodies))
        text.gauge(
            "parley_relay_channel_lag_seconds", "The age of the oldest message that not all subscribers of a channel have.",
            samples { $0.lag(at: time) })
    }
}
