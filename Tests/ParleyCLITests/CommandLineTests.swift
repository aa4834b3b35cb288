import ChatProtocol
import Foundation
import ProcessSupport
import SMPTransport
import Testing

/// The built program, as a person and a script use it.
@Suite struct CommandLineTests {
    @Test func aPersonTalksWithABotAndBothGoOnAfterTheyWereStopped() async throws {
        let folder = try ScratchFolder("walk")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let run = ["run", folder("bots.yaml"), "--data", folder("bots"), "--json"]
        let first = try ParleyProgram.start(run, log: folder("log"))
        let profile = try #require(try await first.ready().profiles?.first)
        let link = try #require(profile.shortAddress)
        let shown = try await parley(["profile", "address", "--data", folder("bots"), "--json"], folder)
        #expect(shown.output.contains(link), "while the bots run: \(shown)")
        #expect(try await parley(["profile", "list", "--data", folder("bots")], folder).output == "The Echo\n")
        let name = ["--data", folder("ann"), "--name", "Ann Example"]
        let talk = try await parley(["chat"] + name + ["--connect", link, "--exec", "hello there", "--exec", ":wait", "--exec", ":list"], folder)
        #expect(talk.exitCode == 0, "\(talk)")
        #expect(talk.output.contains("The Echo: you said hello there"))
        #expect(talk.output.contains("The Echo: you said hello there\n"), "the answer, and not the welcome, was waited for")
        #expect(!talk.output.contains("deletion"), "features of the chat are no messages")
        first.send(.terminate)
        #expect(try await first.exit() == 0)

        let second = try ParleyProgram.start(run, log: folder("log"))
        #expect(try await second.ready().profiles?.first?.address == profile.address, "addresses that were given out stay")
        let back = try await parley(["chat", "--data", folder("ann"), "--exec", "again", "--exec", ":wait", "--exec", ":history 4"], folder)
        #expect(back.exitCode == 0, "\(back)")
        let history = back.output.split(separator: "\n").suffix(4).map { $0.drop { $0 != "]" }.dropFirst(2) }
        #expect(history == ["Ann Example: hello there", "The Echo: you said hello there", "Ann Example: again", "The Echo: you said again"])
        second.send(.interrupt)
        #expect(try await second.exit() == 0)

        let sent = try await parley(
            ["send", "--data", folder("bots"), "--to", "Ann Example", "--timeout", "1", "--json", "something new"], folder)
        #expect(sent.exitCode == 1, "her own router is not running")
        #expect(sent.output.contains(#""code":"chat.notDelivered""#))
        #expect(try await parley(["profile", "list", "--data", folder("bots")], folder).output == "The Echo\n")
        let address = try await parley(["profile", "address", "--data", folder("bots"), "--json"], folder)
        #expect(address.output.contains(link))
    }

    @Test func aPersonReactsRepliesChangesAndDeletesWhatWasSaid() async throws {
        let folder = try ScratchFolder("items")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let bots = try ParleyProgram.start(["run", folder("bots.yaml"), "--data", folder("bots"), "--json"], log: folder("log"))
        let link = try #require(try await bots.ready().profiles?.first?.shortAddress)
        let name = ["chat", "--data", folder("ann"), "--name", "Ann"]
        let lines = [
            "hello", ":wait you said hello", ":react 👍", ":reply indeed", ":wait you said indeed", ":edit indeed not", "never mind",
            ":wait you said never mind", ":unsend", ":history 5",
        ]
        let talk = try await parley(name + ["--connect", link] + lines.flatMap { ["--exec", $0] }, folder)
        #expect(talk.exitCode == 0, "\(talk)")
        let history = talk.output.split(separator: "\n").suffix(6).joined(separator: "\n")
        #expect(history.contains("Ann: indeed not") && history.contains("Ann (deleted): never mind"), "\(talk.output)")
        #expect(history.contains("    | you said hello"), "the reply quotes")
        #expect(!talk.errors.contains("closed") && !talk.output.contains("not marked as read"), "\(talk)")
        let wrong = try await parley(name + ["--exec", ":react 🐟"], folder)
        #expect(wrong.exitCode == 2 && wrong.errors.contains("[chat.noReaction]"), "\(wrong)")
        bots.send(.terminate)
        #expect(try await bots.exit() == 0)
        // The bots are stopped: the contact cannot confirm.
        let sent = try await parley(["send", "--data", folder("ann"), "--to", "The Echo", "--wait", "--timeout", "1", "--json", "are you there?"], folder)
        #expect(sent.exitCode == 1 && sent.output.contains(#""code":"chat.notConfirmed""#), "\(sent)")
    }

    @Test func aLinkToARouterInsideTheProcessIsShownWithWhatThatMeans() async throws {
        let folder = try ScratchFolder("inside")
        defer { folder.remove() }
        let own = try await parley(["chat", "--data", folder("ann"), "--name", "Ann", "--exec", ":invite"], folder)
        #expect(own.exitCode == 0 && own.output.contains("--operators preset"), "\(own)")
    }

    @Test func aFolderIsUsedByOneProcessAndAPortByOneRouter() async throws {
        let folder = try ScratchFolder("busy")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        // Of a second process, the folder is looked at before any port that the first has.
        let metrics = try LoopbackPort.free()
        let run = ["run", folder("bots.yaml"), "--data", folder("bots"), "--json", "--metrics-port", "\(metrics.number)"]
        let bots = try ParleyProgram.start(run, log: folder("log"))
        let server = try #require(try await bots.ready().servers?.first)
        let port = try #require(server.split(separator: ":").last.map(String.init))
        // It is there at the next start, too.
        #expect(Int(port).map(ListeningPorts.lasting.contains) == true, "\(port)")

        let second = try await parley(run, folder)
        #expect(second.exitCode == 1)
        #expect(second.output.contains(#"{"event":"error","code":"dataFolderInUse""#))
        #expect(second.errors.contains("--data"))
        let other = try await parley(["run", folder("bots.yaml"), "--data", folder("other"), "--router-port", port], folder)
        #expect(other.exitCode == 1)
        #expect(other.errors.contains("port \(port)") && other.errors.contains("[portInUse]"), "\(other)")
        let router = try await parley(["server", "smp", "--data", folder("router"), "--port", port], folder)
        #expect(router.exitCode == 1)
        #expect(router.errors.contains("127.0.0.1:\(port)") && router.errors.contains("[router.addressInUse]"), "\(router)")
        bots.send(.terminate)
        #expect(try await bots.exit() == 0)
    }

    @Test(arguments: [
        (["run", "nothing.yaml"], "nothing.yaml:1:1: error: there is no such file"),
        (["run", "bots.yaml", "--server", "smp://abc"], "[serverAddress]"),
        (["run", "bots.yaml", "--log-level", "loud"], "loud"),
        (["run", "bots.yaml", "--smp-proxy", "sometimes"], "--smp-proxy: \"sometimes\" is not one of never, unknown"),
        (["api", "--socks-proxy", "tor"], "--socks-proxy"),
        (["run", "bots.yaml", "--operators", "preset"], "[conditionsNotAccepted]"),
        (["chat", "--operators", "preset"], "--accept-conditions"),
        (
            ["chat", "--operators", "preset", "--accept-conditions", "--server", "smp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@127.0.0.1:5223"],
            "[serversAndOperators]"
        ),
        (["chat", "--accept-conditions"], "--operators preset"),
        (["rnu"], "Did you mean 'parley run'?"), (["server", "smp", "quee"], "Did you mean 'parley server smp queue'?"),
        (["test", "bots.yaml", "--profile", "Echo"], "did you mean \"echo\"?"), (["test", "bots.yaml", "--profile", "The Eco"], "it has echo"),
        (["api", "--relay-channels", "5"], "add --relay"), (["api", "--relay-drain"], "add --relay"),
        (["chat", "--exec", ":opn Echo"], "there is no :opn"),
        (["chat", "--exec", "hello"], "[chat.noneOpen]"),
        (["chat", "--exec", ":open Nobody Known"], "\"Nobody Known\""),
        (["chat", "--name", "Bob", "--data", "empty", "--exec", ":accept Nobody"], "[chat.noRequest]"),
        (["profile", "list", "--data", "empty2"], "parley: there are no profiles in empty2: name the data folder with --data"),
        (["profile", "address", "--data", "empty2"], "[dataFolder]"),
    ])
    func whatIsWrongIsSaidAndEndsWithCode2(_ arguments: [String], _ expected: String) async throws {
        let folder = try ScratchFolder("input")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let outcome = try await parley(arguments, folder)
        #expect(outcome.exitCode == 2, "\(outcome)")
        #expect(outcome.errors.contains(expected), "\(outcome)")
    }

    @Test func theVersionIsAskedForAsOfOtherPrograms() async throws {
        let folder = try ScratchFolder("version")
        defer { folder.remove() }
        let command = try await parley(["version"], folder), option = try await parley(["--version"], folder)
        #expect(command.exitCode == 0 && option.exitCode == 0 && option.output == command.output && command.output.hasPrefix("parley "), "\(option)")
    }

    @Test func theErrorsOfAFileAreLinesOfJSONForScripts() async throws {
        let folder = try ScratchFolder("faults")
        defer { folder.remove() }
        try folder.write("parley: 1\nprofiles:\n  echo:\n    nam: Echo\n    rules: 5\n", to: "bots.yaml")
        let outcome = try await parley(["run", "bots.yaml", "--json"], folder)
        #expect(outcome.exitCode == 2)
        let faults = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(faults.count == 2 && faults.allSatisfy { $0["event"] == "error" && $0["file"] == "bots.yaml" && $0["message"]?.stringValue != nil })
        #expect(faults.map { $0["code"] } == ["unknown-key", "wrong-type"])
        #expect(faults.map { $0["line"] } == [4, 5] && faults.map { $0["column"] } == [5, 12])
        #expect(faults.first?["hint"]?.stringValue?.contains("name") == true)
        #expect(outcome.errors.contains("bots.yaml:4:5: error:"), "a person reads the same on standard error")
        #expect(!FileManager.default.fileExists(atPath: folder("parley-data")))
    }

    @Test func aLinkThatIsNoneEndsTheCommandAlsoForAPersonAtATerminal() async throws {
        let folder = try ScratchFolder("link")
        defer { folder.remove() }
        let outcome = try await parley(["chat", "--connect", "https://example.org"], folder)
        #expect(outcome.exitCode != 0)
        #expect(outcome.errors.contains("["), "\(outcome)")
    }

    private static let bots = """
        parley: 1
        profiles:
          echo:
            name: The Echo
            address: { accept: automatic, welcome: "Welcome!" }
            rules:
              - { when: { message: text }, then: { send: "you said {{ text }}" } }

        """

    private struct Outcome {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    /// Runs a command to its end, in the folder.
    private func parley(_ arguments: [String], _ folder: ScratchFolder) async throws -> Outcome {
        let log = folder("errors-\(UUID().uuidString)")
        let process = try ParleyProgram.start(arguments, in: folder.path, log: log)
        let exitCode = try await process.exit()
        let output = await process.restOfOutput().map { $0 + "\n" }.joined()
        return Outcome(exitCode: exitCode, output: output, errors: try String(contentsOfFile: log, encoding: .utf8))
    }
}
