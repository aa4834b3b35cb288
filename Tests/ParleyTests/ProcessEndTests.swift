import ChatAPI
import EncryptedSQLite
import Testing

@testable import Hosting
@testable import Parley

@Suite struct ProcessEndTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("enable=no", false), ("enable=yes", true), ("enable=Yes,color=no", true), ("color=no,enable=on", true),
            ("enable=yes,enable=no", false), ("color=yes", false), ("enable", false), ("enable=", false),
        ] as [(String?, Bool)])
    func onlyWhoAsksForABacktraceGetsOne(_ value: String?, _ asks: Bool) {
        #expect(CrashHandling.asksForBacktrace(value) == asks)
    }

    @Test func theExitCodeTellsWhetherAnotherStartWouldFailToo() {
        #expect(ProcessFault(HostError(.serverAddress, "x")).exitCode == 2)
        #expect(ProcessFault(StorageError(.wrongKey, "x")).exitCode == 2)
        #expect(ProcessFault(HandlerFault(message: "x", file: "a.swift", line: 1, column: 1)).exitCode == 2)
        #expect(ProcessFault(HostError(.dataFolderInUse, "x")).exitCode == 1)
        #expect(ProcessFault(StorageError(.locked, "x")) == ProcessFault("storage.locked", "x"))
        #expect(ProcessFault(ChatCoreError(.closed, "x")).code == "core.closed")
        #expect(ProcessFault(CancellationError()).code == "failed")
    }
}
