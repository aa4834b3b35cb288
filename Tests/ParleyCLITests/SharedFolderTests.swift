import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Commands on a data folder on which bots run.
@Suite struct SharedFolderTests {
    private static let bots = """
        parley: 1
        profiles:
          echo:
            name: The Echo
            address: { accept: automatic }
            rules:
              - { when: { message: text }, then: { send: "you said {{ text }}" } }
          other:
            name: Another
        """

    @Test func messagesAndFilesAreSentWhileBotsRun() async throws {
        let folder = try ScratchFolder("shared")
        defer { folder.remove() }
        let people = People(folder)
        let bots = try await people.startAndGreet(Self.bots).process

        let unnamed = try await people.onFolder(["send", "--to", "Ann", "x"])
        #expect(unnamed.exitCode == 2 && unnamed.errors.contains("[profile.unnamed]"), "\(unnamed)")
        let nearly = try await people.onFolder(["send", "--profile", "the echo", "--to", "Ann", "x"])
        #expect(nearly.exitCode == 2 && nearly.errors.contains("did you mean \"The Echo\"?"), "\(nearly)")
        let unknown = try await people.onFolder(["send", "--profile", "The Echo", "--to", "Nobody", "x"])
        #expect(unknown.exitCode == 2 && unknown.errors.contains("[chat.unknown]"), "\(unknown)")
        for _ in 1...2 {
            let sent = try await people.onFolder(["send", "--profile", "The Echo", "--to", "Ann", "--once-as", "report 7", "--json", "the news"])
            #expect(sent.exitCode == 0 && sent.output.hasPrefix(#"{"event":"sent","to":"Ann","chat":"@"#), "\(sent)")
            #expect(sent.output.contains(#""stage":"router""#) && sent.output.split(separator: "\n").count == 1, "\(sent)")
        }
        try folder.write("numbers", to: "report.txt")
        for _ in 1...2 {
            // The path is relative to the folder of the command.
            let sent = try await people.onFolder(["send", "--profile", "The Echo", "--to", "Ann", "--file", "report.txt", "--once-as", "file 7", "as promised"])
            #expect(sent.exitCode == 0, "\(sent)")
        }
        let talk = try await people.onFolder(["chat", "--name", "The Echo", "--exec", ":open Ann", "--exec", "by hand", "--exec", ":history 6"])
        #expect(talk.exitCode == 0, "\(talk)")
        let said = ["hello", "you said hello", "the news", "[report.txt, 7 bytes] as promised", "by hand"]
        #expect(lines(talk.output).suffix(5).elementsEqual(said), "\(talk)")
        let nobody = try await people.onFolder(["chat", "--exec", ":list"])
        #expect(nobody.exitCode == 2 && nobody.errors.contains("[chat.severalProfiles]"), "\(nobody)")
        #expect(nobody.errors.contains("The Echo, Another") || nobody.errors.contains("Another, The Echo"), "\(nobody)")
        let stranger = try await people.onFolder(["chat", "--name", "Nobody"])
        #expect(stranger.exitCode == 2 && stranger.errors.contains("[chat.otherName]") && stranger.errors.contains("Another"), "\(stranger)")

        let back = try await people.ann(["--exec", ":wait 60 by hand", "--exec", ":history 6"])
        #expect(back.exitCode == 0, "\(back)")
        #expect(lines(back.output).suffix(5).map { $0.replacing("; :save receives it", with: "") }.elementsEqual(said), "\(back)")
        bots.send(.terminate)
        #expect(try await bots.exit() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder("bots/bots.sock")))
    }

    @Test func aTrustedContactIsMeantByTheNameOfItsLinkWhoeverElseHasIt() async throws {
        let folder = try ScratchFolder("trusted")
        defer { folder.remove() }
        let people = People(folder)
        let (process, ready) = try await people.start("parley: 1\nprofiles: { echo: { name: The Echo, trusted-contacts: ann } }")
        let profile = try #require(ready.profiles?.first), address = try #require(profile.shortAddress), link = try #require(profile.invitations?.first?.link)
        let connected = try await people.stranger("ann", ["--connect", address])
        #expect(connected.exitCode == 0, "\(connected)")
        for name in ["ann", "@ann", "ANN"] {
            let early = try await people.onFolder(["send", "--to", name, "too early"])
            #expect(early.exitCode == 2 && early.errors.contains("[chat.unknown]"), "\(early)")
        }
        let came = try await people.ann(["--connect", link])
        #expect(came.exitCode == 0, "\(came)")
        for name in ["ann", "@ann", "ANN"] {
            let sent = try await people.onFolder(["send", "--to", name, "for \(name) alone"])
            #expect(sent.exitCode == 0, "\(sent)")
            let received = try await people.ann(["--exec", ":wait 60 for \(name) alone"])
            #expect(received.exitCode == 0, "\(received)")
        }
        let none = try await people.stranger("ann", ["--exec", ":open The Echo", "--exec", ":history 20"])
        #expect(none.exitCode == 0 && !none.output.contains("alone") && !none.output.contains("early"), "\(none)")
        process.send(.terminate)
        #expect(try await process.exit() == 0)
    }

    @Test func aBackupThatIsMadeWhileBotsRunCanBeRestored() async throws {
        let folder = try ScratchFolder("backup")
        defer { folder.remove() }
        let people = People(folder)
        let (process, link) = try await people.startAndGreet(Self.bots)
        // The path is relative to the folder of the command.
        let backup = try await people.database(["backup", "--to", "copies", "--json"])
        #expect(backup.exitCode == 0 && backup.output.split(separator: "\n").allSatisfy { $0.hasPrefix(#"{"event":"backup","path":""#) }, "\(backup)")
        let copies = try FileManager.default.contentsOfDirectory(atPath: folder("copies"))
        #expect(copies.count == 1)
        let copy = try #require(copies.first)
        let parts = try Set(FileManager.default.contentsOfDirectory(atPath: folder("copies/" + copy)))
        #expect(parts.isSuperset(of: ["bots.db", "parley_agent.db", "parley_chat.db", "parley.folder"]), "\(parts)")
        try folder.write("", to: "file")
        let refused = try await people.database(["backup", "--to", "file/copies"])
        #expect(refused.exitCode == 1 && refused.errors.contains("[storage."), "\(refused)")
        let busy = try await people.database(["check"])
        #expect(busy.exitCode == 1 && busy.errors.contains("[dataFolderInUse]"), "\(busy)")
        process.send(.terminate)
        #expect(try await process.exit() == 0)

        // What was exchanged since is not in the backup.
        let ran = try await people.start(Self.bots)
        let between = try await people.ann(["--exec", "in between", "--exec", ":wait you said in between"])
        #expect(between.exitCode == 0, "\(between)")
        ran.process.send(.terminate)
        #expect(try await ran.process.exit() == 0)
        let replaced = try await people.database(["restore", folder("copies/" + copy), "--replace"])
        #expect(replaced.exitCode == 0, "\(replaced)")
        let check = try await people.database(["check"])
        #expect(check.exitCode == 0, "\(check)")
        let restored = try await people.start(Self.bots)
        #expect(restored.ready.profiles?.first?.shortAddress == link)
        // What is written before both sides have agreed on new keys cannot be read.
        var isAnswered = false
        for number in 1...10 where !isAnswered {
            isAnswered = try await people.ann(["--exec", "again \(number)", "--exec", ":wait 10 you said again \(number)"]).exitCode == 0
        }
        #expect(isAnswered)
        restored.process.send(.terminate)
        #expect(try await restored.process.exit() == 0)
    }

    @Test func theSocketOfAProcessThatWasKilledIsReplaced() async throws {
        let folder = try ScratchFolder("stale")
        defer { folder.remove() }
        let people = People(folder)
        let first = try await people.start(Self.bots)
        first.process.send(.kill)
        _ = try await first.process.exit()
        #expect(FileManager.default.fileExists(atPath: folder("bots/bots.sock")))
        // Nobody runs: the command opens the folder itself.
        let list = try await people.onFolder(["chat", "--name", "Another", "--exec", ":list"])
        #expect(list.exitCode == 0, "\(list)")
        let second = try await people.start(Self.bots)
        let shared = try await people.onFolder(["chat", "--name", "Another", "--exec", ":list"])
        #expect(shared.exitCode == 0, "\(shared)")
        second.process.send(.terminate)
        #expect(try await second.process.exit() == 0)
    }

    @Test func aProcessThatDoesNotAnswerAtTheSocketHasTheFolderForItself() async throws {
        let folder = try ScratchFolder("alone")
        defer { folder.remove() }
        let people = People(folder)
        let owner = try ParleyProgram.start(["chat", "--data", folder("bots"), "--name", "Ann"], input: nil, log: folder("log"))
        _ = try await owner.output.first("a sign of life", within: Patience.limit) { _ in true }
        let sent = try await people.onFolder(["send", "--to", "Bob", "x"])
        #expect(sent.exitCode == 1 && sent.errors.contains("[dataFolderInUse]"), "\(sent)")
        owner.send(.terminate)
        _ = try await owner.exit()
    }

    /// The texts of lines of a history: what is behind `[time] name: `.
    private func lines(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap { line in line.firstRange(of: ": ").map { String(line[$0.upperBound...]) } }
    }
}

/// A folder with bots in it, and Ann, who uses their routers.
final class People {
    private let folder: ScratchFolder
    private var server = ""

    init(_ folder: ScratchFolder) { self.folder = folder }

    func start(_ bots: String) async throws -> (process: ChildProcess, ready: ReadyLine) {
        try folder.write(bots, to: "bots.yaml")
        let process = try ParleyProgram.start(["run", folder("bots.yaml"), "--data", folder("bots"), "--json"], log: folder("log"))
        let ready = try await process.ready()
        server = try #require(ready.servers?.first)
        return (process, ready)
    }

    /// Starts the bots. Ann connects with the first of them and says hello, which it repeats.
    func startAndGreet(_ bots: String) async throws -> (process: ChildProcess, link: String) {
        let (process, ready) = try await start(bots)
        let link = try #require(ready.profiles?.first?.shortAddress)
        let hello = try await ann(["--connect", link, "--exec", "hello", "--exec", ":wait you said hello"])
        #expect(hello.exitCode == 0, "\(hello)")
        return (process, link)
    }

    func ann(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        try await parley(["chat", "--data", folder("ann"), "--name", "Ann", "--server", server] + arguments)
    }

    /// Somebody else in `parley chat`, under a name of their choice.
    func stranger(_ name: String, _ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        try await parley(["chat", "--data", folder("stranger"), "--name", name, "--server", server] + arguments)
    }

    /// Runs a command on the folder of the bots.
    func onFolder(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        try await parley([arguments[0], "--data", folder("bots")] + arguments.dropFirst())
    }

    /// Runs `parley db` on the folder of the bots.
    func database(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        try await parley(["db"] + arguments + ["--data", folder("bots")])
    }

    /// Runs `parley replay` on the folder of the bots, or the one that is named.
    func replay(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        try await parley(arguments.contains("--data") ? arguments : arguments + ["--data", folder("bots")])
    }

    private func parley(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        let log = folder("errors-\(UUID().uuidString)")
        let process = try ParleyProgram.start(arguments, in: folder.path, log: log)
        let exitCode = try await process.exit()
        let output = await process.restOfOutput().map { $0 + "\n" }.joined()
        return (exitCode, output, try String(contentsOfFile: log, encoding: .utf8))
    }
}
