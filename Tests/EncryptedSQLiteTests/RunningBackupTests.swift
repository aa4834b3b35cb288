import Foundation
import GRDB
import StorageFaults
import Synchronization
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("Backups of open databases")
struct RunningBackupTests {
    /// Databases whose writer adds a name to each in turn: no later one may have what an earlier one does not have.
    private struct Chain {
        let files: [DatabaseFile]

        init(_ folder: TemporaryFolder, _ names: [String], key: DatabaseKey?) throws {
            files = try names.map { try DatabaseFile.entries(folder($0 + ".db"), key: key) }
        }

        func add(_ number: Int) async throws { for file in files { try await file.add("\(number) " + String(repeating: "x", count: 2_000)) } }

        func close() async throws { for file in files { try await file.close() } }
    }

    @Test("are of one moment, while others write", arguments: [true, false])
    func oneMoment(isEncrypted: Bool) async throws {
        let folder = try TemporaryFolder(), key = isEncrypted ? try DatabaseKey.raw(1) : nil
        let chain = try Chain(folder, ["first", "second"], key: key), between = try DatabaseFile.entries(folder("between.db"), key: key)
        try await chain.add(0)
        try await between.write { db in
            for _ in 0..<2_000 { try db.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: [String(repeating: "x", count: 2_000)]) }
        }
        let isDone = Mutex(false)
        async let writing: Int = {
            var number = 1
            while !isDone.withLock(\.self), !Task.isCancelled {
                try await chain.add(number)
                number += 1
            }
            return number
        }()
        // While the large one is copied, the others could be written a good many times.
        var copies: [[String]] = []
        for round in 0..<3 { copies.append(try await DatabaseFile.backUp([chain.files[0], between, chain.files[1]], to: folder("copies-\(round)"), key: key)) }
        isDone.withLock { $0 = true }
        let written = try await writing
        for paths in copies {
            var counts: [Int] = []
            for path in [paths[0], paths[2]] {
                let copy = try DatabaseFile.entries(path, key: key)
                let numbers = try await copy.names().compactMap { Int($0.prefix { $0 != " " }) }
                #expect(numbers == Array(0..<numbers.count))
                counts.append(numbers.count)
                try await copy.close()
            }
            #expect(counts[0] == counts[1] || counts[0] == counts[1] + 1, "\(counts)")
        }
        // What was written meanwhile waited, and is there.
        for file in chain.files { #expect(try await file.names().count == written) }
        try await chain.close()
        try await between.close()
    }

    @Test("belong together: if one cannot be made none is left, and the databases go on")
    func allOrNone() async throws {
        let folder = try TemporaryFolder(), key = try DatabaseKey.raw(1)
        let chain = try Chain(folder, ["a", "b"], key: key)
        try await chain.add(1)
        do {
            let disk = try StorageFaults(below: folder("copies"))
            // The first copy, of a small database, takes fewer writes; the second takes more.
            for number in 0..<200 { try await chain.files[1].add("\(number) " + String(repeating: "x", count: 2_000)) }
            disk.fail(.write, number: 60, with: .full)
            await #expect { try await DatabaseFile.backUp(chain.files, to: folder("copies"), key: key) } throws: { ($0 as? StorageError)?.code == .diskFull }
        }
        #expect(try folder.files().keys.filter { $0.hasPrefix("copies/") } == [])
        try await chain.add(2)
        #expect(try await DatabaseFile.backUp(chain.files, to: folder("copies"), key: key).count == 2)
        try await chain.close()
    }

    @Test("are not made of databases that are closed or in memory")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let chain = try Chain(folder, ["a", "b"], key: nil), memory = try DatabaseFile.entries(nil)
        for files in [[memory], chain.files + [memory]] {
            await #expect { try await DatabaseFile.backUp(files, to: folder("copies"), key: nil) } throws: { ($0 as? StorageError)?.code == .closed }
        }
        try await chain.files[1].close()
        await #expect { try await DatabaseFile.backUp(chain.files, to: folder("copies"), key: nil) } throws: { ($0 as? StorageError)?.code == .closed }
        // The one that is open can still be closed: nothing waits for a copy.
        try await chain.close()
        #expect(try folder.files().keys.filter { $0.hasPrefix("copies/") } == [])
    }
}
