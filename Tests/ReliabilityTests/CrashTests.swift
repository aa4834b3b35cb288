import Foundation
import Parley
import ProcessSupport
import SystemSupport
import TestSupport
import Testing

/// The bot has a fault that somebody's message brings out, and crashes.
@Suite struct CrashTests {
    @Test(.timeLimit(.minutes(10)), arguments: TrapPoint.allCases)
    func aMessageThatThreeProcessesDieOfIsSetAsideAndEverythingElseGoesOn(_ point: TrapPoint) async throws {
        let folder = try ScratchFolder("parley-crash")
        defer { folder.remove() }
        let deployment = try await Deployment(.routerInside, in: folder)
        defer { Task { await deployment.abandon() } }
        let mallory = try await Person("mallory", on: deployment), bob = try await Person("bob", on: deployment)
        for person in [mallory, bob] {
            try await person.connect(on: deployment)
            #expect(try await person.ask("hello") == Deployment.answer(to: "hello"))
        }
        let fault = (point: point, text: "poison")
        try await deployment.startBot(crashingAt: fault)
        try await mallory.send("poison")
        for _ in 1...3 { try await deployment.replaceCrashedBot(crashingAt: fault) }
        #expect(try await bob.ask("still there?") == Deployment.answer(to: "still there?"))
        #expect(try await mallory.ask("and now?") == Deployment.answer(to: "and now?"))

        let log = try String(contentsOfFile: folder("bot.log"), encoding: .utf8).split(separator: "\n")
        #expect(log.filter { $0.contains("parley: crashed (SIGILL)") }.count == 3, "\(log)")
        #expect(!log.contains { $0.contains("Backtracing") || $0.contains("Current stack trace") }, "\(log)")
        #expect(log.contains { $0.contains(point == .botHandle ? "handler.quarantined" : "event.quarantined") }, "\(log)")
        #expect(!log.contains { $0.contains("poison") }, "\(log)")
        // Links of addresses and invitations are secrets of those who have them.
        #expect(!log.contains { $0.contains("/a#") || $0.contains("/i#") || $0.contains("simplex:/") }, "\(log)")

        // The bot is stopped, mended, told to try again, and started.
        #expect(try await deployment.stop() == [0])
        let list = try await quarantine(["list", "--json"], folder)
        let name = point == .botHandle ? "handler-1" : "event-1"
        #expect(list.count == 1 && list[0].contains(#""event":"quarantined","id":"\#(name)","kind":"message""#), "\(list)")
        #expect(try await quarantine(["retry", name], folder).count == 1)
        try await deployment.restartStoppedBot()
        #expect(try await mallory.answer() == Deployment.answer(to: "poison"))
        #expect(try await bob.ask("mended?") == Deployment.answer(to: "mended?"))
        #expect(try await deployment.stop() == [0])
        #expect(try await quarantine([], folder) == ["Nothing is set aside."])
        for person in [mallory, bob] { await person.close() }
    }

    private func quarantine(_ arguments: [String], _ folder: ScratchFolder) async throws -> [String] {
        let program = try ParleyProgram.start(
            ["db", "quarantine"] + arguments + ["--data", folder("bot")], log: folder("quarantine.log"))
        let exitCode = try await program.exit()
        #expect(exitCode == 0, "\(program.logTail())")
        return await program.restOfOutput()
    }

    /// Keys and messages are in its memory.
    @Test func aRunningProgramLeavesNoCoreDumpAndOthersOfItsUserCannotReadIt() async throws {
        let folder = try ScratchFolder("parley-core")
        defer { folder.remove() }
        let program = try ParleyProgram.start(
            ["server", "smp", "--data", folder("router"), "--port", "0", "--json"], environment: ["SWIFT_BACKTRACE": ""], log: folder("log"))
        _ = try await program.ready()
        let limits = try String(contentsOfFile: "/proc/\(program.id)/limits", encoding: .utf8).split(separator: "\n")
        let core = try #require(limits.first { $0.hasPrefix("Max core file size") }).split(separator: " ")
        #expect(core[4] == "0" && core[5] == "0", "\(core)")
        // The memory of a process that cannot be dumped belongs to root.
        let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(program.id)/mem")[.ownerAccountID] as? NSNumber
        #expect(owner?.uint32Value == 0)
        program.send(.terminate)
        #expect(try await program.exit() == 0)
    }

    @Test func somethingThatIsNotSetAsideCannotBeRetried() async throws {
        let folder = try ScratchFolder("parley-quarantine")
        defer { folder.remove() }
        for name in ["event-1", "handler-1", "nonsense", "event-\u{1B}[2J"] {
            let program = try ParleyProgram.start(["db", "quarantine", "drop", name, "--data", folder("bot")], log: folder("log"))
            #expect(try await program.exit() != 0)
        }
        let log = try String(contentsOfFile: folder("log"), encoding: .utf8)
        #expect(log.contains("[quarantine]") && !log.contains("\u{1B}"), "\(log)")
    }

    /// What `main` of a program of a bot author's ends with.
    @Test func aBotOfItsOwnEndsWithTheExitCodeThatAServiceManagerGoesBy() async throws {
        let folder = try ScratchFolder("parley-exit")
        defer { folder.remove() }
        let path = URL(fileURLWithPath: ParleyProgram.path).deletingLastPathComponent().appendingPathComponent("EchoBot").path
        func start(_ environment: [String: String], _ log: String) throws -> ChildProcess {
            try ChildProcess(path, [], environment: ["PARLEY_DATA": folder("data"), "SWIFT_BACKTRACE": ""].merging(environment) { $1 }, log: folder(log))
        }
        let first = try start([:], "first")
        _ = try await first.output.peek("an address", within: Patience.limit) { $0.contains("can be reached at") ? true : nil }
        let second = try start([:], "second")
        #expect(try await second.exit() == 1)
        let words = try String(contentsOfFile: folder("second"), encoding: .utf8)
        #expect(words.contains("EchoBot: another process uses") && words.contains("[dataFolderInUse]"), "\(words)")
        let wrong = try start(["PARLEY_DATA": folder("other"), "PARLEY_SERVER": "smp://abc"], "wrong")
        #expect(try await wrong.exit() == 2)
        #expect(try String(contentsOfFile: folder("wrong"), encoding: .utf8).contains("[serverAddress]"))
        first.send(.terminate)
        #expect(try await first.exit() == 0)
    }
}
