import GRDBSQLite
import TestSupport
import Testing

@testable import EncryptedSQLite

/// A file in memory.
private final class MemoryFile: FileLayer {
    var bytes: [UInt8] = []
    /// Answered instead of doing anything, unless it is `SQLITE_OK`.
    var failure = SQLITE_OK

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        guard failure == SQLITE_OK else { return failure }
        let present = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        for index in buffer.indices { buffer[index] = index < present.count ? present[present.startIndex + index] : 0 }
        return present.count == buffer.count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ_CODE
    }

    func write(_ new: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        guard failure == SQLITE_OK else { return failure }
        let end = Int(offset) + new.count
        if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(Int(offset)..<end, with: new)
        return SQLITE_OK
    }

    func truncate(to size: Int64) -> CInt {
        bytes = Array(bytes.prefix(Int(size)))
        return failure
    }

    func sync(_: CInt) -> CInt { failure }

    func size(_ size: inout Int64) -> CInt {
        size = Int64(bytes.count)
        return failure
    }

    func close() -> CInt { failure }
    func characteristics(_ device: CInt) -> CInt { device }
}

extension FileLayer {
    fileprivate func put(_ bytes: [UInt8], at offset: Int) -> CInt { bytes.withUnsafeBytes { write($0, at: Int64(offset)) } }

    fileprivate func get(_ count: Int, at offset: Int) -> (code: CInt, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0xEE, count: count)
        let code = bytes.withUnsafeMutableBytes { read($0, at: Int64(offset)) }
        return (code, bytes)
    }
}

@Suite("A layer of encryption over a file")
struct LayerTests {
    private static let page = PageLayout.pageSize
    private let protection: DatabaseProtection
    private let file = MemoryFile()

    init() throws {
        let key = try DatabaseKey.raw(3)
        protection = DatabaseProtection(try key.pageKeys(salt: Array(repeating: 9, count: PageKeys.saltSize)))
    }

    private func layer(_ kind: FileKind) throws -> any FileLayer { try protection.layer(over: file, kind) }

    /// A page as SQLite writes it: with room at its end, and in the first one the size of that room.
    private static func content(_ number: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        var bytes = random.bytes(PageLayout.ivOffset) + Array(repeating: 0, count: PageLayout.reserved)
        if number == 1 { bytes.replaceSubrange(0..<16, with: PageLayout.header) }
        if number == 1 { bytes[PageLayout.reservedOffset] = UInt8(PageLayout.reserved) }
        return bytes
    }

    @Test("gives back any part of any page of a database")
    func parts() throws {
        let layer = try layer(.database)
        let pages = (1...4).map { Self.content($0, seed: UInt64($0)) }
        for (index, bytes) in pages.enumerated() { #expect(layer.put(bytes, at: index * Self.page) == SQLITE_OK) }
        let whole = pages.flatMap(\.self)
        #expect(file.bytes.count == whole.count)
        var random = SplitMix64(seed: 1)
        for _ in 0..<200 {
            let offset = Int.random(in: 0..<whole.count, using: &random)
            let count = Int.random(in: 1...min(2 * Self.page, whole.count - offset), using: &random)
            let (code, bytes) = layer.get(count, at: offset)
            #expect(code == SQLITE_OK && bytes == Array(whole[offset..<offset + count]), "\(count) bytes at \(offset)")
        }
        let (code, behind) = layer.get(Self.page, at: 4 * Self.page)
        #expect(code == SQLITE_IOERR_SHORT_READ_CODE && behind.allSatisfy { $0 == 0 })
    }

    @Test("writes the same page differently each time, and never as the page of another number")
    func places() throws {
        let layer = try layer(.database)
        let content = Self.content(2, seed: 7)
        #expect(layer.put(content, at: Self.page) == SQLITE_OK)
        let once = file.bytes
        #expect(layer.put(content, at: Self.page) == SQLITE_OK)
        #expect(file.bytes != once && layer.get(Self.page, at: Self.page).bytes == content)
        #expect(layer.put(content, at: 2 * Self.page) == SQLITE_OK)
        file.bytes.replaceSubrange(2 * Self.page..<3 * Self.page, with: file.bytes[Self.page..<2 * Self.page])
        let (code, bytes) = layer.get(Self.page, at: 2 * Self.page)
        #expect(code == SQLITE_IOERR_DATA_CODE && bytes.allSatisfy { $0 == 0 })
    }

    @Test("shows nothing of a page in which a single bit is another")
    func flippedBits() throws {
        let layer = try layer(.database)
        for number in 1...2 { #expect(layer.put(Self.content(number, seed: 3), at: (number - 1) * Self.page) == SQLITE_OK) }
        let original = file.bytes
        for offset in stride(from: 0, to: 2 * Self.page, by: 61) {
            file.bytes = original
            file.bytes[offset] ^= 0x10
            let number = offset / Self.page + 1
            // The first bytes of the first page are the salt, from which the keys have been made.
            guard number > 1 || offset >= PageKeys.saltSize else { continue }
            let (code, bytes) = layer.get(Self.page, at: (number - 1) * Self.page)
            #expect(code == (number == 1 ? SQLITE_NOTADB : SQLITE_IOERR_DATA_CODE), "byte \(offset)")
            #expect(bytes.allSatisfy { $0 == 0 }, "byte \(offset)")
        }
    }

    @Test("takes a database's whole pages with room for the code, and nothing else")
    func shapes() throws {
        let layer = try layer(.database)
        let content = Self.content(2, seed: 5)
        for (count, offset) in [(Self.page - 1, 0), (1, 0), (2 * Self.page, 0), (Self.page, 1), (Self.page, Self.page - 512), (512, Self.page)] {
            #expect(layer.put(Array((content + content).prefix(count)), at: offset) == SQLITE_IOERR_WRITE_CODE, "\(count) bytes at \(offset)")
        }
        for room: UInt8 in [0, 79, 81, 255] {
            var first = Self.content(1, seed: 6)
            first[PageLayout.reservedOffset] = room
            #expect(layer.put(first, at: 0) == SQLITE_IOERR_WRITE_CODE, "\(room) bytes of room")
        }
        #expect(file.bytes.isEmpty, "nothing has got out")
    }

    @Test("tells a file that was cut within a page from one that ends")
    func cutPages() throws {
        let layer = try layer(.database)
        for number in 1...2 { #expect(layer.put(Self.content(number, seed: 8), at: (number - 1) * Self.page) == SQLITE_OK) }
        for (left, code) in [(Self.page, SQLITE_IOERR_SHORT_READ_CODE), (Self.page + 1, SQLITE_IOERR_DATA_CODE), (2 * Self.page - 1, SQLITE_IOERR_DATA_CODE)] {
            _ = file.truncate(to: Int64(left))
            #expect(layer.get(Self.page, at: Self.page).code == code, "\(left) bytes")
            file.bytes += Array(repeating: 0, count: 2 * Self.page - left)
        }
    }

    @Test("passes on what the disk answers", arguments: [FileKind.database, .log, .journal, .temporary])
    func failures(_ kind: FileKind) throws {
        let layer = try layer(kind)
        file.failure = SQLITE_FULL
        var size: Int64 = 0
        #expect(layer.sync(SQLITE_SYNC_FULL) == SQLITE_FULL && layer.truncate(to: 0) == SQLITE_FULL && layer.size(&size) == SQLITE_FULL)
        #expect(layer.close() == SQLITE_FULL)
        #expect(layer.get(Self.page, at: 0).code == SQLITE_FULL)
        if kind == .database { #expect(layer.put(Self.content(1, seed: 1), at: 0) == SQLITE_FULL) }
        if kind == .temporary { #expect(layer.put([1, 2, 3], at: 5) == SQLITE_FULL) }
    }

    @Test("of a write-ahead log takes headers and pages where they stand, and nothing else")
    func logShapes() throws {
        let layer = try layer(.log)
        let frame = EncryptedLog.headerSize
        var header = [UInt8](repeating: 0, count: EncryptedLog.frameHeaderSize)
        header[3] = 2
        let content = Self.content(2, seed: 9)
        // A page before its header, or of the page 0, has no number to be encrypted with.
        #expect(layer.put(content, at: frame + EncryptedLog.frameHeaderSize) != SQLITE_OK)
        for (bytes, offset) in [
            (Array(content.prefix(100)), frame + EncryptedLog.frameHeaderSize), (content, frame), (content, 0), (Array(header.dropLast()), frame),
            (header, frame + 1), (Array(repeating: 1, count: 31), 0), (header + content, frame), ([1], 5),
        ] {
            #expect(layer.put(bytes, at: offset) == SQLITE_IOERR_WRITE_CODE, "\(bytes.count) bytes at \(offset)")
        }
        #expect(file.bytes.isEmpty)
        #expect(layer.put(Array(repeating: 1, count: EncryptedLog.headerSize), at: 0) == SQLITE_OK)
        #expect(layer.put(header, at: frame) == SQLITE_OK)
        #expect(layer.put(content, at: frame + EncryptedLog.frameHeaderSize) == SQLITE_OK)
        #expect(layer.get(EncryptedLog.frameSize, at: frame).bytes == header + content)
        for offset in [0, 7, 24, 300, 4_000] {
            let part = Array((header + content)[offset..<min(offset + 150, EncryptedLog.frameSize)])
            #expect(layer.get(part.count, at: frame + offset).bytes == part, "at \(offset)")
        }
        #expect(!file.bytes.contains(content: content[100..<164]))
    }

    @Test("of a rollback journal takes what SQLite writes to one, and nothing of a page in another form")
    func journalShapes() throws {
        let layer = try layer(.journal)
        let content = Self.content(3, seed: 10), start = EncryptedJournal.headerSize
        var full = [UInt8](repeating: 0, count: EncryptedJournal.headerSize)
        for count in [2, 3, 5, 16, 27, 29, 100, 511, 513, 4_095, 4_097] {
            #expect(layer.put(Array((content + content).prefix(count)), at: 0) == SQLITE_IOERR_WRITE_CODE, "\(count) bytes")
        }
        full[100] = 1
        #expect(layer.put(full, at: 0) == SQLITE_IOERR_WRITE_CODE, "a header with something behind its end")
        #expect(layer.put(content, at: 0) != SQLITE_OK, "a page without a number")
        #expect(file.bytes.isEmpty)
        full[100] = 0
        #expect(layer.put(full, at: 0) == SQLITE_OK)
        #expect(layer.put([0, 0, 0, 3], at: start) == SQLITE_OK && layer.put(content, at: start + 4) == SQLITE_OK)
        let sum: [UInt8] = [1, 2, 3, 4]
        #expect(layer.put(sum, at: start + 4 + Self.page) == SQLITE_OK)
        #expect(Array(file.bytes.suffix(4)) != sum, "a checksum says something of the page")
        // Read in the order in which SQLite reads a record.
        let again = try self.layer(.journal)
        #expect(again.get(4, at: start).bytes == [0, 0, 0, 3])
        #expect(again.get(Self.page, at: start + 4).bytes == content)
        #expect(again.get(4, at: start + 4 + Self.page).bytes == sum)
        // A record that is torn is one of zeros, whose checksum does not fit.
        file.bytes[start + 200] ^= 1
        #expect(again.get(Self.page, at: start + 4).bytes.allSatisfy { $0 == 0 })
    }

    @Test("over a temporary file holds any bytes at any place, under a key of its own", arguments: 1...4 as ClosedRange<UInt64>)
    func temporaryFiles(_ seed: UInt64) throws {
        let layer = try layer(.temporary)
        var random = SplitMix64(seed: seed), model: [UInt8] = []
        for _ in 0..<60 {
            // Without holes: what SQLite does not write it does not read.
            let offset = Int.random(in: 0...model.count, using: &random), new = random.bytes(Int.random(in: 1...9_000, using: &random))
            #expect(layer.put(new, at: offset) == SQLITE_OK)
            if model.count < offset + new.count { model += Array(repeating: 0, count: offset + new.count - model.count) }
            model.replaceSubrange(offset..<offset + new.count, with: new)
            let start = Int.random(in: 0..<model.count, using: &random), count = Int.random(in: 1...10_000, using: &random)
            let (code, bytes) = layer.get(count, at: start)
            let present = Array(model.dropFirst(start).prefix(count))
            #expect(code == (present.count == count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ_CODE), "seed \(seed)")
            #expect(Array(bytes.prefix(present.count)) == present && bytes.dropFirst(present.count).allSatisfy { $0 == 0 }, "seed \(seed)")
        }
        #expect(file.bytes.count == model.count && !file.bytes.contains(content: model[50..<82]))
        let other = try self.layer(.temporary)
        #expect(other.get(32, at: 50).bytes != Array(model[50..<82]))
    }
}

extension [UInt8] {
    fileprivate func contains(content part: ArraySlice<UInt8>) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
