import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("The index of an encrypted database's log")
struct WALIndexTests {
    @Test("never reaches a file: the file that stands for it is empty, and locked against other processes")
    func staysInMemory() async throws {
        let folder = try TemporaryFolder()
        let file = try DatabaseFile.entries(folder("a.db"), key: try DatabaseKey.raw(1))
        for number in 0..<50 { try await file.add("\(number)") }
        #expect(try await file.names().count == 50)
        #expect(try folder.contents("a.db-shm").isEmpty)
        #expect(try folder.contents("a.db-wal").count > 50 * 4096)

        // As SQLite in another process would ask: locks of an open file are seen by every other open file.
        let other = open(folder("a.db-shm"), O_RDWR | O_CLOEXEC)
        defer { close(other) }
        var lock = flock(l_type: Int16(F_RDLCK), l_whence: Int16(SEEK_SET), l_start: 128, l_len: 1, l_pid: 0)
        #expect(fcntl(other, setOpenFileLock, &lock) == -1)
        try await file.close()
        #expect(fcntl(other, setOpenFileLock, &lock) == 0)
    }

    @Test("a plain database keeps it in a file, as every SQLite does")
    func plain() async throws {
        let folder = try TemporaryFolder()
        let file = try DatabaseFile.entries(folder("a.db"))
        try await file.add("one")
        #expect(try folder.contents("a.db-shm").count >= 32_768)
        try await file.close()
    }

    @Test("is refused to a process while another has the database open")
    func busyElsewhere() async throws {
        let folder = try TemporaryFolder()
        let key = try DatabaseKey.raw(1)
        let file = try DatabaseFile.entries(folder("a.db"), key: key)
        try await file.add("one")
        try await file.close()
        // What SQLite's own VFS holds as long as it has the index of a log open.
        let other = open(folder("a.db-shm"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var lock = flock(l_type: Int16(F_RDLCK), l_whence: Int16(SEEK_SET), l_start: 128, l_len: 1, l_pid: 0)
        try #require(fcntl(other, setOpenFileLock, &lock) == 0)
        let error = #expect(throws: StorageError.self) { try DatabaseFile.entries(folder("a.db"), key: key) }
        #expect(error?.code == .locked)
        close(other)
        let again = try DatabaseFile.entries(folder("a.db"), key: key)
        #expect(try await again.names() == ["one"])
        try await again.close()
    }

    @Test("readers and a writer of one process share it while the log grows over several regions")
    func manyConnections() async throws {
        let folder = try TemporaryFolder()
        let file = try DatabaseFile.entries(folder("a.db"), key: try DatabaseKey.raw(1))
        // More frames than one region has room for, without a checkpoint.
        try await file.write { db in try db.execute(sql: "CREATE TABLE page (data BLOB)") }
        try await withThrowingTaskGroup { group in
            group.addTask {
                for _ in 0..<5 {
                    try await file.write { db in for _ in 0..<1_100 { try db.execute(sql: "INSERT INTO page VALUES (zeroblob(3900))") } }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<50 {
                        let count = try await file.read(isLong: true) { try Int.fetchOne($0, sql: "SELECT count(*) FROM page") ?? 0 }
                        #expect(count.isMultiple(of: 1_100))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM page") } == 5_500)
        try await file.close()
    }

    @Test("its locks keep out whom SQLite's own keep out")
    func locks() throws {
        let folder = try TemporaryFolder()
        let first = WALIndexConnection(database: folder("a.db")), second = WALIndexConnection(database: folder("a.db"))
        #expect(first.lock(0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) == SQLITE_MISUSE, "not mapped yet")
        var memory: UnsafeMutableRawPointer?
        #expect(first.map(0, 32_768, 0, &memory) == SQLITE_OK)
        #expect(memory == nil, "no region is made unless asked for")
        #expect(first.map(1, 32_768, 1, &memory) == SQLITE_OK)
        let region = memory
        #expect(region != nil)
        #expect(second.map(1, 32_768, 0, &memory) == SQLITE_OK)
        #expect(memory == region)
        let shared = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED, exclusive = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
        #expect(first.lock(3, 1, shared) == SQLITE_OK)
        #expect(first.lock(3, 1, shared) == SQLITE_OK)
        #expect(second.lock(3, 1, shared) == SQLITE_OK)
        #expect(second.lock(2, 3, exclusive) == SQLITE_MISUSE, "it holds one of them itself")
        #expect(second.lock(3, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK)
        #expect(second.lock(2, 3, exclusive) == SQLITE_BUSY)
        #expect(second.lock(4, 4, exclusive) == SQLITE_OK)
        #expect(first.lock(7, 1, shared) == SQLITE_BUSY)
        #expect(first.lock(3, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK)
        #expect(second.lock(2, 2, exclusive) == SQLITE_OK)
        #expect(second.unmap(deletes: false) == SQLITE_OK)
        #expect(first.lock(0, 8, exclusive) == SQLITE_OK, "a connection that goes leaves no lock")
        for (offset, count) in [(-1, 1), (0, 9), (8, 1), (0, 0), (CInt.max, CInt.max)] as [(CInt, CInt)] {
            #expect(first.lock(offset, count, exclusive) == SQLITE_MISUSE)
        }
        #expect(first.unmap(deletes: true) == SQLITE_OK)
        #expect(first.unmap(deletes: true) == SQLITE_OK)
    }
}
