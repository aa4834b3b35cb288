import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import RouterSupport
@testable import SMPServer

/// Journals of which a part is lost, as a router finds them at its next start.
@Suite struct JournalExtentTests {
    private let maker = JournalMaker(seed: 7)

    /// Makes a journal of several segments in a folder.
    ///
    /// - Returns: the number of queues that it has.
    private func make(in folder: TemporaryFolder, queues: Int = 12) throws -> Int {
        let storage = try DiskStorage(folder: folder.path)
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1_024)
        for _ in 0..<queues {
            let record = maker.queue()
            _ = journal.append(.queue(record))
            _ = journal.append(.message(queue: record.recipientID, sequence: 0, maker.message()), body: Bytes(repeating: 5, count: 200))
            try journal.commit()
        }
        try journal.keepExtent()
        journal.release()
        return queues
    }

    private func open(_ folder: TemporaryFolder) throws -> Int {
        let storage = try DiskStorage(folder: folder.path)
        defer { storage.release() }
        return try Journal.open(storage, durability: .always, segmentSize: 1_024).queues.count
    }

    private func segments(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("journal-") }.sorted()
    }

    private func expectRefusal(_ folder: TemporaryFolder, _ what: String) throws {
        let before = try files(folder)
        #expect("\(what)") { try open(folder) } throws: { ($0 as? RouterError)?.code == .corrupted }
        #expect(try files(folder) == before, "\(what): nothing is changed")
    }

    private func files(_ folder: TemporaryFolder) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "router.lock" {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: folder(name)))
        }
        return files
    }

    @Test func aJournalThatIsWholeOpens() throws {
        let folder = try TemporaryFolder()
        let count = try make(in: folder)
        #expect(try segments(folder).count > 3)
        #expect(try open(folder) == count)
        #expect(try open(folder) == count)
    }

    @Test(arguments: ["missing", "empty", "header", "half", "one byte", "garbage"])
    func aSegmentThatIsGoneOrCutShortIsRefusedWhicheverItIs(_ damage: String) throws {
        let whole = try TemporaryFolder()
        _ = try make(in: whole)
        for name in try segments(whole) {
            let folder = try TemporaryFolder(isCreated: false)
            try FileManager.default.copyItem(atPath: whole.path, toPath: folder.path)
            let path = folder(name), bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            switch damage {
            case "missing": try FileManager.default.removeItem(atPath: path)
            case "empty": try Data().write(to: URL(fileURLWithPath: path))
            case "header": try bytes.prefix(32).write(to: URL(fileURLWithPath: path))
            case "half": try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
            case "one byte": try bytes.dropLast().write(to: URL(fileURLWithPath: path))
            default: try (bytes.prefix(40) + Data(repeating: 0xA5, count: bytes.count - 40)).write(to: URL(fileURLWithPath: path))
            }
            try expectRefusal(folder, "\(name) \(damage)")
        }
    }

    @Test func aJournalWithoutAnySegmentIsRefused() throws {
        let folder = try TemporaryFolder()
        _ = try make(in: folder)
        for name in try segments(folder) { try FileManager.default.removeItem(atPath: folder(name)) }
        try expectRefusal(folder, "no segment")
        // The explicit way to go on with what is left.
        try FileManager.default.removeItem(atPath: folder(JournalExtent.fileName))
        #expect(try open(folder) == 0)
    }

    @Test func theExtentItselfIsMadeAnewIfItIsMissingAndRefusedIfItIsDamaged() throws {
        let folder = try TemporaryFolder()
        let count = try make(in: folder)
        let path = folder(JournalExtent.fileName), bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for length in 0..<bytes.count {
            try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
            try expectRefusal(folder, "\(length) bytes of the extent")
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            try changed.write(to: URL(fileURLWithPath: path))
            try expectRefusal(folder, "byte \(index) of the extent")
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(try open(folder) == count)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test func aTornEndBehindWhatWasOnTheDiskIsStillCutOff() throws {
        let folder = try TemporaryFolder()
        let count = try make(in: folder)
        let path = folder(try #require(segments(folder).last))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 1, count: 30))
        try handle.close()
        #expect(try open(folder) == count)
    }

    @Test func segmentsThatAreClearedAreNotMissed() throws {
        let folder = try TemporaryFolder()
        _ = try make(in: folder)
        do {
            let storage = try DiskStorage(folder: folder.path)
            let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1_024)
            while try journal.oldestSegment() != nil { try journal.removeOldestSegment() }
            journal.release()
        }
        #expect(try segments(folder).count == 1)
        // What is left of it refers to nothing that was cleared: it opens.
        _ = try open(folder)
    }

    @Test func certificatesAreNotMadeAnewBesideAJournal() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        var configuration = RouterConfiguration(storage: .folder(folder.path))
        configuration.port = 0
        let router = try await SMPRouter.start(configuration)
        await router.stop()
        for name in ["ca.crt", "ca.key", "server.crt", "server.key"] { try FileManager.default.removeItem(atPath: folder(name)) }
        await #expect { try await SMPRouter.start(configuration) } throws: { ($0 as? RouterError)?.code == .transport }
        #expect(!FileManager.default.fileExists(atPath: folder("ca.key")))
    }
}
