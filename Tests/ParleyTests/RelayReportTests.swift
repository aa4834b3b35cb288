import ChatEngine
import ChatProtocol
import ChatRules
import ChatStore
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// What operators see of a relay.
@Suite struct RelayReportTests {
    @Test func deliveriesAreCountedAndARelayIsDrainedAndTakenUpAgain() async throws {
        var relay = Bot("Relay", id: "relay") { On(.text) { _ in } }
        relay.isRelay = true
        var owner = Bot("Owner", id: "owner") { On(.text) { _ in } }
        owner.channels = [ManagedChannel("news", GroupSettings("News"), relays: [.bot("relay")])]
        let posts = EventLog<String>()
        let reader = Bot("Reader", id: "reader") { On(.text, in: .groups) { posts.add($0.text) } }
        let world = try await LiveBots()
        try await world.run([relay, owner, reader]) { profiles in
            try await profiles[2].groups.join(link: try #require(profiles[1].managedChannels.first?.link))
            try await eventually("subscribed") { await profiles[2].groups.channels.first?.isMember == true }
            try await profiles[1].groups.channels.first?.post("first")
            try await eventually("the post comes") { posts.all == ["first"] }
            try await eventually("nothing waits") { try await world.host.relayReport(.status)?.statistics.total.waitingBodies == 0 }
            let report = try #require(try await world.host.relayReport(.status))
            let total = report.statistics.total
            #expect(report.statistics.channels == 1 && total.subscribers == 1 && total.lag(at: report.time) == 0 && !report.isDraining)
            let channel = try #require(report.statistics.busiest.first)
            #expect(channel.name == "News" && channel.work.deliveries >= 1 && channel.work.deliveries == total.deliveries)
            #expect(channel.work.bytes(onDayOf: report.time) > 0)
            var text = PrometheusText(nil)
            report.write(to: &text)
            for line in [
                "# TYPE parley_relay_deliveries_total counter", "parley_relay_deliveries_total \(total.deliveries)", "parley_relay_channels 1",
                "parley_relay_subscribers 1", "parley_relay_lag_seconds 0", "parley_relay_draining 0",
                "parley_relay_channel_subscribers{channel=\"\(channel.group)\"} 1",
            ] { #expect(text.text.contains(line + "\n"), "\(line)") }
            #expect(!text.text.contains("News"))
            #expect(report.json["busiest"]?.arrayValue?.first?["name"]?.stringValue == "News")
            // The name by which limits of relays know the channel.
            let identifier = try #require(report.json["busiest"]?.arrayValue?.first?["publicGroupId"]?.stringValue)
            #expect(HostRelay.comparable(identifier) == identifier)
            #expect(try await world.host.relayReport(.drain)?.isDraining == true)
            #expect(try await world.host.relayReport(.resume)?.isDraining == false)
        }
    }

    @Test func aProcessWithoutARelayReportsNone() async throws {
        let world = try await LiveBots()
        try await world.run([Bot("Echo", id: "echo") { On(.text) { _ in } }]) { _ in
            let status = try await world.host.relayReport(.status), drained = try await world.host.relayReport(.drain)
            #expect(status == nil && drained == nil)
        }
    }
}
