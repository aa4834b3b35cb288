/// A check of the pages of an encrypted database without SQLite.
struct PageInspection {
    let path: String
    let label: String
    let cipher: PageCipher

    /// The number of other pages that are tried when the first does not match the key.
    private static let samples = 64

    /// Distinguishes a wrong key from damage.
    ///
    /// Under a wrong key, no page is authentic; under the right one, all undamaged pages are. If the salt at the beginning is damaged, the
    /// right key cannot be distinguished from a wrong one.
    func checkKey() throws(StorageError) {
        guard let file = try RawFile(path: path) else { return }
        let pages = try file.size / PageLayout.pageSize
        var page = [UInt8](repeating: 0, count: PageLayout.pageSize)
        if pages > 0, try isAuthentic(1, in: file, &page) { return }
        // SQLite repairs the page from there.
        if try logHas(page: 1, &page) { return }
        if try journalHasPage(&page) { return }
        let step = max(1, pages / Self.samples)
        for number in stride(from: 2, through: max(pages, 1), by: step) where try isAuthentic(UInt32(number), in: file, &page) {
            throw StorageError(
                .corrupt, "the first page of the \(label) database \(path) is damaged; the key is the right one. Restore a backup: see parley db check")
        }
        let logFits = try logHas(page: nil, &page)
        if logFits || pages == 0 {
            throw StorageError(.corrupt, "the beginning of the \(label) database \(path) is missing or damaged. Restore a backup")
        }
        throw StorageError(
            .wrongKey,
            "the key does not open the \(label) database \(path): give the right one. If you are sure of it, the first bytes of the file are damaged: restore a backup"
        )
    }

    /// Returns the number of pages, the numbers of damaged ones, at most `limit`, and whether the file ends within a page.
    func damagedPages(limit: Int) throws(StorageError) -> (count: Int, damaged: [UInt32], hasPartialPage: Bool) {
        guard let file = try RawFile(path: path) else { return (0, [], false) }
        let size = try file.size, pages = size / PageLayout.pageSize
        var page = [UInt8](repeating: 0, count: PageLayout.pageSize)
        var damaged: [UInt32] = []
        for number in 0..<UInt32(clamping: pages) where number + 1 != PageLayout.lockPage {
            if damaged.count == limit { break }
            if try !isAuthentic(number + 1, in: file, &page) { damaged.append(number + 1) }
        }
        return (pages, damaged, size % PageLayout.pageSize != 0)
    }

    private func isAuthentic(_ number: UInt32, in file: RawFile, _ page: inout [UInt8]) throws(StorageError) -> Bool {
        try isAuthentic(number, in: file, at: (Int(number) - 1) * PageLayout.pageSize, &page)
    }

    private func isAuthentic(_ number: UInt32, in file: RawFile, at offset: Int, _ page: inout [UInt8]) throws(StorageError) -> Bool {
        page = try file.read(PageLayout.pageSize, at: offset)
        guard page.count == PageLayout.pageSize else { return false }
        return page.withUnsafeBytes { bytes in bytes.baseAddress.map { cipher.isAuthentic($0, number: number) } ?? false }
    }

    /// Checks whether the write-ahead log has the page, or any page, under this key: it still has a page that was torn while the log was folded in.
    private func logHas(page wanted: UInt32?, _ page: inout [UInt8]) throws(StorageError) -> Bool {
        guard let log = try RawFile(path: path + FileKind.log.suffix) else { return false }
        let size = try log.size
        var offset = EncryptedLog.headerSize
        while offset + EncryptedLog.frameSize <= size {
            let number = try log.read(4, at: offset).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if number != 0, wanted == nil || number == wanted,
                try isAuthentic(number, in: log, at: offset + EncryptedLog.frameHeaderSize, &page)
            {
                return true
            }
            offset += EncryptedLog.frameSize
        }
        return false
    }

    /// Checks whether a rollback journal begins with a page under this key: SQLite rolls it back when it opens the database.
    private func journalHasPage(_ page: inout [UInt8]) throws(StorageError) -> Bool {
        guard let journal = try RawFile(path: path + FileKind.journal.suffix) else { return false }
        let number = try journal.read(4, at: EncryptedJournal.headerSize).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard number != 0 else { return false }
        return try isAuthentic(number, in: journal, at: EncryptedJournal.headerSize + 4, &page)
    }
}
