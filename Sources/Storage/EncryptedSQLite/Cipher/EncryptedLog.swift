internal import GRDBSQLite

/// The write-ahead log of an encrypted database.
///
/// It has SQLite's format: a header of 32 bytes, then frames of a header of 24 bytes and a page. Pages are encrypted as in the database. A
/// frame's header ends with the log's salt and a checksum over the clear page, and both are encrypted as one block, so that no unencrypted
/// bytes on disk depend on the content of a page. SQLCipher's logs have checksums over encrypted pages instead, so the logs of the two are
/// not interchangeable; their databases are, once the log is folded in.
final class EncryptedLog: FileLayer {
    static let headerSize = 32
    static let frameHeaderSize = 24
    static let frameSize = frameHeaderSize + PageLayout.pageSize
    /// The offset of the encrypted block in a frame's header.
    static let blockOffset = 8

    private let file: any FileLayer
    private let cipher: PageCipher
    private let scratch = Scratch(frameSize)

    init(_ file: any FileLayer, _ cipher: PageCipher) {
        self.file = file
        self.cipher = cipher
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        guard let target = buffer.baseAddress, offset >= 0 else { return SQLITE_IOERR_READ_CODE }
        var done = 0
        while done < buffer.count {
            let position = offset + Int64(done), left = buffer.count - done
            let count: Int, code: CInt
            if position < Int64(Self.headerSize) {
                count = min(Self.headerSize - Int(position), left)
                code = file.read(UnsafeMutableRawBufferPointer(start: target + done, count: count), at: position)
            } else {
                let within = Int((position - Int64(Self.headerSize)) % Int64(Self.frameSize))
                count = min(Self.frameSize - within, left)
                code = readFrame(at: position - Int64(within), needed: within..<within + count)
                (target + done).copyMemory(from: scratch.start + within, byteCount: count)
            }
            done += count
            guard code == SQLITE_OK else {
                (target + done).initializeMemory(as: UInt8.self, repeating: 0, count: buffer.count - done)
                return code
            }
        }
        return SQLITE_OK
    }

    /// Reads the needed part of a frame into `scratch`, decrypted.
    private func readFrame(at offset: Int64, needed: Range<Int>) -> CInt {
        let frame = scratch.start
        let needsPage = needed.upperBound > Self.frameHeaderSize, needsHeader = needed.lowerBound < Self.frameHeaderSize
        let count = needsPage ? Self.frameSize : Self.frameHeaderSize
        let code = file.read(UnsafeMutableRawBufferPointer(start: frame, count: count), at: offset)
        guard code == SQLITE_OK else { return code }
        let number = frame.loadUnaligned(as: UInt32.self).bigEndian
        if needsHeader { guard openBlock(at: offset) else { return SQLITE_IOERR_READ_CODE } }
        guard needsPage else { return SQLITE_OK }
        if number != 0, cipher.decrypt(frame + Self.frameHeaderSize, number: number) { return SQLITE_OK }
        frame.initializeMemory(as: UInt8.self, repeating: 0, count: Self.frameSize)
        // SQLite reads whole frames to find the end of the log after a crash: an empty frame is the end. It reads a page by itself only if the
        // page must exist.
        return needsHeader ? SQLITE_OK : SQLITE_IOERR_DATA_CODE
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        guard let source = bytes.baseAddress, offset >= 0 else { return SQLITE_IOERR_WRITE_CODE }
        if offset == 0 { return bytes.count == Self.headerSize ? file.write(bytes, at: 0) : SQLITE_IOERR_WRITE_CODE }
        guard offset >= Int64(Self.headerSize) else { return SQLITE_IOERR_WRITE_CODE }
        let frame = offset - (offset - Int64(Self.headerSize)) % Int64(Self.frameSize)
        switch (Int(offset - frame), bytes.count) {
        case (0, Self.frameHeaderSize):
            scratch.start.copyMemory(from: source, byteCount: bytes.count)
            guard sealBlock(at: frame) else { return SQLITE_IOERR_WRITE_CODE }
            numbers = (frame, scratch.start.loadUnaligned(as: UInt32.self).bigEndian)
            return file.write(UnsafeRawBufferPointer(start: scratch.start, count: bytes.count), at: offset)
        case (Self.frameHeaderSize, PageLayout.pageSize):
            var number: UInt32 = 0
            let code = self.number(ofFrameAt: frame, &number)
            guard code == SQLITE_OK else { return code }
            guard number != 0, cipher.encrypt(source, number: number, into: scratch.start) else { return SQLITE_IOERR_WRITE_CODE }
            return file.write(UnsafeRawBufferPointer(start: scratch.start, count: PageLayout.pageSize), at: offset)
        // SQLite does not write a log in this way: the bytes must not be stored unencrypted.
        default: return SQLITE_IOERR_WRITE_CODE
        }
    }

    /// The offset of the frame whose header was written last, and its page number.
    private var numbers: (frame: Int64, page: UInt32)?

    private func number(ofFrameAt offset: Int64, _ number: inout UInt32) -> CInt {
        if let numbers, numbers.frame == offset {
            number = numbers.page
            return SQLITE_OK
        }
        // When SQLite writes a page again in the same transaction, it does not write the header again.
        let code = file.read(UnsafeMutableRawBufferPointer(start: scratch.start, count: 4), at: offset)
        number = scratch.start.loadUnaligned(as: UInt32.self).bigEndian
        return code
    }

    private func sealBlock(at offset: Int64) -> Bool {
        tweak(offset)
        return cipher.encryptBlock(scratch.start + Self.blockOffset)
    }

    private func openBlock(at offset: Int64) -> Bool {
        guard cipher.decryptBlock(scratch.start + Self.blockOffset) else { return false }
        tweak(offset)
        return true
    }

    /// Makes the blocks of equal frames at different offsets differ.
    private func tweak(_ offset: Int64) {
        let place = scratch.start + Self.blockOffset
        place.storeBytes(of: place.loadUnaligned(as: Int64.self) ^ offset.bigEndian, as: Int64.self)
    }

    func truncate(to size: Int64) -> CInt {
        numbers = nil
        return file.truncate(to: size)
    }

    func sync(_ flags: CInt) -> CInt { file.sync(flags) }
    func size(_ size: inout Int64) -> CInt { file.size(&size) }
    func close() -> CInt { file.close() }
    func characteristics(_ device: CInt) -> CInt { encryptedCharacteristics }
}
