import ChatProtocol
import Parley
import TestSupport
import Testing

@testable import ParleyCLI

/// Tables on a terminal, with names and numbers of all kinds.
@Suite struct TerminalColumnTests {
    private static let names = [
        "echo", "", "a name of more than twenty letters", "山田太郎のボット", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "e\u{301}e\u{301}",
        "ﷺﷺﷺ",
        "\u{200B}\u{200B}", "a\u{300}\u{300}\u{300}\u{300}", "ｆｕｌｌｗｉｄｔｈｆｕｌｌｗｉｄｔｈ", "\u{1B}[2J\u{202E}\n\t", String(repeating: "字", count: 500), "мир", "❤️❤️",
        "|",
    ]

    @Test(arguments: [("abc", 3), ("山田", 4), ("e\u{301}", 1), ("👍", 2), ("ｆ", 2), ("…", 1), ("·", 1), ("≤", 1), ("", 0), ("한글", 4), ("क\u{94D}ष", 2)])
    func aTextHasTheWidthThatATerminalGivesIt(_ text: String, _ width: Int) { #expect(VisibleText.width(of: text) == width) }

    @Test(arguments: names)
    func aCellHasItsWidthWhateverIsInIt(_ name: String) {
        let shown = VisibleText.name(name)
        for width in [3, 8, 20, 24] {
            let left = TableColumns.left(shown, width)
            #expect(VisibleText.width(of: left) == width, "\(left)|")
            #expect(left.last == " ", "a space parts it from the next cell")
        }
    }

    @Test(arguments: names)
    func aTextThatIsCutFitsAndSaysThatItIsCut(_ text: String) {
        for limit in [1, 2, 5, 30] {
            let fitted = VisibleText.fitted(text, to: limit)
            #expect(VisibleText.width(of: fitted) <= limit)
            #expect(fitted == text || fitted.last == "…")
            #expect((fitted == text) == (VisibleText.width(of: text) <= limit))
        }
    }

    @Test func numbersThatAreTooLargeForTheirCellAreNotCut() {
        #expect(TableColumns.right("5", 4) == "   5" && TableColumns.right("12345", 4) == " 12345" && TableColumns.right("字", 4) == "  字")
        #expect(TableColumns.rate(nil) == "–" && TableColumns.rate(0) == "0.0" && TableColumns.rate(99.96) == "100.0" && TableColumns.rate(100.4) == "100")
        #expect(
            TableColumns.counted(1, "body", "bodies") == "1 body" && TableColumns.counted(0, "body", "bodies") == "0 bodies"
                && TableColumns.counted(-1, "rule") == "-1 rules")
    }

    private static let report = #"""
        {"version":"1.2","phase":"ready","storageFailing":false,"uptime":3700,"residentBytes":52428800,"running":1,
         "profiles":[{"id":"NAME","chats":3,"waiting":2,"events":30,"completed":7,"failed":1,"dropped":0,"effects":5,"p50Microseconds":2500,"p99Microseconds":10000000}],
         "routers":[{"address":"NAME","reached":true},{"address":"NAME","reached":false}],
         "errors":[{"time":"2026-01-01T00:00:00Z","bot":"NAME","code":"handler","handler":"Bot.swift:7"}],
         "relay":{"draining":true,"channels":1,"subscribers":12,"messages":3,"deliveries":36,"bytesToday":4096,"waitingMessages":2,"waitingBodies":1,"lagSeconds":7,
          "busiest":[{"id":1,"name":"NAME","subscribers":12,"messages":3,"deliveries":36,"waitingMessages":2,"waitingBodies":1,"lagSeconds":7}]}}
        """#

    private func report(_ text: String, after seconds: Int) throws -> TopReport {
        TopReport(try JSONValue(parsing: Array(text.utf8)), at: Self.start + .seconds(seconds))
    }
    private static let start = ContinuousClock.now

    @Test(arguments: names)
    func noLineOfAViewIsWiderThanTheTerminal(_ name: String) throws {
        let text = Self.report.replacing("\"NAME\"", with: JSONValue.string(name).text)
        for width in [1, 20, 80, 200] {
            let lines = TopView(try report(text, after: 1), since: try report(text, after: 0), width: width).lines
            #expect(lines.allSatisfy { VisibleText.width(of: $0) <= max(width, 24) }, "\(lines)")
            #expect(lines.joined().unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
        // The numbers of all profiles stand below each other.
        let rows = try [Self.report, text].map { try #require(TopView(try report($0, after: 1), since: nil, width: 200).lines.first { $0.contains("≤2.5ms") }) }
        #expect(rows.map { VisibleText.width(of: $0) } == [100, 100], "\(rows)")
    }

    @Test func noNumberOfAReportEndsTheProgram() throws {
        let before = try report(Self.report, after: 0)
        for text in ExtremeNumbers.replacements(in: Self.report) {
            guard let json = try? JSONValue(parsing: Array(text.utf8)) else { continue }
            let now = TopReport(json, at: Self.start + .seconds(1))
            #expect(TopView(now, since: before, width: 100).lines.count > 5 && TopView(before, since: now, width: 100).lines.count > 5)
            guard let relay = json["relay"], let old = before.json["relay"] else { continue }
            for time in [Duration.zero, .seconds(1), .seconds(-1)] {
                let rate = RelayView.rate(from: old, to: relay, after: time), back = RelayView.rate(from: relay, to: old, after: time)
                #expect(rate >= 0 && back >= 0)
                let view = RelayView(relay, isRunning: true, rate: rate)
                #expect(view.lines.count >= 3 && view.json["running"]?.boolValue == true)
            }
        }
    }

    @Test func twoLargeNumbersThatAreAddedStayNumbers() throws {
        let largest = Self.report.replacing(
            #""waitingMessages":2,"waitingBodies":1"#, with: #""waitingMessages":9223372036854775807,"waitingBodies":9223372036854775807"#)
        let view = try report(largest, after: 1), lines = TopView(view, since: nil, width: 200).lines
        #expect(lines.contains { $0.contains("9223372036854775807 waiting") }, "\(lines)")
        let relay = RelayView(try #require(view.json["relay"]), isRunning: true, rate: 1e300)
        #expect(relay.isWaiting && relay.lines.last?.contains(" 9223372036854775807 ") == true, "\(relay.lines)")
    }
}
