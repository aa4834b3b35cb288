import GRDB
import StorageFaults
import Synchronization
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("A disk that fails beneath a database")
struct FaultTests {
    /// What a database told of its disk.
    private final class Changes: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock(\.self) }
        @Sendable func note(_ change: DiskHealthChange) {
            list.withLock {
                switch change {
                case .failing(let error): $0.append(error.code.rawValue)
                case .healed: $0.append("healed")
                }
            }
        }
    }

    @Test(
        "for any N-th operation: what was answered is there, what was refused is not, and it goes on when the disk does",
        arguments: [
            StorageFaults.Operation.write, .sync, .truncate,
        ], [true, false])
    func everyOperation(_ operation: StorageFaults.Operation, isEncrypted: Bool) async throws {
        let folder = try TemporaryFolder(), key = isEncrypted ? try DatabaseKey.raw(1) : nil
        let disk = try StorageFaults(below: folder.path), changes = Changes()
        var file = try DatabaseFile.entries(folder("a.db"), key: key, health: changes.note)
        var expected: [String] = [], refused = 0
        for number in 1...40 {
            disk.fail(operation, number: number % 13 + 1, times: number % 3 == 0 ? .max : 1, with: number % 2 == 0 ? .full : .io, tears: number % 4 == 0)
            for job in 0..<6 {
                let name = "\(number).\(job)"
                do {
                    try await file.add(name)
                    expected.append(name)
                } catch let error as DatabaseError {
                    #expect(error.isOfDisk, "\(error)")
                    refused += 1
                }
            }
            disk.heal()
            try await file.add("after \(number)")
            expected.append("after \(number)")
            #expect(try await file.names() == expected, "\(operation) \(number)")
            if number % 10 == 0 {
                try await file.close()
                file = try DatabaseFile.entries(folder("a.db"), key: key, health: changes.note)
                #expect(try await file.names() == expected)
            }
        }
        try await file.close()
        // The log is cut only now and then.
        if operation != .truncate {
            #expect(refused > 20)
            #expect(changes.all.filter { $0 == "healed" }.count > 10)
            #expect(Set(changes.all) == ["healed", "diskFull", "inputOutput"])
        }
    }

    /// The kernel shows the next process what it has dropped after a refused flush, and later flushes succeed without it.
    @Test("for one flush, before the process ends: what the next one answers, and what was answered before, outlives the power", arguments: [true, false])
    func refusedFlush(isEncrypted: Bool) async throws {
        let key = isEncrypted ? try DatabaseKey.raw(1) : nil
        /// - Parameter pages: when its log is folded in.
        func open(_ path: String, foldedAt pages: Int) throws -> DatabaseFile {
            try DatabaseFile(
                path: path, label: "test", migrator: .entries(versions: 1), key: key, prepare: { try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(pages)") })
        }
        func add(_ numbers: Range<Int>, to file: DatabaseFile) async -> [String] {
            var accepted: [String] = []
            for number in numbers {
                let name = "\(number)" + String(repeating: " ", count: 5_000 * (number % 3))
                if (try? await file.add(name)) != nil { accepted.append(name) }
            }
            return accepted
        }
        var refused = 0
        for number in 1... {
            let folders = [try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder()]
            let disk = try StorageFaults(below: folders[0].path, durable: DurableFiles())
            let first = try open(folders[0]("a.db"), foldedAt: 12)
            disk.fail(.sync, number: number, times: 1, with: .io)
            var accepted: [String] = []
            for job in 0..<20 where disk.failures == 0 { accepted += await add(job..<job + 1, to: first) }
            if disk.failures == 0 {
                try await first.close()
                break
            }
            refused += 1
            accepted += await add(20..<20 + number % 3, to: first)
            // It is killed here: the next process sees the files, and the disk has what it has.
            for (name, bytes) in try folders[0].files() where !name.hasSuffix("-shm") { try folders[1].write(bytes, to: name) }
            let left = DurableFiles(disk.durableContents)
            try await first.close()
            let next = try StorageFaults(below: folders[1].path, durable: left)
            // Folding writes again what it takes from the log.
            let second = try open(folders[1]("a.db"), foldedAt: number % 2 == 0 ? 12 : 1_000)
            let seen = try await second.names()
            #expect(seen.filter { accepted.contains($0) } == accepted, "flush \(number)")
            let added = await add(100..<103 + number % 4, to: second)
            #expect(added.count == 3 + number % 4, "flush \(number): this disk takes everything")
            let expected = seen + added
            for (name, bytes) in next.durableContents { try folders[2].write(bytes, to: name) }
            try await second.close()
            let third = try open(folders[2]("a.db"), foldedAt: 1_000)
            #expect(try await third.names() == expected, "flush \(number)")
            #expect(try await third.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"], "flush \(number)")
            try await third.close()
        }
        #expect(refused > 20)
    }

    @Test("while it is opened: it is refused with a reason, and opens later")
    func opening() async throws {
        for isEncrypted in [true, false] {
            let folder = try TemporaryFolder(), key = isEncrypted ? try DatabaseKey.raw(1) : nil
            let disk = try StorageFaults(below: folder.path)
            for operation in [StorageFaults.Operation.open, .write, .sync, .read] {
                var number = 1
                while true {
                    disk.fail(operation, number: number, with: .io)
                    // One that is there, or one that is made.
                    let path = folder(number % 2 == 0 ? "a.db" : "\(operation)\(number).db")
                    do throws(StorageError) {
                        let file = try DatabaseFile.entries(path, key: key)
                        disk.heal()
                        try await file.close()
                    } catch {
                        #expect([.inputOutput, .unavailable, .corrupt].contains(error.code), "\(operation) \(number): \(error)")
                    }
                    if disk.failures == 0, number > 40 { break }
                    number += 1
                    disk.heal()
                    let file = try DatabaseFile.entries(path, key: key)
                    try await file.close()
                }
                #expect(number > 1)
            }
        }
    }

    @Test("what waits for it keeps its place, and is written once")
    func persistence() async throws {
        let folder = try TemporaryFolder()
        let disk = try StorageFaults(below: folder.path), changes = Changes()
        let file = try DatabaseFile.entries(folder("a.db"), key: try .raw(1), health: changes.note)
        for round in 0..<5 {
            disk.fail(round % 2 == 0 ? .write : .sync, number: 1, with: .full)
            let (done, continuation) = AsyncStream.makeStream(of: String.self)
            for number in 0..<20 {
                let name = "\(round).\(number)"
                file.submit(isPersistent: true, { try $0.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: [name]) }) { result in
                    if case .success = result { continuation.yield(name) }
                }
            }
            // One that does not wait is refused meanwhile.
            let error = await #expect(throws: DatabaseError.self) { try await file.add("impatient") }
            #expect(error?.isOfDisk == true)
            disk.heal()
            var order: [String] = []
            for await name in done {
                order.append(name)
                if order.count == 20 { break }
            }
            #expect(order == (0..<20).map { "\(round).\($0)" })
            #expect(try await file.names() == (0...round).flatMap { round in (0..<20).map { "\(round).\($0)" } })
        }
        // Who closes does not wait.
        disk.fail(.write, number: 1, with: .full)
        let (done, continuation) = AsyncStream.makeStream(of: Bool.self)
        file.submit(isPersistent: true, { try $0.execute(sql: "INSERT INTO entry (name) VALUES ('late')") }) { result in
            if case .failure = result { continuation.yield(true) }
        }
        try await file.close()
        for await isRefused in done {
            #expect(isRefused)
            break
        }
        disk.heal()
        let again = try DatabaseFile.entries(folder("a.db"), key: try .raw(1))
        #expect(try await again.names().count == 100)
        try await again.close()
    }

    @Test("a page that was damaged is an error of the disk's contents, not a wrong answer, while the database is open")
    func damageWhileOpen() async throws {
        let folder = try TemporaryFolder()
        let file = try DatabaseFile.entries(folder("a.db"), key: try .raw(1))
        try await file.add(String(repeating: "x", count: 100_000))
        try await file.write { db in _ = try db.execute(sql: "SELECT 1") }
        try await file.close()
        try folder.change("a.db") { bytes in for page in 2..<20 { bytes[page * 4096 + 100] ^= 1 } }
        let again = try DatabaseFile.entries(folder("a.db"), key: try .raw(1))
        let error = await #expect(throws: DatabaseError.self) { try await again.names() }
        #expect(error?.extendedResultCode.rawValue == SQLITE_IOERR_DATA_CODE)
        try await again.close()
    }
}

@Suite("Jobs that share a commit")
struct GroupCommitTests {
    @Test("one that breaks a constraint at the commit fails alone")
    func deferredConstraint() async throws {
        let file = try await Self.constrained()
        let results = await Self.run(
            file,
            [
                "INSERT INTO entry (name) VALUES ('a')", "INSERT INTO child VALUES (99)", "INSERT INTO entry (name) VALUES ('b')",
                "INSERT INTO child VALUES (1)",
            ])
        #expect(results == [true, false, true, true])
        #expect(try await file.names() == ["a", "b"])
    }

    @Test("one that rolls the whole transaction back fails alone")
    func rollback() async throws {
        let file = try await Self.constrained()
        let results = await Self.run(
            file,
            [
                "INSERT INTO entry (name) VALUES ('a')", "INSERT INTO guarded VALUES (-1)", "INSERT INTO entry (name) VALUES ('b')",
            ])
        #expect(results == [true, false, true])
        #expect(try await file.names() == ["a", "b"])
    }

    private static func constrained() async throws -> DatabaseFile {
        let file = try DatabaseFile.entries(nil)
        try await file.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE child (parent INTEGER REFERENCES entry (id) DEFERRABLE INITIALLY DEFERRED);
                    CREATE TABLE guarded (a INTEGER);
                    CREATE TRIGGER guard BEFORE INSERT ON guarded WHEN new.a < 0 BEGIN SELECT RAISE(ROLLBACK, 'negative'); END;
                    """)
        }
        return file
    }

    /// Runs statements, each as a job, so that they share a transaction.
    private static func run(_ file: DatabaseFile, _ statements: [String]) async -> [Bool] {
        let (stream, continuation) = AsyncStream.makeStream(of: (Int, Bool).self)
        // While this one runs the others gather.
        let gate = Mutex(0)
        file.submit({ _ in gate.withLock { _ in } }) { _ in }
        gate.withLock { _ in
            for (index, statement) in statements.enumerated() {
                file.submit({ try $0.execute(sql: statement) }) { result in
                    continuation.yield((index, (try? result.get()) != nil))
                }
            }
        }
        var results = statements.map { _ in false }, count = 0
        for await (index, isDone) in stream {
            results[index] = isDone
            count += 1
            if count == statements.count { break }
        }
        return results
    }
}
