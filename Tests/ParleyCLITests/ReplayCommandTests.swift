import ChatProtocol
import Foundation
import ProcessSupport
import Testing

/// `parley replay` on a folder with messages.
@Suite struct ReplayCommandTests {
    private static let bots = """
        parley: 1
        profiles:
          echo:
            name: The Echo
            rules:
              - { id: order, when: { pattern: "order ([0-9]+)" }, then: { reply: "Order {{ match.1 }}" } }
              - { id: hello, when: { contains: hello }, then: { send: "hello to you" } }
          silent: {}
        """
    private static let new = """
        parley: 1
        profiles:
          echo:
            name: The Echo
            rules:
              - { id: buy, when: { pattern: "(?:order|buy) ([0-9]+)" }, then: { reply: "Order {{ match.1 }}" } }
              - { id: greeting, when: { contains: hello }, then: { send: "Good day, {{ contact.name }}" }, once: person }
          silent: {}
        """

    private func lines(_ output: String) throws -> [JSONValue] { try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) } }

    @Test func theDifferenceOfTwoFilesIsShownWhileBotsRunAndAfterwards() async throws {
        let folder = try ScratchFolder("replay")
        defer { folder.remove() }
        let people = People(folder)
        let bots = try await people.start(Self.bots)
        let link = try #require(bots.ready.profiles?.first?.shortAddress)
        let texts = ["order 7", "hello there", "buy 8", "hello again", "nothing for rules"]
        let talk = try await people.ann(["--connect", link] + texts.flatMap { ["--exec", $0] } + ["--exec", ":wait hello to you"])
        #expect(talk.exitCode == 0, "\(talk)")
        try folder.write(Self.new, to: "new.yaml")
        let command = ["replay", folder("new.yaml"), "--against", folder("bots.yaml"), "--json"]

        let running = try await people.replay(command)
        #expect(running.exitCode == 0, "\(running)")
        bots.process.send(.terminate)
        #expect(try await bots.process.exit() == 0)
        let stopped = try await people.replay(command)
        #expect(stopped.output == running.output, "\(stopped)")
        #expect(try await people.replay(command).output == stopped.output)

        let found = try lines(stopped.output)
        let messages = found.filter { $0["event"] == "message" }
        // The first is answered as before by a rule of another name. The greeting is another one, and then none.
        #expect(messages.map { $0["old"]?["rules"] } == [["hello"], [], ["hello"]], "\(stopped.output)")
        #expect(messages.map { $0["new"]?["rules"] } == [["greeting"], ["buy"], []])
        #expect(messages.allSatisfy { $0["chat"] == "Ann" && $0["text"] == nil && $0["new"]?["actions"]?.arrayValue?.first?["detail"] == nil })
        let done = try #require(found.first { $0["event"] == "done" && $0["profile"] == "echo" })
        #expect(done["messages"] == 5 && done["different"] == 3)
        #expect(
            done["rules"] == [
                ["rule": "buy", "new": 2, "old": 0], ["rule": "greeting", "new": 1, "old": 0], ["rule": "order", "new": 0, "old": 1],
                ["rule": "hello", "new": 0, "old": 2],
            ])
        #expect(!stopped.output.contains("there") && !stopped.output.contains("Good day"))

        let shown = try await people.replay(["replay", folder("new.yaml"), "--profile", "echo", "--show-text"])
        #expect(shown.exitCode == 0, "\(shown)")
        #expect(shown.output.contains("hello there") && shown.output.contains("reply \"Order 8\" (buy)"), "\(shown)")
        #expect(shown.output.contains("echo: 5 messages, rules apply to 3\n  buy: 2\n  greeting: 1"), "\(shown)")
        #expect(!shown.output.contains("silent"))

        // Nothing was sent, and nothing counts as handled that was not: Ann has heard the bots once.
        let history = try await people.onFolder(["chat", "--name", "The Echo", "--exec", ":open Ann", "--exec", ":history 20"])
        let again = try await people.start(Self.bots)
        again.process.send(.terminate)
        #expect(try await again.process.exit() == 0)
        let after = try await people.onFolder(["chat", "--name", "The Echo", "--exec", ":open Ann", "--exec", ":history 20"])
        #expect(after.output == history.output)
        #expect(history.output.split(separator: "\n").count { $0.contains("hello to you") || $0.contains("Order 7") } == 3, "\(history)")
    }

    @Test func messagesBeforeTheTimeAreLeftOutAndInputIsChecked() async throws {
        let folder = try ScratchFolder("replay-input")
        defer { folder.remove() }
        let people = People(folder)
        let bots = try await people.start(Self.bots)
        let link = try #require(bots.ready.profiles?.first?.shortAddress)
        let talk = try await people.ann(["--connect", link, "--exec", "hello", "--exec", ":wait hello to you"])
        #expect(talk.exitCode == 0, "\(talk)")
        bots.process.send(.terminate)
        #expect(try await bots.process.exit() == 0)
        let recent = try await people.replay(["replay", folder("bots.yaml"), "--since", "24h"])
        #expect(recent.exitCode == 0 && recent.output.contains("echo: 1 message, rules apply to 1"), "\(recent)")

        let unknown = try await people.replay(["replay", folder("bots.yaml"), "--profile", "nobody"])
        #expect(unknown.exitCode == 2 && unknown.errors.contains("[profile.unknown]"), "\(unknown)")
        let badTime = try await people.replay(["replay", folder("bots.yaml"), "--since", "yesterday"])
        #expect(badTime.exitCode == 2, "\(badTime)")
        try folder.write(Self.new.replacing("The Echo", with: "Another"), to: "other.yaml")
        let other = try await people.replay(["replay", folder("other.yaml"), "--profile", "echo"])
        #expect(other.exitCode == 2 && other.errors.contains("[profile.unknown]"), "\(other)")
        let nowhere = try await people.replay(["replay", folder("bots.yaml"), "--data", folder("nowhere")])
        #expect(nowhere.exitCode == 2 && nowhere.errors.contains("[dataFolder]"), "\(nowhere)")
        #expect(!FileManager.default.fileExists(atPath: folder("nowhere")))
    }
}
