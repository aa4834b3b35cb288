import Foundation
import GRDB
import StorageFaults
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("Backups")
struct BackupTests {
    private static func backups(_ folder: TemporaryFolder) throws -> [String] {
        try folder.files().keys.filter { $0.hasPrefix("backups/") }.sorted()
    }

    @Test("are made before a migration, under the key, and only then", arguments: [true, false])
    func migration(isEncrypted: Bool) async throws {
        let folder = try TemporaryFolder(), key = isEncrypted ? try DatabaseKey.raw(1) : nil
        for _ in 1...2 {
            let file = try DatabaseFile.entries(folder("a.db"), key: key, versions: 1)
            try await file.add("a secret")
            try await file.close()
        }
        #expect(try Self.backups(folder) == [], "nothing to migrate, nothing to back up")
        try await DatabaseFile.entries(folder("a.db"), key: key, versions: 2).close()
        let names = try Self.backups(folder)
        #expect(names.count == 1)
        let name = try #require(names.first)
        #expect(name.wholeMatch(of: /backups\/a\.\d{8}T\d{6}Z\.of-1-entries\.db/) != nil, "\(name)")
        let isReadable = try folder.contents(name).contains("a secret")
        #expect(isReadable == !isEncrypted)
        let mode = try FileManager.default.attributesOfItem(atPath: folder(name))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // It is what there was: it opens as the old version, and is brought up to date like it.
        try FileManager.default.copyItem(atPath: folder(name), toPath: folder("restored.db"))
        let restored = try DatabaseFile.entries(folder("restored.db"), key: key, versions: 1)
        #expect(try await restored.names() == ["a secret", "a secret"])
        try await restored.close()
    }

    @Test("are kept for the last changes only; those that a person made stay")
    func bounds() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseQueue(path: folder("a.db"))
        try await database.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        for number in 0..<6 {
            let backups = Backups(of: folder("a.db"), now: { 1_800_000_000 + number * 86_400 })
            _ = try backups.make(version: "Version \(number): more!", key: nil, from: database)
            // The names of copies that a person made, in earlier versions and now.
            if number == 0 { for kind in ["by-hand", "manual"] { try folder.write([1], to: "backups/a.20200101T000000Z.\(kind).db") } }
        }
        #expect(
            try Self.backups(folder) == ["backups/a.20200101T000000Z.by-hand.db", "backups/a.20200101T000000Z.manual.db"] + [
                "backups/a.20270118T080000Z.of-version-3-more.db", "backups/a.20270119T080000Z.of-version-4-more.db",
                "backups/a.20270120T080000Z.of-version-5-more.db",
            ])
    }

    @Test("that cannot be made keep the database as it is")
    func noRoom() async throws {
        let folder = try TemporaryFolder(), key = try DatabaseKey.raw(1)
        let file = try DatabaseFile.entries(folder("a.db"), key: key)
        try await file.add("a")
        try await file.close()
        do {
            let disk = try StorageFaults(below: folder("backups"))
            disk.fail(.write, number: 1, with: .full)
            let error = #expect(throws: StorageError.self) { try DatabaseFile.entries(folder("a.db"), key: key, versions: 2) }
            #expect(error?.code == .diskFull)
            #expect(try Self.backups(folder) == [])
        }
        let old = try DatabaseFile.entries(folder("a.db"), key: key, versions: 1)
        #expect(try await old.names() == ["a"])
        try await old.close()
    }

    @Test("made by hand are of all databases")
    func byHand() async throws {
        let folder = try TemporaryFolder(), key = try DatabaseKey.raw(1)
        for name in ["a", "b"] {
            let file = try DatabaseFile.entries(folder(name + ".db"), key: key)
            try await file.add(name)
            try await file.close()
        }
        let set = DatabaseSet(folder: folder.path, name: "s", members: ["a", "b", "c"].map { .init(label: $0, path: folder($0 + ".db")) })
        let copies = try set.backUp(to: folder("copies"), key: key)
        #expect(copies.count == 2)
        for (name, copy) in zip(["a", "b"], copies) {
            let file = try DatabaseFile.entries(copy, key: key)
            #expect(try await file.names() == [name])
            try await file.close()
        }
        #expect { try set.backUp(to: folder("copies"), key: try .raw(2)) } throws: { ($0 as? StorageError)?.code == .wrongKey }
    }
}

@Suite("Keys of databases")
struct DatabaseKeyTests {
    @Test("are texts that are not empty and not too long")
    func texts() throws {
        for text in ["", String(repeating: "k", count: DatabaseKey.longest + 1), "a\0b"] {
            #expect { try DatabaseKey(text) } throws: { ($0 as? StorageError)?.code == .invalidKey }
        }
        #expect(try DatabaseKey("k").equals(try DatabaseKey("k")))
        #expect(try !DatabaseKey("k").equals(try DatabaseKey("K")))
        #expect(try DatabaseKey.raw(0xAB).equals(try DatabaseKey("X'" + String(repeating: "aB", count: 32) + "'")))
        // Almost in the notation of keys themselves: passphrases.
        for text in ["x'" + String(repeating: "a", count: 63) + "'", "x'" + String(repeating: "g", count: 64) + "'"] {
            #expect(try DatabaseKey(text).equals(try DatabaseKey(text)))
            #expect(try !DatabaseKey(text).equals(try DatabaseKey.raw(0xAA)))
        }
    }

    @Test("do not show themselves")
    func redaction() throws {
        let key = try DatabaseKey("secret")
        for text in ["\(key)", String(reflecting: key), "\([key])"] { #expect(!text.contains("secret")) }
    }
}
