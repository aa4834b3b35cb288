import Foundation
import GRDB
import TestSupport
import Testing
import VectorSupport

@testable import EncryptedSQLite

@Suite("Databases that SQLCipher 4 made")
struct SQLCipherVectorTests {
    struct Entry: Equatable {
        let id: Int64
        let name: String
        let data: Data
    }

    struct Vector: CustomTestStringConvertible, Sendable {
        let name: String
        let key: String
        let database: Data
        let value: VectorValue
        var testDescription: String { name }

        var rows: [Entry] {
            (value["rows"].array ?? []).compactMap { row in
                guard let id = row[0].int, let name = row[1].string, let data = row[2].string.flatMap({ Data(base64Encoded: $0) }) else { return nil }
                return Entry(id: id, name: name, data: data)
            }
        }

        static let all: [Vector] =
            (try? Vectors.cases("sqlcipher", kinds: "database"))?.map(\.value).compactMap { value in
                guard let name = value["name"].string, let key = value["key"].string,
                    let database = value["database"].string.flatMap({ Data(base64Encoded: $0) })
                else { return nil }
                return Vector(name: name, key: key, database: database, value: value)
            } ?? []
    }

    /// Opens a database as another program left it: that it is not ours does not matter here.
    static func queue(_ path: String, _ key: DatabaseKey?) throws -> (DatabaseQueue, ProtectionRegistration?) {
        let opening = try DatabaseOpening(path: path, label: "vector", key: key)
        let configuration = DatabaseOpening.configuration(label: "vector", readers: 1, isEncrypted: key != nil)
        return (try DatabaseQueue(path: path, configuration: configuration), opening.registration)
    }

    static func rows(_ db: Database) throws -> [Entry] {
        try Row.fetchAll(db, sql: "SELECT id, name, data FROM entry ORDER BY id").map { Entry(id: $0[0], name: $0[1], data: $0[2]) }
    }

    @Test func areAllThere() { #expect(Vector.all.count == 5) }

    @Test("are read", arguments: Vector.all)
    func reading(_ vector: Vector) throws {
        let folder = try TemporaryFolder()
        try vector.database.write(to: URL(fileURLWithPath: folder("a.db")))
        let (queue, registration) = try Self.queue(folder("a.db"), try DatabaseKey(vector.key))
        try withExtendedLifetime(registration) {
            #expect(try queue.read(Self.rows) == vector.rows)
            #expect(!vector.rows.isEmpty)
            #expect(try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
            try queue.close()
        }
        #expect(try folder.contents("a.db") == Array(vector.database), "reading changes nothing")
    }

    @Test("are written on, and read again", arguments: Vector.all)
    func writing(_ vector: Vector) throws {
        let folder = try TemporaryFolder()
        try vector.database.write(to: URL(fileURLWithPath: folder("a.db")))
        let key = try DatabaseKey(vector.key)
        for round in 1...2 {
            let (queue, registration) = try Self.queue(folder("a.db"), key)
            try withExtendedLifetime(registration) {
                try queue.write { db in
                    try db.execute(sql: "INSERT INTO entry (name, data) VALUES ('ours \(round)', randomblob(9000))")
                    try db.execute(sql: "UPDATE entry SET name = name || '!' WHERE id = 1")
                }
                try queue.close()
            }
        }
        let (queue, registration) = try Self.queue(folder("a.db"), key)
        try withExtendedLifetime(registration) {
            let rows = try queue.read(Self.rows)
            #expect(rows.count == vector.rows.count + 2)
            #expect(rows.first?.name == (vector.rows.first?.name ?? "") + "!!")
            #expect(try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
            try queue.close()
        }
    }

    @Test("are told from databases under other keys", arguments: Vector.all)
    func wrongKey(_ vector: Vector) throws {
        let folder = try TemporaryFolder()
        try vector.database.write(to: URL(fileURLWithPath: folder("a.db")))
        for key in [try DatabaseKey.raw(9), try DatabaseKey("another")] {
            #expect { try Self.queue(folder("a.db"), key) } throws: { ($0 as? StorageError)?.code == .wrongKey }
        }
        #expect { try Self.queue(folder("a.db"), nil) } throws: { ($0 as? StorageError)?.code == .keyNeeded }
    }

    @Test("are not taken for ours when there is something else in them")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let vector = try #require(Vector.all.first { $0.name == "rawKey" })
        try vector.database.write(to: URL(fileURLWithPath: folder("a.db")))
        #expect { try DatabaseFile.entries(folder("a.db"), key: try DatabaseKey(vector.key)) } throws: {
            ($0 as? StorageError)?.code == .foreign
        }
        #expect(try folder.contents("a.db") == Array(vector.database))
    }
}
