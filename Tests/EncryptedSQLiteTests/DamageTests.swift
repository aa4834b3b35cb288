import Foundation
import GRDB
import StorageFaults
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("A damaged encrypted database")
struct DamageTests {
    private static let count = 60

    /// A closed database of some pages.
    private static func make(_ name: String = "a.db", key: DatabaseKey? = nil) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let file = try DatabaseFile.entries(folder(name), key: try key ?? .raw(1))
        for number in 0..<count { try await file.add("\(number) " + String(repeating: "x", count: 300)) }
        try await file.close()
        return folder
    }

    private static func report(_ folder: TemporaryFolder) throws -> DatabaseReport {
        try #require(try DatabaseSet(folder: folder.path, name: "a", members: [.init(label: "a", path: folder("a.db"))]).check(key: try .raw(1)).first)
    }

    /// Opens it and reads everything.
    private static func read(_ folder: TemporaryFolder) async throws -> Int {
        let file = try DatabaseFile.entries(folder("a.db"), key: try .raw(1))
        let result: Result<Int, any Error>
        do { result = .success(try await file.names().count) } catch { result = .failure(error) }
        try await file.close()
        return try result.get()
    }

    @Test("never reads as something else, whichever byte of whichever page is flipped, and the check names the page")
    func flippedBytes() async throws {
        let folder = try await Self.make()
        let original = try folder.contents("a.db")
        let pages = original.count / PageLayout.pageSize
        #expect(pages > 5)
        // Ciphertext, vector and authentication code of each page; of the first also the salt.
        for page in 0..<pages {
            for place in [0, 20, 2000, PageLayout.ivOffset + 3, PageLayout.macOffset, PageLayout.pageSize - 1] where page < 3 || place == 2000 {
                try folder.change("a.db") { $0[page * PageLayout.pageSize + place] ^= 1 }
                let isSalt = page == 0 && place < 16
                do {
                    #expect(try await Self.read(folder) == Self.count, "only a page that nobody reads: \(page)")
                } catch let error as StorageError {
                    #expect(error.code == (isSalt ? .wrongKey : .corrupt), "page \(page), byte \(place)")
                } catch let error as DatabaseError {
                    #expect(error.extendedResultCode.rawValue == SQLITE_IOERR_DATA_CODE, "page \(page), byte \(place): \(error)")
                }
                let report = try Self.report(folder)
                #expect(!report.isSound)
                if !isSalt { #expect(report.damagedPages == [UInt32(page + 1)], "byte \(place)") }
                try folder.write(original, to: "a.db")
                for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder("a.db" + suffix)) }
            }
        }
        #expect(try Self.report(folder).isSound)
    }

    @Test("is noticed when pages are swapped, zeroed, cut off or replaced by older ones of another database")
    func misplacedPages() async throws {
        let folder = try await Self.make(), other = try await Self.make(key: .raw(1))
        let size = PageLayout.pageSize
        func page(_ bytes: [UInt8], _ index: Int) -> ArraySlice<UInt8> { bytes[index * size..<(index + 1) * size] }
        let attacks: [(String, ([UInt8]) throws -> [UInt8], [UInt32])] = [
            ("swapped", { $0.replacing(page: 2, by: page($0, 3)).replacing(page: 3, by: page($0, 2)) }, [3, 4]),
            ("zeroed", { $0.replacing(page: 2, by: ArraySlice(repeating: 0, count: size)) }, [3]),
            ("of another database under the same key", { $0.replacing(page: 2, by: page(try other.contents("a.db"), 2)) }, [3]),
            ("cut off within a page", { Array($0.dropLast(100)) }, []),
            ("cut off at a page", { Array($0.dropLast(size * 3)) }, []),
        ]
        let original = try folder.contents("a.db")
        for (what, attack, pages) in attacks {
            try folder.write(try attack(original), to: "a.db")
            let report = try Self.report(folder)
            #expect(!report.isSound, "\(what)")
            #expect(report.damagedPages == pages, "\(what)")
        }
        try folder.write(original, to: "a.db")
        #expect(try Self.report(folder).isSound)
    }

    @Test("with a wrong salt, or without a whole page, is refused with a reason")
    func beginnings() async throws {
        let folder = try await Self.make()
        let original = try folder.contents("a.db")
        let cases: [([UInt8], StorageError.Code)] = [
            (Array(repeating: 7, count: 16) + original[16...], .wrongKey),
            (Array(original.prefix(10)), .corrupt), (Array(original.prefix(1000)), .corrupt),
            (PageLayout.header + original[16...], .notEncrypted),
        ]
        for (bytes, code) in cases {
            try folder.write(bytes, to: "a.db")
            let error = #expect(throws: StorageError.self) { try DatabaseFile.entries(folder("a.db"), key: try .raw(1)) }
            #expect(error?.code == code, "\(bytes.count)")
            #expect(try folder.contents("a.db") == bytes)
        }
    }

    @Test("that was cut off while it was made is empty again")
    func empty() async throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "a.db")
        #expect(try await Self.read(folder) == 0)
    }

    @Test("is mended from its log when the first page was torn while the log was folded in")
    func tornFirstPage() async throws {
        let folder = try TemporaryFolder(), key = try DatabaseKey.raw(1)
        let file = try DatabaseFile.entries(folder("a.db"), key: key)
        for number in 0..<Self.count { try await file.add("\(number)") }
        try await file.write { try $0.execute(sql: "CREATE TABLE more (id INTEGER PRIMARY KEY)") }
        let (database, log) = (try folder.contents("a.db"), try folder.contents("a.db-wal"))
        try await file.close()
        let crashed = try TemporaryFolder()
        try crashed.write(database.replacingBytes(in: 1000..<2000), to: "a.db")
        try crashed.write(log, to: "a.db-wal")
        #expect(try await Self.read(crashed) == Self.count)
        #expect(try Self.report(crashed).isSound)
    }

    @Test("loses at most what was not committed when its log is torn at any place")
    func tornLog() async throws {
        let folder = try TemporaryFolder(), key = try DatabaseKey.raw(1)
        let file = try DatabaseFile.entries(folder("a.db"), key: key)
        var sizes: [Int] = []
        for number in 0..<12 {
            try await file.add("\(number)")
            sizes.append(try folder.contents("a.db-wal").count)
        }
        let (database, log) = (try folder.contents("a.db"), try folder.contents("a.db-wal"))
        try await file.close()
        for end in stride(from: sizes[3] - 9000, to: log.count, by: 1711) {
            let crashed = try TemporaryFolder()
            try crashed.write(database, to: "a.db")
            // What was written behind the end is there only in part.
            try crashed.write(log.prefix(end) + Array(repeating: 0xA5, count: 700), to: "a.db-wal")
            #expect(try await Self.read(crashed) == sizes.filter { $0 <= end }.count, "\(end)")
        }
    }

    @Test("a log whose frames were changed is read up to there, and never as something else")
    func changedLog() async throws {
        let folder = try TemporaryFolder(), key = try DatabaseKey.raw(1)
        let file = try DatabaseFile.entries(folder("a.db"), key: key)
        for number in 0..<5 { try await file.add("\(number)") }
        let (database, log) = (try folder.contents("a.db"), try folder.contents("a.db-wal"))
        try await file.close()
        for place in stride(from: 0, to: log.count, by: 997) {
            let crashed = try TemporaryFolder()
            try crashed.write(database, to: "a.db")
            try crashed.write(log.enumerated().map { $0.offset == place ? $0.element ^ 0x10 : $0.element }, to: "a.db-wal")
            do {
                let opened = try DatabaseFile.entries(crashed("a.db"), key: key)
                let names = try await opened.names()
                #expect(names == Array((0..<5).map(String.init).prefix(names.count)))
                try await opened.close()
            } catch let error as StorageError {
                #expect([.corrupt, .foreign].contains(error.code), "\(place): \(error)")
            }
        }
    }
}

extension [UInt8] {
    fileprivate func replacing(page: Int, by bytes: ArraySlice<UInt8>) -> [UInt8] {
        var copy = self
        copy.replaceSubrange(page * PageLayout.pageSize..<(page + 1) * PageLayout.pageSize, with: bytes)
        return copy
    }

    fileprivate func replacingBytes(in range: Range<Int>) -> [UInt8] {
        var copy = self
        for index in range { copy[index] = 0 }
        return copy
    }
}
