import ChatStore
import EncryptedSQLite
import Foundation
import GRDB
import Logging
import SystemSupport
import TestSupport
import Testing

@testable import Hosting

/// What can be seen of a data folder without its lock.
@Suite struct FolderInspectionTests {
    private static func configuration(_ folder: String) -> HostConfiguration {
        var configuration = HostConfiguration(dataFolder: folder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        configuration.databaseKey = nil
        return configuration
    }

    @Test func aFolderIsInspectedWhileAProcessHasItAndAfterwards() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let absent = FolderInspection(DataFolder(path: folder.path))
        #expect(!absent.exists && absent.isWritable && absent.databases.isEmpty)
        let host = try await CoreHost.open(Self.configuration(folder.path))
        let open = FolderInspection(DataFolder(path: folder.path))
        await host.close()
        #expect(open.holder == Int(getpid()))
        #expect(open.databases.map(\.label) == ["chat", "agent"] && open.databases.allSatisfy { !$0.isEncrypted && $0.mode == 0o600 && $0.bytes > 0 })
        #expect(open.mode == 0o700 && open.missingParts.isEmpty && open.fault == nil)
        let closed = FolderInspection(DataFolder(path: folder.path))
        #expect(closed.holder == nil && closed.isNewer == false && closed.copySign == nil)
        #expect(closed.routerPort != nil && closed.fileRouterPort != nil && closed.newestBackup == nil)
    }

    @Test func missingPartsDamageCopiesAndBackupsAreSeen() async throws {
        let folder = try TemporaryFolder(isCreated: false), copy = try TemporaryFolder(isCreated: false)
        await (try CoreHost.open(Self.configuration(folder.path))).close()
        let data = DataFolder(path: folder.path)
        let backup = try data.locked { _ in try data.backUp(to: nil, key: nil) }
        #expect(FolderInspection(data).newestBackup != nil)
        try FileManager.default.createDirectory(atPath: folder.path + "/backups/parley.later.partial", withIntermediateDirectories: false)
        try FileManager.default.removeItem(atPath: backup)
        #expect(FolderInspection(data).newestBackup == nil, "a backup that is not complete is none")

        try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
        #expect(FolderInspection(DataFolder(path: copy.path)).copySign != nil)
        try FileManager.default.removeItem(atPath: folder.path + "/parley_agent.db")
        #expect(FolderInspection(data).missingParts == ["agent"])
        try Data("{".utf8).write(to: URL(fileURLWithPath: data.manifestPath))
        #expect(FolderInspection(data).fault?.contains("damaged") == true)
    }

    @Test func aDatabaseOfANewerVersionIsNotOpenedForThat() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        await (try CoreHost.open(Self.configuration(folder.path))).close()
        let path = folder.path + "/parley_chat.db"
        #expect(StoredMigrations.names(inDatabase: path) == Set(ChatStoreMigrations.names))
        let database = try DatabaseQueue(path: path)
        try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999 of the future')") }
        try database.close()
        // The file of a process that has ended is complete without its log.
        _ = try? FileManager.default.removeItem(atPath: path + "-wal")
        #expect(FolderInspection(DataFolder(path: folder.path)).isNewer == true)
        #expect(StoredMigrations.names(inDatabase: folder.path + "/no such file?x#%") == nil)
    }
}
