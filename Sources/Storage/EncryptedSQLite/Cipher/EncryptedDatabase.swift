internal import GRDBSQLite

/// The file of an encrypted database: whole pages, as SQLCipher 4 writes them.
final class EncryptedDatabase: FileLayer {
    private let file: any FileLayer
    private let cipher: PageCipher
    private let scratch: Scratch

    init(_ file: any FileLayer, _ cipher: PageCipher) {
        self.file = file
        self.cipher = cipher
        scratch = Scratch(PageLayout.pageSize)
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        let size = Int64(PageLayout.pageSize)
        guard let target = buffer.baseAddress, offset >= 0 else { return SQLITE_IOERR_READ_CODE }
        if buffer.count == PageLayout.pageSize, offset % size == 0 { return readPage(target, offset / size) }
        // Parts of pages: the header, which SQLite reads before any page, and its counter.
        if offset == 0, buffer.count == Self.sqliteHeaderSize { return readHeader(buffer) }
        var done = 0
        while done < buffer.count {
            let position = offset + Int64(done), within = Int(position % size)
            let count = min(PageLayout.pageSize - within, buffer.count - done)
            let code = readPage(scratch.start, position / size)
            (target + done).copyMemory(from: scratch.start + within, byteCount: count)
            done += count
            guard code == SQLITE_OK else {
                (target + done).initializeMemory(as: UInt8.self, repeating: 0, count: buffer.count - done)
                return code
            }
        }
        return SQLITE_OK
    }

    /// The number of bytes that SQLite reads to find the size of pages.
    private static let sqliteHeaderSize = 100

    /// Reads the header with the size of pages, even if the first page was torn while the log was folded in: SQLite then reads that page from
    /// the log. If the log does not have it, the next read fails.
    private func readHeader(_ buffer: UnsafeMutableRawBufferPointer) -> CInt {
        let code = readPage(scratch.start, 0)
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: scratch.start, count: buffer.count))
        guard code == SQLITE_NOTADB else { return code }
        buffer.copyBytes(from: PageLayout.header)
        buffer[16] = UInt8(PageLayout.pageSize >> 8)
        buffer[PageLayout.reservedOffset] = UInt8(PageLayout.reserved)
        return SQLITE_OK
    }

    /// - Parameter index: the index of the page, from 0.
    private func readPage(_ page: UnsafeMutableRawPointer, _ index: Int64) -> CInt {
        let offset = index * Int64(PageLayout.pageSize)
        let code = file.read(UnsafeMutableRawBufferPointer(start: page, count: PageLayout.pageSize), at: offset)
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ_CODE else { return code }
        if code == SQLITE_OK, let number = UInt32(exactly: index + 1), cipher.decrypt(page, number: number) { return SQLITE_OK }
        // No part of an inauthentic page is returned.
        page.initializeMemory(as: UInt8.self, repeating: 0, count: PageLayout.pageSize)
        if code == SQLITE_IOERR_SHORT_READ_CODE {
            var size: Int64 = 0
            let sized = file.size(&size)
            guard sized == SQLITE_OK else { return sized }
            // After the end, SQLite expects zeros; but a part of a page means that the file was cut off.
            if size <= offset { return code }
        }
        return index == 0 ? SQLITE_NOTADB : SQLITE_IOERR_DATA_CODE
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        // SQLite writes whole pages. Any other write is unknown, and must not be stored unencrypted.
        guard let page = bytes.baseAddress, bytes.count == PageLayout.pageSize, offset >= 0, offset % Int64(PageLayout.pageSize) == 0,
            let number = UInt32(exactly: offset / Int64(PageLayout.pageSize) + 1)
        else { return SQLITE_IOERR_WRITE_CODE }
        // In a database without room for the vector and the authentication code, these would overwrite data.
        if number == 1, page.load(fromByteOffset: PageLayout.reservedOffset, as: UInt8.self) != PageLayout.reserved {
            return SQLITE_IOERR_WRITE_CODE
        }
        guard cipher.encrypt(page, number: number, into: scratch.start) else { return SQLITE_IOERR_WRITE_CODE }
        return file.write(UnsafeRawBufferPointer(start: scratch.start, count: PageLayout.pageSize), at: offset)
    }

    func truncate(to size: Int64) -> CInt { file.truncate(to: size) }
    func sync(_ flags: CInt) -> CInt { file.sync(flags) }
    func size(_ size: inout Int64) -> CInt { file.size(&size) }
    func close() -> CInt { file.close() }
    func characteristics(_ device: CInt) -> CInt { encryptedCharacteristics }
}

/// Memory for a page, which is wiped when it is freed.
final class Scratch {
    let start: UnsafeMutableRawPointer
    private let count: Int

    init(_ count: Int) {
        self.count = count
        start = .allocate(byteCount: count, alignment: 16)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    deinit {
        wipe(start, count)
        start.deallocate()
    }
}
