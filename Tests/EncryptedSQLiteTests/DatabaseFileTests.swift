import Dispatch
import EncryptedSQLite
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@Suite struct DatabaseFileTests {
    @Test func whatWasWrittenIsThereAfterReopening() async throws {
        try await withFolder { folder in
            let path = folder + "/test.db"
            let file = try DatabaseFile(path: path, label: "test", migrator: Self.migrator(versions: 1))
            try await file.write { try $0.execute(sql: "INSERT INTO entry (name) VALUES ('a')") }
            try await file.close()
            let again = try DatabaseFile(path: path, label: "test", migrator: Self.migrator(versions: 2))
            #expect(try await again.read { try String.fetchAll($0, sql: "SELECT name FROM entry") } == ["a"])
            try await again.close()
        }
    }

    @Test func aDatabaseOfANewerVersionIsRefused() async throws {
        try await withFolder { folder in
            let path = folder + "/test.db"
            try await DatabaseFile(path: path, label: "test", migrator: Self.migrator(versions: 2)).close()
            let error = try #require(throws: StorageError.self) {
                try DatabaseFile(path: path, label: "test", migrator: Self.migrator(versions: 1))
            }
            #expect(error.code == .newerDatabase)
        }
    }

    @Test func onlyTheOwnerCanReadTheFiles() async throws {
        try await withFolder { folder in
            let file = try DatabaseFile(path: folder + "/test.db", label: "test", migrator: Self.migrator(versions: 1))
            try await file.write { try $0.execute(sql: "INSERT INTO entry (name) VALUES ('a')") }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
            }
            try await file.close()
        }
    }

    @Test func everyCommitWaitsForTheDisk() async throws {
        try await withFolder { folder in
            let file = try DatabaseFile(path: folder + "/test.db", label: "test", migrator: Self.migrator(versions: 1))
            #expect(try await file.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
            #expect(try await file.write { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
            try await file.close()
        }
    }

    @Test func shortReadsPassLongOnesHoweverManyThereAre() async throws {
        try await withFolder { folder in
            let file = try DatabaseFile(path: folder + "/test.db", label: "test", migrator: Self.migrator(versions: 1), readers: 2)
            let isOver = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await file.read(isLong: true) { db in
                            #expect(isOver.wait(timeout: .now() + 60) == .success)
                            isOver.signal()
                            return try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
                        }
                    }
                }
                for _ in 0..<20 { #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } == 0) }
                isOver.signal()
                for try await count in group { #expect(count == 0) }
            }
            try await file.close()
        }
    }

    @Test func moreDatabasesThanThereAreThreadsCloseWhileTheyAreRead() async throws {
        try await withFolder { folder in
            let count = 4 * ProcessInfo.processInfo.activeProcessorCount
            for round in 0..<4 {
                let files = try (0..<count).map { number in
                    try DatabaseFile(path: folder + "/\(round)-\(number).db", label: "test", migrator: Self.migrator(versions: 1), readers: 2)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for file in files {
                        for number in 0..<4 {
                            group.addTask {
                                do {
                                    _ = try await file.read(isLong: number % 2 == 0) { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }
                                } catch let error as StorageError {
                                    #expect(error.code == .closed)
                                }
                            }
                        }
                        group.addTask { try await file.close() }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test(arguments: [true, false]) func whoComesAfterClosingIsRefused(isInMemory: Bool) async throws {
        try await withFolder { folder in
            let path = isInMemory ? nil : folder + "/test.db"
            for _ in 0..<20 {
                let file = try DatabaseFile(path: path, label: "test", migrator: Self.migrator(versions: 1))
                // Some are under way while it is closed.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            do {
                                _ = try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }
                                try await file.write { try $0.execute(sql: "INSERT INTO entry (name) VALUES ('a')") }
                            } catch let error as StorageError {
                                #expect(error.code == .closed)
                            }
                        }
                    }
                    group.addTask { try await file.close() }
                    try await group.waitForAll()
                }
                try await file.close()
                let read = await #expect(throws: StorageError.self) { try await file.read { try Int.fetchOne($0, sql: "SELECT 1") } }
                #expect(read?.code == .closed)
                let written = await #expect(throws: StorageError.self) { try await file.write { _ in } }
                #expect(written?.code == .closed)
            }
        }
    }

    @Test func aJobThatThrowsUndoesOnlyItself() async throws {
        let file = try DatabaseFile(path: nil, label: "test", migrator: Self.migrator(versions: 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        try await file.write { db in
                            try db.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: ["\(number)"])
                            if number % 3 == 0 { throw Refusal() }
                        }
                    } catch is Refusal {}
                }
            }
            try await group.waitForAll()
        }
        #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } == 66)
    }

    /// The writer is held up until all jobs wait, so that one transaction takes them.
    @Test(arguments: [nil, 0, 7, 19] as [Int?]) func jobsOfOneCommitRunOnceUnlessOneOfThemThrows(failing: Int?) async throws {
        let file = try DatabaseFile(path: nil, label: "test", migrator: .entries(versions: 1))
        let runs = Mutex([Int: Int]()), outcomes = Mutex([Int: Int]())
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let entered = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0), left = Mutex(20)
            file.submit(
                { _ in
                    entered.signal()
                    gate.wait()
                }, completion: { _ in })
            entered.wait()
            for number in 0..<20 {
                file.submit(
                    { db -> Int in
                        runs.withLock { $0[number, default: 0] += 1 }
                        try db.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: ["\(number)"])
                        if number == failing { throw StorageError(.unavailable, "a job that fails") }
                        return try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") ?? 0
                    },
                    completion: { result in
                        outcomes.withLock { $0[number] = try? result.get() }
                        let isLast = left.withLock { left in
                            left -= 1
                            return left == 0
                        }
                        if isLast { done.resume() }
                    })
            }
            gate.signal()
        }
        let expected = (0..<20).filter { $0 != failing }
        #expect(try await file.names() == expected.map(String.init))
        // What a job returned is of the run that was kept: before it are those that did not fail.
        for number in 0..<20 {
            #expect(outcomes.withLock { $0[number] } == expected.firstIndex(of: number).map { $0 + 1 })
        }
        let counts = runs.withLock { runs in (0..<20).map { runs[$0] ?? 0 } }
        #expect(counts == (0..<20).map { number in failing.map { number <= $0 ? 2 : 1 } ?? 1 })
        try await file.close()
    }

    @Test func announcementsFollowTheOrderOfWrites() async throws {
        let file = try DatabaseFile(path: nil, label: "test", migrator: Self.migrator(versions: 1))
        let (stream, continuation) = AsyncStream.makeStream(of: Int64.self)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    _ = try? await file.write(
                        { db in
                            try db.execute(sql: "INSERT INTO entry (name) VALUES ('x')")
                            return db.lastInsertedRowID
                        }, afterCommit: { continuation.yield($0) })
                }
            }
        }
        continuation.finish()
        var rows: [Int64] = []
        for await row in stream { rows.append(row) }
        #expect(rows == Array(1...200))
    }

    @Test func aFolderIsLockedForOthersUntilItIsReleased() async throws {
        try await withFolder { folder in
            let lock = try FolderLock(path: folder + "/lock")
            #expect(try #require(throws: StorageError.self) { try FolderLock(path: folder + "/lock") }.code == .locked)
            lock.release()
            try FolderLock(path: folder + "/lock").release()
            #expect(try #require(throws: StorageError.self) { try FolderLock(path: folder + "/none/lock") }.code == .unavailable)
        }
    }

    private struct Refusal: Error {}

    private static func migrator(versions: Int) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("entries") { try $0.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT") }
        if versions > 1 {
            migrator.registerMigration("times") { try $0.execute(sql: "ALTER TABLE entry ADD COLUMN at INTEGER") }
        }
        return migrator
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await body(folder.path)
    }
}
