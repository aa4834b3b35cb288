package import ChatAPI
import EncryptedSQLite
import GRDB
package import SMPWire

// Chunks of files that travel inside messages, until the files are whole.

/// Chunks of files that come inside messages.
package struct InlineChunkTable {
    let db: Database

    /// The number of chunks of a file that have come. They come in order.
    package func chunks(ofFile id: FileID) throws -> Int64 {
        try db.number("SELECT max(number) FROM inline_file_chunks WHERE file_id = ?", [id]) ?? 0
    }

    package func insert(_ number: Int64, _ content: Bytes, ofFile id: FileID) throws {
        try db.run("INSERT INTO inline_file_chunks (file_id, number, content) VALUES (?, ?, ?)", [id, number, content.blob])
    }

    /// The content of a file whose chunks have all come.
    package func content(ofFile id: FileID) throws -> Bytes {
        try db.all("SELECT content FROM inline_file_chunks WHERE file_id = ? ORDER BY number", [id]) { $0.bytes() }.flatMap { $0 }
    }

    package func delete(ofFile id: FileID) throws { try db.run("DELETE FROM inline_file_chunks WHERE file_id = ?", [id]) }
}
