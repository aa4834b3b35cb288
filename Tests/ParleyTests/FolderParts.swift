import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Foundation
import GRDB
import Logging
import SystemSupport
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// A data folder with routers, a profile that has an address, and what a bot remembers.
struct FolderParts: Sendable {
    let folder: TemporaryFolder
    let key: DatabaseKey?

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// The files and folders that have the identity of a folder.
    static let parts = ["parley_chat.db", "parley_agent.db", "bots.db", "router", "file-router"]

    /// What a folder holds, as far as a person would notice that it is gone.
    struct Content: Equatable {
        var profiles: [String] = []
        var addresses: [String] = []
        var routers: [String] = []
        var bots: [String: Int64] = [:]
    }

    init(key: DatabaseKey? = nil) async throws {
        folder = try TemporaryFolder()
        self.key = key
        try await start { host, store in
            let profile = NewUser(profile: Profile(displayName: "Ann", fullName: ""), pastTimestamp: false, isChatRelay: false)
            guard case .activeUser(let user) = try await host.core.send(.users(.create(profile)), as: nil) else { throw CancellationError() }
            _ = try await host.core.send(.core(.start()), as: nil)
            _ = try await host.core.send(.address(.create(user: user.userID)), as: user.userID)
            try await store.database.write { db in try db.execute(sql: "INSERT INTO bot (bot_id, user_id) VALUES ('ann', 1)") }
        }
    }

    private init(copyOf other: FolderParts) throws {
        folder = try TemporaryFolder(isCreated: false)
        key = other.key
        try FileManager.default.copyItem(atPath: other.folder.path, toPath: folder.path)
    }

    /// The same folder, whose databases have another key now.
    init(_ other: FolderParts, key: DatabaseKey?) { (folder, self.key) = (other.folder, key) }

    /// A copy of the folder, which a start notices to be one.
    func copy() throws -> FolderParts { try FolderParts(copyOf: self) }

    /// A copy of the folder that notes its own files, as if it were the folder itself.
    func twin() throws -> FolderParts {
        let twin = try copy()
        for part in twin.data.possibleParts { if let mark = try twin.data.state(of: part, key: key).mark { try twin.data.write(mark, to: part, key: key) } }
        if let manifest = try twin.manifest() { try SmallFile.write(manifest, to: twin.data.manifestPath) }
        return twin
    }

    /// The folder in another place; nothing is left in its own.
    func moved() throws -> FolderParts {
        let moved = FolderParts(try TemporaryFolder(), key: key)
        try FileManager.default.moveItem(atPath: folder.path + "/data", toPath: moved.folder.path + "/data")
        return moved
    }

    private init(_ folder: TemporaryFolder, key: DatabaseKey?) { (self.folder, self.key) = (folder, key) }

    /// The path of a file in the data folder.
    func callAsFunction(_ name: String) -> String { folder.path + "/data/" + name }

    var data: DataFolder { DataFolder(path: folder.path + "/data") }

    /// Opens the folder as bots do, without running any.
    @discardableResult
    func start<Value: Sendable>(logger: Logger = logger, _ body: @Sendable (CoreHost, BotStateStore) async throws -> Value) async throws -> Value {
        var configuration = HostConfiguration(dataFolder: folder.path + "/data", logger: logger)
        configuration.databaseKey = key.map { .key($0) }
        let host = try await CoreHost.open(configuration)
        do {
            let store = try BotStateStore(path: self("bots.db"), key: key, logger: Self.logger)
            let value: Value
            do {
                try await host.establish(store)
                value = try await body(host, store)
            } catch {
                try await store.close()
                throw error
            }
            try await store.close()
            await host.close()
            return value
        } catch {
            await host.close()
            throw error
        }
    }

    func content(logger: Logger = logger) async throws -> Content {
        try await start(logger: logger) { host, store in
            var content = Content(routers: host.servers + host.fileServers)
            guard case .usersList(let users) = try await host.core.send(.users(.list), as: nil) else { throw CancellationError() }
            content.profiles = users.map(\.user.profile.displayName)
            for user in users {
                if case .userContactLink(_, let link) = try await host.core.send(.address(.show(user: user.user.userID)), as: user.user.userID) {
                    content.addresses.append("\(link)")
                }
            }
            content.bots = try await store.database.read { db in
                var bots: [String: Int64] = [:]
                for row in try Row.fetchAll(db, sql: "SELECT bot_id, user_id FROM bot") { bots[row[0]] = row[1] }
                return bots
            }
            return content
        }
    }

    /// The outcome of a start: the content, or the code of the refusal.
    func outcome() async -> Result<Content, Refused> {
        do {
            return .success(try await content())
        } catch {
            let fault = ProcessFault(error)
            return .failure(Refused(code: fault.code, message: fault.message))
        }
    }

    struct Refused: Error, Equatable {
        let code: String
        let message: String
    }

    /// All files of the data folder, by their paths in it.
    func files() throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/data").sorted()
        return try all.filter { path in
            try FileManager.default.attributesOfItem(atPath: self(path))[.type] as? FileAttributeType == .typeRegular
        }
    }

    /// Puts a part of another folder in the place of this one's.
    func replace(_ part: String, by other: FolderParts) throws {
        try FileManager.default.removeItem(atPath: self(part))
        try FileManager.default.copyItem(atPath: other(part), toPath: self(part))
    }

    func manifest() throws -> FolderManifest? { try SmallFile.read(FolderManifest.self, from: data.manifestPath) }

    /// The mark of every part that has one.
    func marks() throws -> [FolderPart: FolderMark] {
        var marks: [FolderPart: FolderMark] = [:]
        for part in data.possibleParts { marks[part] = try data.state(of: part, key: key).mark }
        return marks
    }

    /// Takes the identity from everything, as if an earlier version had made the folder.
    func removeIdentity() throws {
        try? FileManager.default.removeItem(atPath: data.manifestPath)
        for folder in ["router", "file-router"] { try? FileManager.default.removeItem(atPath: self(folder + "/" + RouterMark.fileName)) }
        for member in data.databases.members {
            let queue = try DatabaseQueue(path: member.path)
            try queue.write { db in for table in FolderMark.tables { try db.execute(sql: "DROP TABLE IF EXISTS \(table)") } }
            try queue.close()
        }
    }

    /// Takes the numbers of the files from everything, as if an earlier version had started last.
    func forgetFiles() throws {
        var manifest = try #require(try manifest())
        manifest.file = nil
        try WholeFile.replace(data.manifestPath, with: try SmallFile.bytes(of: manifest))
        for member in data.databases.members {
            let queue = try DatabaseQueue(path: member.path)
            try queue.write { db in try db.execute(sql: "DELETE FROM parley_file") }
            try queue.close()
        }
    }
}
