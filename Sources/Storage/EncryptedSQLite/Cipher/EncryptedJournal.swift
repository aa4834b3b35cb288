internal import GRDBSQLite

/// The rollback journal of an encrypted database, which SQLite uses while it creates a database, before it has a write-ahead log.
///
/// It has SQLite's format: headers, and records of a page number, the previous page, and a checksum over some bytes of the clear page. Pages
/// are encrypted as in the database, and checksums with a mask that is derived from the page's random vector.
///
/// The position of records depends on the headers between them, so writes and reads are distinguished by their size: only pages have the size
/// of a page, and a checksum follows a page.
final class EncryptedJournal: FileLayer {
    /// The size of a sector for SQLite, which with ``encryptedCharacteristics`` writes headers of this size.
    static let headerSize = 512
    /// The bytes of a header that are in use; the others are zeros.
    private static let headerContent = 28
    private static let smallWrites: Set<Int> = [1, 4, 8, 12, headerContent]

    private let file: any FileLayer
    private let cipher: PageCipher
    private let scratch = Scratch(PageLayout.pageSize)
    private var lastNumber: (end: Int64, page: UInt32)?
    /// The end of the page that was written last, and the mask for its checksum; ``seen`` has those of the page that was read last.
    private var written: Mask?
    private var seen: Mask?

    private struct Mask {
        var offset: Int64
        var value: UInt32
    }

    init(_ file: any FileLayer, _ cipher: PageCipher) {
        self.file = file
        self.cipher = cipher
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        let code = file.read(buffer, at: offset)
        guard code == SQLITE_OK, let target = buffer.baseAddress else { return code }
        if buffer.count == 4, let seen, seen.offset == offset {
            apply(seen, to: target)
        } else if buffer.count == PageLayout.pageSize {
            return openPage(target, at: offset)
        }
        return SQLITE_OK
    }

    private func openPage(_ page: UnsafeMutableRawPointer, at offset: Int64) -> CInt {
        var number: UInt32 = 0
        let code = self.number(before: offset, &number)
        guard code == SQLITE_OK else { return code }
        guard let mask = mask(ofPage: page, at: offset) else { return SQLITE_IOERR_READ_CODE }
        seen = mask
        guard number != 0, cipher.decrypt(page, number: number) else {
            // An incomplete record: its checksum does not match zeros, and SQLite stops there.
            page.initializeMemory(as: UInt8.self, repeating: 0, count: PageLayout.pageSize)
            return SQLITE_OK
        }
        return SQLITE_OK
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        guard let source = bytes.baseAddress, offset >= 0 else { return SQLITE_IOERR_WRITE_CODE }
        switch bytes.count {
        case PageLayout.pageSize:
            var number: UInt32 = 0
            let code = self.number(before: offset, &number)
            guard code == SQLITE_OK else { return code }
            guard number != 0, cipher.encrypt(source, number: number, into: scratch.start),
                let mask = mask(ofPage: scratch.start, at: offset)
            else { return SQLITE_IOERR_WRITE_CODE }
            written = mask
            return file.write(UnsafeRawBufferPointer(start: scratch.start, count: PageLayout.pageSize), at: offset)
        case 4:
            if let written, written.offset == offset {
                scratch.start.copyMemory(from: source, byteCount: 4)
                apply(written, to: scratch.start)
                return file.write(UnsafeRawBufferPointer(start: scratch.start, count: 4), at: offset)
            }
            lastNumber = (offset + 4, source.loadUnaligned(as: UInt32.self).bigEndian)
            return file.write(bytes, at: offset)
        case Self.headerSize:
            // A header must contain no part of a page.
            guard bytes[Self.headerContent...].allSatisfy({ $0 == 0 }) else { return SQLITE_IOERR_WRITE_CODE }
            return file.write(bytes, at: offset)
        case let count where Self.smallWrites.contains(count): return file.write(bytes, at: offset)
        // SQLite does not write a journal in this way: the bytes must not be stored unencrypted.
        default: return SQLITE_IOERR_WRITE_CODE
        }
    }

    /// Reads the page number of a record, which precedes its page.
    private func number(before offset: Int64, _ number: inout UInt32) -> CInt {
        if let lastNumber, lastNumber.end == offset {
            number = lastNumber.page
            return SQLITE_OK
        }
        guard offset >= 4 else { return SQLITE_IOERR_READ_CODE }
        var value: UInt32 = 0
        let code = withUnsafeMutableBytes(of: &value) { file.read($0, at: offset - 4) }
        number = value.bigEndian
        return code
    }

    private func mask(ofPage page: UnsafeRawPointer, at offset: Int64) -> Mask? {
        withUnsafeTemporaryAllocation(byteCount: PageLayout.ivSize, alignment: 16) { block in
            block.copyMemory(from: UnsafeRawBufferPointer(start: page + PageLayout.ivOffset, count: PageLayout.ivSize))
            guard let start = block.baseAddress, cipher.encryptBlock(start) else { return nil }
            return Mask(offset: offset + Int64(PageLayout.pageSize), value: start.load(as: UInt32.self))
        }
    }

    private func apply(_ mask: Mask, to bytes: UnsafeMutableRawPointer) {
        let value = bytes.loadUnaligned(as: UInt32.self)
        withUnsafeBytes(of: value ^ mask.value) { bytes.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: 4) }
    }

    func truncate(to size: Int64) -> CInt { file.truncate(to: size) }
    func sync(_ flags: CInt) -> CInt { file.sync(flags) }
    func size(_ size: inout Int64) -> CInt { file.size(&size) }
    func close() -> CInt { file.close() }
    func characteristics(_ device: CInt) -> CInt { encryptedCharacteristics }
}
