import ChatAPI
import EncryptedSQLite
import Logging
import StorageFaults
import TestSupport
import Testing

@testable import Parley

@Suite("The state of bots on a disk that fails") struct StateFaultTests {
    @Test("is stored once the disk works again, before what comes later", arguments: [StorageFaults.Fault.full, .io])
    func waits(_ fault: StorageFaults.Fault) async throws {
        let folder = try TemporaryFolder(), disk = try StorageFaults(below: folder.path)
        let store = try BotStateStore(path: folder.path + "/bots.db", key: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let stored = EventLog<Int>()
        disk.fail(.write, number: 1, with: fault)
        async let first: Void = {
            try await store.commit(HandlerChanges.Batch(), .item(5, chat: "@4"), of: 1)
            stored.add(1)
        }()
        try await eventually("the disk refuses") { disk.failures > 0 }
        async let second: Void = {
            try await store.commit(HandlerChanges.Batch(), .item(6, chat: "@4"), of: 1)
            stored.add(2)
        }()
        #expect(stored.all.isEmpty)
        disk.heal()
        _ = try await (first, second)
        #expect(stored.all.sorted() == [1, 2])
        try await store.close()
    }

    @Test("is left to the next start when the bots stop before the disk works again")
    func stops() async throws {
        let folder = try TemporaryFolder(), disk = try StorageFaults(below: folder.path)
        let store = try BotStateStore(path: folder.path + "/bots.db", key: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        disk.fail(.write, number: 1, with: .full)
        async let refusal: Bool = {
            do {
                try await store.commit(HandlerChanges.Batch(), .item(5, chat: "@4"), of: 1)
                return false
            } catch { return StorageError.isOfDisk(error) || error is StorageError }
        }()
        try await eventually("the disk refuses") { disk.failures > 0 }
        store.stopWaitingForDisk()
        #expect(await refusal)
        disk.heal()
        try await store.close()
    }
}
