import ChatProtocol
import Foundation
import Parley
import ProcessSupport
import TestSupport
import Testing

@testable import ParleyCLI

/// `parley cases`.
@Suite struct CasesCommandTests {
    private static let bots = """
        parley: 1
        profiles:
          guard:
            groups: { lobby: { name: The Lobby } }
            rules: [ { id: out, when: { contains: casino, chat: group }, then: [ { moderate: true }, { block: { for: 1h } } ] } ]

        """

    private func lines(_ output: String) throws -> [JSONValue] { try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) } }

    @Test func casesAreListedWhileBotsRunAndAfterwardsAndUndoneWhileTheyRun() async throws {
        let folder = try ScratchFolder("cases")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let process = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots"), "--json", "--log-level", "info"], log: folder("log"))
        let ready = try await process.output.peek("ready", within: Patience.limit) { line -> JSONValue? in
            line.contains(#""event":"ready""#) ? try? JSONValue(parsing: line) : nil
        }
        let none = try await run(["cases", "--data", folder("bots")])
        #expect(none.exitCode == 0 && none.output == "No cases.\n", "\(none)")
        let link = try #require(ready["profiles"]?.arrayValue?.first?["groups"]?.arrayValue?.first?["link"]?.stringValue)
        let server = try #require(ready["servers"]?.arrayValue?.first?.stringValue)
        let talk = try await run([
            "chat", "--data", folder("ann"), "--name", "Ann", "--server", server, "--exec", ":join \(link)", "--exec", ":open #The Lobby", "--exec",
            "my casino",
        ])
        #expect(talk.exitCode == 0, "\(talk)")
        try await eventually("there are two cases", every: .milliseconds(100)) {
            try lines(try await run(["cases", "list", "--data", folder("bots"), "--json"]).output).count == 2
        }
        let shown = try lines(try await run(["cases", "--data", folder("bots"), "--json"]).output)
        #expect(
            shown.allSatisfy { $0["event"] == "case" && $0["groupName"] == "The Lobby" && $0["bot"] == "guard" && $0["rule"] == "out" && $0["text"] == nil })
        #expect(Set(shown.compactMap { $0["action"]?.stringValue }) == ["moderate", "block"])
        let block = try #require(shown.first { $0["action"] == "block" }), number = try #require(block["number"]?.intValue)
        #expect(try #require(block["end"]?.intValue) - (try #require(block["time"]?.intValue)) == 3_600)
        let withTexts = try await run(["cases", "--data", folder("bots"), "--texts"])
        #expect(withTexts.output.contains("my casino") && withTexts.output.contains(" UTC"), "\(withTexts)")
        #expect(try await !run(["cases", "--data", folder("bots"), "--group", "The Lobby"]).output.contains("my casino"))
        #expect(try await run(["cases", "--data", folder("bots"), "--group", "Elsewhere"]).output == "No cases.\n")
        let log = process.logTail(60)
        #expect(log.contains("a case was opened") && !log.contains("my casino") && !log.contains("Ann"), "\(log)")

        let undone = try await run(["cases", "undo", "\(number)", "--data", folder("bots")])
        #expect(undone.exitCode == 0 && undone.output == "Case \(number) is undone: block Ann.\n", "\(undone)")
        let again = try await run(["cases", "undo", "\(number)", "--data", folder("bots")])
        #expect(again.exitCode == 1 && again.errors.contains("[moderation.notUndone]"), "\(again)")
        let unknown = try await run(["cases", "undo", "99", "--data", folder("bots")])
        #expect(unknown.exitCode == 1 && unknown.errors.contains("[moderation.noCase]"), "\(unknown)")
        process.send(.terminate)
        #expect(try await process.exit() == 0)

        let stopped = try lines(try await run(["cases", "--data", folder("bots"), "--json"]).output)
        #expect(stopped.count == 2 && stopped.first { $0["action"] == "block" }?["undoneBy"] == "operator")
        let late = try await run(["cases", "undo", "\(number)", "--data", folder("bots")])
        #expect(late.exitCode == 1 && late.errors.contains("[cases.notRunning]"), "\(late)")
        let nowhere = try await run(["cases", "--data", folder("nowhere")])
        #expect(nowhere.exitCode == 2, "\(nowhere)")
    }

    @Test func aCaseIsOneLineWhateverItsNamesAre() throws {
        let json = try JSONValue(
            parsing: Array(
                #"""
                {"user":1,"bot":"guard","group":3,"groupName":"Lob\u001b[2Jby","number":7,"action":"role","name":"Bob\nEve","rule":"quiet","time":1795780860,
                 "end":1795824060,"undoneBy":"ann","text":"a\nb"}
                """#.utf8))
        let view = try #require(CaseView(json)), line = view.line(withText: true)
        #expect(
            !line.unicodeScalars.contains("\u{1B}") && !line.contains("\n") && line.contains("2026-11-27 12:01 to 2026-11-28 00:01 UTC, rule quiet"), "\(line)")
        #expect(view.json(withText: false)["text"] == nil && view.json(withText: true)["text"] == "a\nb")
        #expect(CaseView(["user": 1]) == nil)
    }
}
