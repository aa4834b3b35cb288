package import ChatAPI
import EncryptedSQLite
package import GRDB
package import SMPWire

// Chunks of files that travel inside messages, until the files are whole.

extension Database {
    /// The number of chunks of a file that have come. They come in order.
    package func inlineChunks(ofFile id: FileID) throws -> Int64 {
        try number("SELECT max(number) FROM inline_file_chunks WHERE file_id = ?", [id]) ?? 0
    }

    package func insertInlineChunk(_ number: Int64, _ content: Bytes, ofFile id: FileID) throws {
        try run("INSERT INTO inline_file_chunks (file_id, number, content) VALUES (?, ?, ?)", [id, number, content.blob])
    }

    /// The content of a file whose chunks have all come.
    package func inlineContent(ofFile id: FileID) throws -> Bytes {
        try all("SELECT content FROM inline_file_chunks WHERE file_id = ? ORDER BY number", [id]) { $0.bytes() }.flatMap { $0 }
    }

    package func deleteInlineChunks(ofFile id: FileID) throws { try run("DELETE FROM inline_file_chunks WHERE file_id = ?", [id]) }

    package func updateFile(_ id: FileID, path: String) throws { try run("UPDATE files SET path = ? WHERE file_id = ?", [path, id]) }
}
