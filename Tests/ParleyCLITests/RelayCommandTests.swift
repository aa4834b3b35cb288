import ChatProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import ParleyCLI

/// `parley relay`.
@Suite struct RelayCommandTests {
    private static func report(deliveries: Int, waiting: Int = 0) throws -> JSONValue {
        try JSONValue(
            parsing: Array(
                #"""
                {"draining":true,"channels":1,"subscribers":12,"messages":3,"deliveries":\#(deliveries),"bytesToday":4096,
                 "waitingMessages":\#(waiting),"waitingBodies":0,"lagSeconds":7,
                 "busiest":[{"id":1,"name":"News\u001b[2J","publicGroupId":"4nQrAQID=","subscribers":12,"messages":3,"deliveries":36,"waitingMessages":\#(waiting),"lagSeconds":7}]}
                """#.utf8))
    }

    @Test func aReportIsShownAsLines() throws {
        let first = try Self.report(deliveries: 10), second = try Self.report(deliveries: 36, waiting: 2)
        let rate = RelayView.rate(from: first, to: second, after: .seconds(2))
        #expect(rate == 13)
        let view = RelayView(second, isRunning: true, rate: rate)
        #expect(view.isWaiting)
        #expect(
            Array(view.lines.prefix(5)) == [
                "Relay: running · draining: takes no new channels and subscribers · waiting: 2 messages and 0 bodies, lag 7 s",
                "1 channel · 12 subscribers", "Passed on: 3 messages · 36 deliveries · 13.0 a second · 4096 bytes today", "",
                "CHANNEL                  SUBSCRIBERS    MESSAGES  DELIVERIES     WAITING         LAG  PUBLIC GROUP ID",
            ])
        #expect(view.lines.last?.hasSuffix("7 s  4nQrAQID=") == true)
        #expect(view.lines.count == 6 && !view.lines[5].unicodeScalars.contains("\u{1B}"))
        #expect(view.json["running"]?.boolValue == true && view.json["deliveriesPerSecond"] == .int(13))
        #expect(RelayView.rate(from: second, to: first, after: .seconds(1)) == 0)
        let left = try JSONValue(parsing: Array(#"{"left":[{"id":4,"name":"Weather\u001b[2J","publicGroupId":"AQID"}]}"#.utf8))
        let lines = RelayView(left, isRunning: true, rate: nil).lines
        #expect(
            lines.count == 6 && lines[4] == "Left, and refused until parley relay allow:" && lines[5].hasPrefix("4 ") && lines[5].contains("Weather"),
            "\(lines)")
        #expect(!lines[5].unicodeScalars.contains("\u{1B}"))
    }

    @Test func topShowsARelay() throws {
        let report = JSONValue.object(JSONObject([("relay", try Self.report(deliveries: 4, waiting: 2))]))
        let now = ContinuousClock.now
        let lines = TopView(TopReport(report, at: now), since: TopReport(report, at: now - .seconds(1)), width: 120).lines
        #expect(lines[2] == "relay: 1 channel · 12 subscribers · 0.0 deliveries/s · 2 waiting · lag 7s · draining")
    }

    @Test func aRelayIsWatchedAndDrainedWhileItRunsAndWhenItDoesNot() async throws {
        let folder = try ScratchFolder("relay")
        defer { folder.remove() }
        let nobody = try await run(["relay", "status", "--data", folder("bots")])
        #expect(nobody.exitCode == 2 && nobody.errors.contains("[dataFolder]"), "\(nobody)")
        try folder.write("parley: 1\nprofiles:\n  relay: { relay: { channels: 5 } }\n", to: "bots.yaml")
        let process = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots"), "--metrics-port", "0", "--log-level", "info", "--json"], log: folder("errors"))
        _ = try await process.ready()
        let shown = try await run(["relay", "status", "--data", folder("bots"), "--interval", "0", "--json"])
        let report = try JSONValue(parsing: Array(shown.output.utf8))
        #expect(shown.exitCode == 0 && report["running"]?.boolValue == true && report["draining"]?.boolValue == false, "\(shown)")
        #expect(report["channels"]?.intValue == 0 && report["waitingMessages"]?.intValue == 0)
        let drained = try await run(["relay", "drain", "--wait", "--data", folder("bots")])
        #expect(drained.exitCode == 0 && drained.output.contains("draining") && drained.output.contains("nothing waits"), "\(drained)")
        process.send(.terminate)
        #expect(try await process.exit() == 0)
        let later = try await run(["relay", "status", "--data", folder("bots"), "--json"])
        let stored = try JSONValue(parsing: Array(later.output.utf8))
        #expect(stored["running"]?.boolValue == false && stored["draining"]?.boolValue == true, "\(later)")
        let resumed = try await run(["relay", "resume", "--data", folder("bots")])
        #expect(resumed.exitCode == 0 && !resumed.output.contains("draining"), "\(resumed)")
    }

    @Test func aRelayLeavesAChannelOfAnOperatorsChoice() async throws {
        let folder = try ScratchFolder("relay-leave")
        defer { folder.remove() }
        let bots = "parley: 1\nprofiles:\n  relay: { relay: true }\n  news: { channels: { daily: { name: Daily News, relays: relay } } }\n"
        try folder.write(bots, to: "bots.yaml")
        let process = try ParleyProgram.start(["run", folder("bots.yaml"), "--data", folder("bots"), "--json"], log: folder("errors"))
        _ = try await process.ready()
        let served = try #require(try await channels(folder).first)
        #expect(served["name"]?.stringValue == "Daily News")
        let number = "\(try #require(served["id"]?.intValue))"
        // The owner's own chat of the channel has another number.
        for other in ["0", "9999", "\((Int(number) ?? 0) + 1)"] {
            let refused = try await run(["relay", "leave", other, "--data", folder("bots")])
            #expect(refused.exitCode == 1 && refused.errors.contains("[relay.unknownChannel]"), "\(refused)")
        }
        let left = try await run(["relay", "leave", number, "--data", folder("bots")])
        #expect(left.exitCode == 0 && left.output.contains("Daily News"), "\(left)")
        try await eventually("the relay serves no channel", every: .milliseconds(100)) { try await channels(folder).isEmpty }
        let again = try await run(["relay", "leave", number, "--data", folder("bots")])
        #expect(again.exitCode == 1 && again.errors.contains("[relay.unknownChannel]"), "\(again)")
        let shown = try await run(["relay", "status", "--data", folder("bots"), "--interval", "0"])
        #expect(shown.output.contains("Left, and refused until parley relay allow:\n\(number) Daily News"), "\(shown)")
        for other in ["0", "9999"] {
            let refused = try await run(["relay", "allow", other, "--data", folder("bots")])
            #expect(refused.exitCode == 1 && refused.errors.contains("[relay.notLeft]"), "\(refused)")
        }
        let allowed = try await run(["relay", "allow", number, "--data", folder("bots")])
        #expect(allowed.exitCode == 0 && allowed.output == "The relay accepts invitations to Daily News again.\n", "\(allowed)")
        process.send(.terminate)
        #expect(try await process.exit() == 0)
        let stopped = try await run(["relay", "leave", number, "--data", folder("bots")])
        #expect(stopped.exitCode == 1 && stopped.errors.contains("[relay.notRunning]"), "\(stopped)")
        // Whether bots run or not, a channel that is allowed is not allowed again.
        let done = try await run(["relay", "allow", number, "--data", folder("bots")])
        #expect(done.exitCode == 1 && done.errors.contains("[relay.notLeft]"), "\(done)")
    }

    /// The channels that a relay serves.
    private func channels(_ folder: ScratchFolder) async throws -> [JSONValue] {
        let shown = try await run(["relay", "status", "--data", folder("bots"), "--interval", "0", "--json"])
        return try JSONValue(parsing: Array(shown.output.utf8))["busiest"]?.arrayValue ?? []
    }

    @Test func aFolderWithoutARelayIsTold() async throws {
        let folder = try ScratchFolder("relay-none")
        defer { folder.remove() }
        try folder.write("parley: 1\nprofiles:\n  echo: {}\n", to: "bots.yaml")
        let process = try ParleyProgram.start(["run", folder("bots.yaml"), "--data", folder("bots"), "--json"], log: folder("errors"))
        _ = try await process.ready()
        let told = try await run(["relay", "status", "--data", folder("bots")])
        #expect(told.exitCode == 1 && told.errors.contains("[relay.none]"), "\(told)")
        process.send(.terminate)
        #expect(try await process.exit() == 0)
    }
}
