import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import Logging
import SMPSimulation
import StorageFaults
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("What the stores log")
struct StoreLogTests {
    /// The records that a logger was given.
    private final class Records: Sendable {
        let records = Mutex<[(message: String, metadata: Logger.Metadata)]>([])

        var logger: Logger { Logger(label: "test") { _ in Handler(records: self) } }

        func contains(database: String) -> Bool {
            records.withLock { $0.contains { $0.metadata["code"] == "storage.diskFull" && $0.metadata["database"] == .string(database) } }
        }
    }

    private struct Handler: LogHandler {
        let records: Records
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            records.records.withLock { $0.append(("\(event.message)", event.metadata ?? [:])) }
        }
    }

    /// Else the record of a full disk would have another format than all others, and no priority in the system's journal.
    @Test("goes to the logger of the core, whichever database it is about", arguments: ["chat", "agent"])
    func logger(_ database: String) async throws {
        let folder = try TemporaryFolder(), world = TestWorld(), records = Records()
        let disk = try StorageFaults(below: folder.path)
        let network = world.internet.makeClient()
        var configuration = world.configuration(prefix: folder.path + "/core")
        configuration.logger = records.logger
        let core = TestCore(try NativeCore.open(configuration, network: network), network)
        try await core.native.start()
        _ = try await core.createUser("alice")
        disk.fail(.write, of: [.log], number: 1, with: .full)
        let file = try #require(database == "chat" ? core.native.engine.store.file : core.native.agentDatabase)
        _ = try? await file.write { db in try db.execute(sql: "CREATE TABLE probe (column TEXT)") }
        disk.heal()
        #expect(records.contains(database: database))
        await core.close()
    }
}
