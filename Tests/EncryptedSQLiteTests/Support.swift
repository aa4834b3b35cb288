import Foundation
import GRDB
import TestSupport
import VectorSupport

@testable import EncryptedSQLite

extension TemporaryFolder {
    /// All files below, by name.
    func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            files[name] = Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
        }
        return files
    }

    func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: self(name)))) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: self(name))) }

    /// Changes bytes of a file in place.
    func change(_ name: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try contents(name)
        body(&bytes)
        try write(bytes, to: name)
    }
}

extension DatabaseKey {
    /// A key of pages itself, which takes no time to derive.
    static func raw(_ byte: UInt8) throws(StorageError) -> DatabaseKey {
        try DatabaseKey("x'" + String(repeating: (byte < 16 ? "0" : "") + String(byte, radix: 16), count: 32) + "'")
    }
}

extension DatabaseFile {
    /// A database with one table; with more versions the table has a further column.
    static func entries(
        _ path: String?, key: DatabaseKey? = nil, versions: Int = 1, health: @escaping @Sendable (DiskHealthChange) -> Void = { _ in }
    ) throws(StorageError) -> DatabaseFile {
        try DatabaseFile(path: path, label: "test", migrator: .entries(versions: versions), key: key, health: health)
    }

    func add(_ names: String...) async throws {
        for name in names { try await write { db in try db.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: [name]) } }
    }

    func names() async throws -> [String] { try await read { try String.fetchAll($0, sql: "SELECT name FROM entry ORDER BY id") } }
}

extension DatabaseMigrator {
    static func entries(versions: Int) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: entries") {
            try $0.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
        }
        for version in 2..<max(2, versions + 1) {
            migrator.registerMigration("\(version): column \(version)") { try $0.execute(sql: "ALTER TABLE entry ADD COLUMN c\(version) INTEGER") }
        }
        return migrator
    }
}

extension Sequence<UInt8> where Self: Collection {
    func contains(_ text: String) -> Bool { Data(self).range(of: Data(text.utf8)) != nil }
}
