import Dispatch
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing

@testable import EncryptedSQLite

/// In which order jobs of a writer run, who waits for whom, and what closing does to them.
@Suite(.timeLimit(.minutes(10))) struct WriterOrderTests {
    /// What was done, in its order.
    private final class Log: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock(\.self) }
        func add(_ text: String) { state.withLock { $0.append(text) } }
    }

    private static func insert(_ name: String) -> @Sendable (Database) throws -> Void {
        { db in try db.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: [name]) }
    }

    @Test func aJobThatJoinsTheNextRunsBeforeItAndInItsTransaction() async throws {
        let file = try DatabaseFile.entries(nil), log = Log()
        file.submit(joinsNext: true, Self.insert("first")) { _ in log.add("first") }
        #expect(try await file.names().isEmpty && log.all.isEmpty)
        try await file.write(Self.insert("second"), afterCommit: { log.add("second") })
        #expect(log.all == ["first", "second"])
        #expect(try await file.names() == ["first", "second"])
    }

    @Test func aJobThatJoinedANextOneThatFailsIsWrittenAllTheSame() async throws {
        let file = try DatabaseFile.entries(nil), log = Log()
        file.submit(joinsNext: true, Self.insert("kept")) { result in log.add((try? result.get()) == nil ? "lost" : "kept") }
        await #expect(throws: DatabaseError.self) {
            try await file.write({ try $0.execute(sql: "INSERT INTO entry (name) VALUES (NULL)") }, afterCommit: { log.add("announced") })
        }
        #expect(log.all == ["kept"])
        #expect(try await file.names() == ["kept"])
    }

    @Test(arguments: [true, false]) func whatWaitsWhenADatabaseIsClosedIsStillWritten(isInMemory: Bool) async throws {
        let folder = try TemporaryFolder(), log = Log()
        let file = try DatabaseFile.entries(isInMemory ? nil : folder("a.db"))
        for number in 0..<3 { file.submit(joinsNext: true, Self.insert("\(number)")) { result in log.add((try? result.get()) == nil ? "lost" : "kept") } }
        try await file.close()
        #expect(log.all == ["kept", "kept", "kept"])
        file.submit(Self.insert("late")) { result in
            if case .failure(let error) = result { log.add((error as? StorageError)?.code.rawValue ?? "?") }
        }
        #expect(log.all.last == "closed")
        guard !isInMemory else { return }
        let again = try DatabaseFile.entries(folder("a.db"))
        #expect(try await again.names() == ["0", "1", "2"])
        try await again.close()
    }

    @Test func whoIsToldOfACommitMayWriteAtOnce() async throws {
        let file = try DatabaseFile.entries(nil)
        let (done, continuation) = AsyncStream.makeStream(of: Int.self)
        // Each job submits the next from its completion, on the writer's own thread.
        @Sendable func submit(_ number: Int) {
            file.submit(Self.insert("\(number)")) { _ in
                if number < 20 { submit(number + 1) } else { continuation.yield(number) }
            }
        }
        submit(1)
        var iterator = done.makeAsyncIterator()
        #expect(await iterator.next() == 20)
        #expect(try await file.names() == (1...20).map(String.init))
    }

    /// Jobs that gather while another one runs, around the number that one transaction holds.
    @Test(arguments: [1, GroupCommitWriter.largestBatch, GroupCommitWriter.largestBatch + 1, 3 * GroupCommitWriter.largestBatch])
    func moreJobsThanATransactionHoldsAreAllDoneInTheirOrder(_ count: Int) async throws {
        let file = try DatabaseFile.entries(nil), log = Log(), failing = count / 2
        // It may run more than once, as every job, and passes the gate each time once that is open.
        let gate = DispatchGroup()
        gate.enter()
        file.submit({ _ in gate.wait() }) { _ in }
        for number in 0..<count {
            file.submit({ db -> Void in
                if number == failing { throw StorageError(.unavailable, "this one fails") }
                try Self.insert("\(number)")(db)
            }) { result in log.add("\(number)" + ((try? result.get()) == nil ? " failed" : "")) }
        }
        gate.leave()
        try await file.write { _ in }
        #expect(log.all == (0..<count).map { $0 == failing ? "\($0) failed" : "\($0)" })
        #expect(try await file.names() == (0..<count).filter { $0 != failing }.map(String.init))
    }

    /// Errors of SQLite, and what they mean for the owner of a database.
    @Test(
        arguments: [
            (SQLITE_NOTADB, StorageError.Code.corrupt, false), (SQLITE_CORRUPT, .corrupt, false), (SQLITE_FULL, .diskFull, true),
            (SQLITE_IOERR, .inputOutput, true),
            (SQLITE_IOERR_READ_CODE, .inputOutput, true), (SQLITE_IOERR_WRITE_CODE, .inputOutput, true), (SQLITE_IOERR_DATA_CODE, .corrupt, false),
            (SQLITE_BUSY, .locked, false), (SQLITE_BUSY_TIMEOUT_CODE, .locked, false), (SQLITE_LOCKED, .locked, false), (SQLITE_CANTOPEN, .unavailable, true),
            (SQLITE_READONLY, .unavailable, true), (SQLITE_CONSTRAINT, .unavailable, false), (SQLITE_MISUSE, .unavailable, false),
        ] as [(CInt, StorageError.Code, Bool)])
    func anErrorOfTheDatabaseHasACodeAndSaysWhetherTheDiskMayRecover(_ code: CInt, _ expected: StorageError.Code, _ isOfDisk: Bool) {
        let error = DatabaseError(resultCode: ResultCode(rawValue: code))
        let wrapped = StorageError.wrapping(error, "the database cannot be read")
        #expect(wrapped.code == expected && wrapped.message.hasPrefix("the database cannot be read"))
        #expect(StorageError.isOfDisk(error) == isOfDisk)
        // What is an error of storage already stays what it is.
        let again = StorageError.wrapping(wrapped, "something else")
        #expect(again.code == expected && again.message == wrapped.message)
        #expect(!StorageError.isOfDisk(wrapped))
    }

    @Test func readersThatAreUnderWayEndBeforeAClosingDoesAndNoneBeginsAfter() async {
        let reads = ActiveReads(), log = Log()
        #expect(reads.enter() && reads.enter())
        let closing = Task {
            let wasOpen = await reads.close()
            log.add("closed")
            return wasOpen
        }
        // The task begins at some time: from then on nobody enters.
        while reads.enter() {
            reads.leave()
            await Task.yield()
        }
        #expect(log.all.isEmpty)
        reads.leave()
        #expect(log.all.isEmpty && !reads.enter())
        log.add("last")
        reads.leave()
        #expect(await closing.value)
        #expect(log.all == ["last", "closed"])
        #expect(await !reads.close(), "it was closed")
    }
}
