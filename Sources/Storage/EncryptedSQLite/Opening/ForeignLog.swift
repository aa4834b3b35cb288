/// Logs and journals that another program has left behind.
///
/// Those of SQLCipher have checksums over encrypted pages, Parley's over clear ones: each takes the other's for the end of an unfinished
/// write and drops its content. Therefore a database with a foreign one is refused until the program that wrote it has closed the database.
enum ForeignLog {
    static func refuse(besides path: String, label: String, cipher: PageCipher) throws(StorageError) {
        let hasLog = try isForeignLog(path + FileKind.log.suffix), hasJournal = try isForeignJournal(path + FileKind.journal.suffix)
        if hasLog || hasJournal {
            throw StorageError(
                .foreign,
                "another program wrote the \(label) database \(path) and did not close it: start that program with the same key, let it end properly, then try again"
            )
        }
    }

    /// Checks for a frame of SQLCipher, which has the log's salt in clear; Parley encrypts it.
    private static func isForeignLog(_ path: String) throws(StorageError) -> Bool {
        guard let file = try RawFile(path: path) else { return false }
        let start = try file.read(EncryptedLog.headerSize + EncryptedLog.frameHeaderSize, at: 0)
        guard start.count == EncryptedLog.headerSize + EncryptedLog.frameHeaderSize else { return false }
        return start[16..<24].elementsEqual(start[EncryptedLog.headerSize + 8..<EncryptedLog.headerSize + 16])
    }

    private static let journalMagic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Checks for a record of SQLCipher, which has the checksum of the encrypted page.
    private static func isForeignJournal(_ path: String) throws(StorageError) -> Bool {
        guard let file = try RawFile(path: path) else { return false }
        let header = try file.read(28, at: 0)
        guard header.count == 28, header.starts(with: journalMagic) else { return false }
        let sector = number(header[20..<24]), seed = number(header[12..<16])
        let start = sector >= 32 && sector <= 65_536 ? Int(sector) : EncryptedJournal.headerSize
        let record = try file.read(PageLayout.pageSize + 8, at: start)
        guard record.count == PageLayout.pageSize + 8 else { return false }
        let page = record[4..<4 + PageLayout.pageSize]
        // Every 200th byte from the end, as SQLite's journal adds them up.
        var sum = seed
        var index = PageLayout.pageSize - 200
        while index > 0 {
            sum &+= UInt32(page[page.startIndex + index])
            index -= 200
        }
        return sum == number(record[(4 + PageLayout.pageSize)...])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
