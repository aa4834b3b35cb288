import Foundation
import Testing

@testable import OfficialPeers

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
        #expect(try await child.exit(within: .seconds(20)) == ProcessSignal.kill.number)
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
        #expect(try await other.exit(within: .seconds(20)) == ProcessSignal.terminate.number)
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
}
