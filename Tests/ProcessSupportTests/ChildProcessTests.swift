import Foundation
import Testing

@testable import ProcessSupport

@Suite struct ChildProcessTests {
    @Test func `The lines of a program are read one by one, the last one without its end too`() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "cat; printf 'two\\nthree'; exit 7"], input: "one\n")
        #expect(try await process.exit(within: .seconds(20)) == 7)
        for line in ["one", "two", "three"] {
            #expect(try await process.output.first("a line", within: .seconds(20)) { $0 } == line)
        }
        await #expect { try await process.output.first("a line", within: .seconds(20)) { $0 } } throws: {
            ($0 as? PeerError)?.code == .ended
        }
    }

    @Test func `A program that does not heed the request to end is ended`() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"])
        _ = try await process.output.first("ready", within: .seconds(20)) { $0 == "ready" ? true : nil }
        await process.stop(.terminate, within: .milliseconds(50))
        #expect(!process.isRunning)
    }

    @Test func `A program whose parent is gone is ended too`() async throws {
        let child = try ChildProcess("/bin/sleep", ["600"])
        // Its end closes the pipe, as the end of this process does.
        var guardian: Guardian? = try Guardian(of: child.id)
        withExtendedLifetime(guardian) { #expect(child.isRunning) }
        guardian = nil
        #expect(try await child.exit(within: .seconds(20)) == ProcessSignal.kill.exitStatus)
        #expect(ProcessFigures.residentMemory(of: child.id) == nil)
    }

    @Test func `A guardian that is dismissed ends nothing`() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "read -r line; echo \"$line\""], input: "")
        _ = try await child.exit(within: .seconds(20))
        let other = try ChildProcess("/bin/sleep", ["600"])
        var guardian: Guardian? = try Guardian(of: other.id)
        guardian?.dismiss()
        guardian = nil
        other.send(.terminate)
        #expect(try await other.exit(within: .seconds(20)) == ProcessSignal.terminate.exitStatus)
    }

    @Test func `What the kernel counts of a process is read`() throws {
        let own = ProcessInfo.processInfo.processIdentifier
        #expect(try #require(ProcessFigures.residentMemory(of: own)) > 1_000_000)
        #expect(try #require(ProcessFigures.processorTime(of: own)) > .zero)
        #expect(ProcessFigures.residentMemory(of: 0) == nil)
    }

    @Test func `A program that is not there is reported as such`() {
        #expect { try ChildProcess("/nonexistent/program", []) } throws: { ($0 as? PeerError)?.code == .launch }
    }

    @Test func `Lines are typed into a program, and it is told when there are no more`() async throws {
        let process = try ChildProcess("/bin/cat", [], input: nil)
        try process.type("one")
        #expect(try await process.output.first("a line", within: .seconds(20)) { $0 } == "one")
        try process.type("two")
        process.endInput()
        #expect(try await process.exit() == 0)
        #expect(await process.restOfOutput() == ["two"])
        #expect { try process.type("three") } throws: { ($0 as? PeerError)?.code == .ended }
    }

    @Test func `Typing to a program that has ended is an error`() async throws {
        let process = try ChildProcess("/bin/true", [], input: nil)
        _ = try await process.exit()
        #expect { try process.type("hello") } throws: { ($0 as? PeerError)?.code == .launch }
    }

    @Test func `A program works in the folder that it is given, and its end is told to everybody who waits`() async throws {
        let folder = try ScratchFolder("working")
        let process = try ChildProcess("/bin/pwd", [], in: folder.path)
        async let first = process.exit(), second = process.exit()
        #expect(try await [first, second] == [0, 0])
        #expect(await process.restOfOutput().first?.hasSuffix(folder.path) == true)
    }

    @Test func `Nothing that is open here is open in a program`() async throws {
        let (reading, writing) = try Spawn.pipe()
        let process = try ChildProcess("/bin/ls", ["/proc/self/fd"])
        _ = try await process.exit(within: .seconds(20))
        // The last one is the folder that it reads.
        #expect(await process.restOfOutput() == ["0", "1", "2", "3"])
        withExtendedLifetime((reading, writing)) {}
    }

    /// Foundation's own process launcher keeps a few files open for every program that it has run.
    @Test func `Programs that have ended leave no open files`() async throws {
        func count() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
        let before = count()
        for _ in 0..<100 { _ = try await ChildProcess("/bin/true", [], input: nil).exit() }
        // Other tests run beside this one and have files open, too.
        #expect(count() < before + 100)
    }
}
