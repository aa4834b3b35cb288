import ChatProtocol
import Foundation
import ProcessSupport
import Testing

@testable import ParleyCLI

/// `parley top`.
@Suite struct TopTests {
    private static func report(_ text: String, after seconds: Int = 0) throws -> TopReport {
        TopReport(try JSONValue(parsing: Array(text.utf8)), at: start + .seconds(seconds))
    }

    private static let start = ContinuousClock.now

    @Test func ratesAreTheDifferencesOfTwoReports() throws {
        func text(_ events: Int, _ effects: Int, uptime: Int) -> String {
            #"""
            {"version":"1.2","phase":"ready","storageFailing":false,"uptime":\#(uptime),"residentBytes":52428800,"running":1,
             "profiles":[{"id":"echo","chats":3,"waiting":2,"events":\#(events),"completed":7,"failed":1,"dropped":0,"effects":\#(effects),"p50Microseconds":2500,"p99Microseconds":10000000}],
             "routers":[{"address":"a.example","reached":true},{"address":"b.example","reached":false}],
             "errors":[{"time":"2026-01-01T00:00:00Z","bot":"echo","code":"handler","handler":"Bot.swift:7"}]}
            """#
        }
        let first = try Self.report(text(10, 4, uptime: 3_700)), second = try Self.report(text(30, 5, uptime: 3_704), after: 4)
        #expect(
            TopView(second, since: first, width: 110).lines == [
                "Parley 1.2 · ready · up 1h 1m · 1 profiles · 1 running · 50 MB",
                "routers: 1 reached, 1 not reached: b.example",
                "",
                "PROFILE                CHATS  EVENTS    EV/s HANDLED  FAILED DROPPED  SENT/s WAITING     P50     P99",
                "echo                       3      30     5.0       7       1       0     0.3       2  ≤2.5ms    ≤10s",
                "",
                "ERRORS, the newest first",
                "2026-01-01T00:00:00Z  echo  handler  Bot.swift:7",
            ])
        #expect(TopView(first, since: nil, width: 110).lines[4].contains("      –"))
    }

    @Test func aProcessThatWasRestartedHasNoNegativeRates() throws {
        let first = try Self.report(#"{"profiles":[{"id":"a","events":100}]}"#), second = try Self.report(#"{"profiles":[{"id":"a","events":1}]}"#, after: 1)
        #expect(!TopView(second, since: first, width: 110).lines.joined().contains("-"))
    }

    @Test func whatAProcessReportsSteersNoTerminalAndMayBeMissing() throws {
        let report = try Self.report(
            #"{"phase":7,"profiles":[{"id":"a\u001b[2J\nb","events":-5,"p50Microseconds":1e300},3],"routers":{},"errors":[{"bot":"\u202e"}]}"#)
        let lines = TopView(report, since: nil, width: 30).lines
        #expect(lines.allSatisfy { $0.count <= 30 && !$0.unicodeScalars.contains("\u{1B}") && !$0.contains("\n") && !$0.contains("\u{202E}") })
    }

    @Test func theBusiestProfilesComeFirstAndTheRestIsCounted() throws {
        let profiles = (1...(TopView.profileLimit + 5)).map { #"{"id":"bot\#($0)","events":\#($0)}"# }.joined(separator: ",")
        let lines = TopView(try Self.report("{\"profiles\":[\(profiles)]}"), since: nil, width: 110).lines
        #expect(lines[4].hasPrefix("bot\(TopView.profileLimit + 5) "))
        #expect(lines.last == "… and 5 more")
    }

    @Test func aRunningProcessIsShownWithItsMetricsAndHealth() async throws {
        let folder = try ScratchFolder("top")
        defer { folder.remove() }
        let nobody = try await run(["top", "--data", folder("bots")])
        #expect(nobody.exitCode == 1 && nobody.errors.contains("[top.notRunning]"), "\(nobody)")
        try folder.write("parley: 1\nprofiles:\n  echo: { rules: [ { when: { text: hi }, then: { send: hello } } ] }\n", to: "bots.yaml")
        let process = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots"), "--metrics-port", "0", "--log-level", "info", "--json"], log: folder("errors"))
        _ = try await process.ready()
        let shown = try await run(["top", "--data", folder("bots")])
        #expect(shown.exitCode == 0 && shown.output.hasPrefix("Parley ") && shown.output.contains(" · ready · "), "\(shown)")
        #expect(shown.output.contains("\necho "))
        let json = try await run(["top", "--data", folder("bots"), "--once", "--json"])
        let object = try JSONValue(parsing: Array(json.output.utf8)).objectValue
        #expect(object?["phase"]?.stringValue == "ready" && object?["profiles"]?.arrayValue?.count == 1)
        process.send(.terminate)
        #expect(try await process.exit() == 0)
        #expect(try String(contentsOfFile: folder("errors"), encoding: .utf8).contains("metrics and health are served"))
    }
}
