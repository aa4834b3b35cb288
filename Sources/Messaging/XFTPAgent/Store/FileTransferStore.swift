import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPProtocol

/// The transfers in the agent's database. A change is on the disk when its call returns.
struct FileTransferStore: Sendable {
    let store: AgentStore

    // MARK: Uploads

    func add(_ upload: UploadRecord) async throws {
        try await store.write { database in
            try database.run(
                """
                INSERT INTO file_uploads (
                    upload_id, user_id, path, path_key, path_nonce, is_path_owned, name, recipients, key, nonce, as_one_chunk, redirect_size,
                    redirect_digest, status, created
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    data(upload.id.bytes), upload.user, upload.source.path, secret(upload.source.key?.key.secret), data(upload.source.key?.nonce.bytes),
                    upload.ownsSource, upload.name, upload.recipients, secret(upload.key.secret), data(upload.nonce.bytes), upload.asOneChunk,
                    upload.redirect?.size, data(upload.redirect?.digest), upload.status.rawValue, upload.created,
                ])
        }
    }

    /// Stores the digest and the chunks of the encrypted file.
    func setEncrypted(_ id: FileTransferID, size: Int64, digest: Bytes, _ chunks: [UploadRecord.Chunk]) async throws {
        try await store.write { database in
            try database.run(
                "UPDATE file_uploads SET size = ?, digest = ?, status = 'encrypted' WHERE upload_id = ?",
                [size, data(digest), data(id.bytes)])
            try database.run("DELETE FROM file_upload_chunks WHERE upload_id = ?", [data(id.bytes)])
            for chunk in chunks {
                try database.run(
                    "INSERT INTO file_upload_chunks (upload_id, number, offset, size, digest) VALUES (?, ?, ?, ?, ?)",
                    [data(id.bytes), chunk.number, chunk.offset, Int64(chunk.size), data(chunk.digest)])
            }
        }
    }

    /// Stores the router on which a chunk was announced; nil if there is none.
    func setReplica(_ replica: UploadRecord.Chunk.Replica?, of number: Int, in id: FileTransferID) async throws {
        try await store.write { database in
            try database.run(
                """
                UPDATE file_upload_chunks SET server = ?, replica_id = ?, replica_key = ?, is_uploaded = 0 WHERE upload_id = ? AND number = ?
                """,
                [
                    replica?.server.wireString, data(replica?.id.bytes), secret(replica?.key.pkcs8), data(id.bytes), number,
                ])
            try database.run("DELETE FROM file_upload_recipients WHERE upload_id = ? AND number = ?", [data(id.bytes), number])
            for (index, recipient) in (replica?.recipients ?? []).enumerated() {
                try database.run(
                    "INSERT INTO file_upload_recipients (upload_id, number, recipient, replica_id, replica_key) VALUES (?, ?, ?, ?, ?)",
                    [data(id.bytes), number, index, data(recipient.id.bytes), secret(recipient.key.pkcs8)])
            }
        }
    }

    /// Stores that a router has a chunk. With the last chunk, the upload is complete.
    func setUploaded(_ number: Int, in id: FileTransferID) async throws {
        try await store.write { database in
            try database.run("UPDATE file_upload_chunks SET is_uploaded = 1 WHERE upload_id = ? AND number = ?", [data(id.bytes), number])
            try completeUpload(id, database)
        }
    }

    /// Stores that an upload is complete, if all of its chunks are uploaded.
    func setComplete(_ id: FileTransferID) async throws { try await store.write { try completeUpload(id, $0) } }

    func setFailed(upload id: FileTransferID, _ failure: FileTransferError) async throws {
        try await store.write { database in
            try database.run(
                "UPDATE file_uploads SET status = ?, failure = ? WHERE upload_id = ?",
                [UploadRecord.Status.failed.rawValue, FailureText.write(failure), data(id.bytes)])
        }
    }

    func upload(_ id: FileTransferID) async throws -> UploadRecord? {
        try await store.read { database in
            guard let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM file_uploads WHERE upload_id = ?"), arguments: [data(id.bytes)])
            else {
                return nil
            }
            return try uploadRecord(row, database)
        }
    }

    func uploads() async throws -> [FileTransferID] { try await ids("SELECT upload_id FROM file_uploads ORDER BY created") }

    // MARK: Downloads

    func add(_ download: DownloadRecord) async throws {
        try await store.write { database in
            try database.run(
                """
                INSERT INTO file_downloads (download_id, user_id, description, path, path_key, path_nonce, approves_servers, status, created)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    data(download.id.bytes), download.user, download.description.text, download.target.path, secret(download.target.key?.key.secret),
                    data(download.target.key?.nonce.bytes), download.approvesServers, download.status.rawValue, download.created,
                ])
        }
    }

    /// Stores the description that a redirect leads to.
    func setRedirected(_ id: FileTransferID, _ description: FileDescription) async throws {
        try await store.write { database in
            try database.run("UPDATE file_downloads SET redirected = ? WHERE download_id = ?", [description.text, data(id.bytes)])
        }
    }

    func setDownload(_ id: FileTransferID, _ status: DownloadRecord.Status, _ failure: FileTransferError? = nil) async throws {
        try await store.write { database in
            try database.run(
                "UPDATE file_downloads SET status = ?, failure = ? WHERE download_id = ?",
                [status.rawValue, failure.map(FailureText.write), data(id.bytes)])
        }
    }

    func download(_ id: FileTransferID) async throws -> DownloadRecord? {
        try await store.read { database in
            guard let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM file_downloads WHERE download_id = ?"), arguments: [data(id.bytes)])
            else {
                return nil
            }
            return DownloadRecord(
                id: id, user: row["user_id"], description: try FileDescription(parsing: row["description"]),
                redirected: try (row["redirected"] as String?).map { try FileDescription(parsing: $0) }, target: try localFile(row),
                approvesServers: row["approves_servers"], status: DownloadRecord.Status(rawValue: row["status"]) ?? .failed,
                failure: (row["failure"] as String?).map(FailureText.read), created: row["created"])
        }
    }

    /// Returns the path of a download, and whether it is complete; nil if there is no such download.
    func target(ofDownload id: FileTransferID) async throws -> (path: String, isComplete: Bool)? {
        try await store.read { database in
            let row = try Row.fetchOne(
                database.cachedStatement(sql: "SELECT path, status FROM file_downloads WHERE download_id = ?"), arguments: [data(id.bytes)])
            return row.map { ($0["path"], ($0["status"] as String) == DownloadRecord.Status.complete.rawValue) }
        }
    }

    func downloads() async throws -> [FileTransferID] { try await ids("SELECT download_id FROM file_downloads ORDER BY created") }

    // MARK: Both

    /// Checks whether an upload or a download has the id.
    func isKnown(_ id: FileTransferID) async throws -> Bool {
        try await store.read { database in
            for sql in ["SELECT 1 FROM file_uploads WHERE upload_id = ?", "SELECT 1 FROM file_downloads WHERE download_id = ?"]
            where try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [data(id.bytes)]) != nil { return true }
            return false
        }
    }

    /// Removes a transfer.
    ///
    /// - Parameter deletesRemotely: whether the chunks of an upload are to be deleted from their routers.
    func remove(_ id: FileTransferID, deletesRemotely: Bool, now: Int64) async throws {
        try await store.write { database in
            try database.run("DELETE FROM file_downloads WHERE download_id = ?", [data(id.bytes)])
            if deletesRemotely {
                try database.run(
                    """
                    INSERT INTO file_deletions (user_id, server, replica_id, replica_key, created)
                    SELECT u.user_id, c.server, c.replica_id, c.replica_key, ? FROM file_upload_chunks AS c JOIN file_uploads AS u USING (upload_id)
                    WHERE c.upload_id = ? AND c.server IS NOT NULL
                    """, [now, data(id.bytes)])
            }
            try database.run("DELETE FROM file_uploads WHERE upload_id = ?", [data(id.bytes)])
        }
    }

    // MARK: Deletions

    func addDeletions(_ description: FileDescription, user: Int64, now: Int64) async throws {
        try await store.write { database in
            for chunk in description.chunks {
                for replica in chunk.replicas {
                    try database.run(
                        "INSERT INTO file_deletions (user_id, server, replica_id, replica_key, created) VALUES (?, ?, ?, ?, ?)",
                        [user, replica.server.wireString, data(replica.id.bytes), secret(replica.key.pkcs8), now])
                }
            }
        }
    }

    func deletions() async throws -> [DeletionRecord] {
        try await store.read { database in
            try Row.fetchAll(database.cachedStatement(sql: "SELECT * FROM file_deletions ORDER BY deletion_id")).map { row in
                DeletionRecord(
                    number: row["deletion_id"], user: row["user_id"], server: try XFTPServerAddress(wireString: row["server"]),
                    id: EntityID(bytes(row["replica_id"])), key: try PrivateAuthKey(pkcs8: bytes(row["replica_key"])), created: row["created"])
            }
        }
    }

    func removeDeletion(_ number: Int64) async throws {
        try await store.write { database in
            try database.run("DELETE FROM file_deletions WHERE deletion_id = ?", [number])
        }
    }

    // MARK: Reading

    private func ids(_ sql: String) async throws -> [FileTransferID] {
        try await store.read { database in try Data.fetchAll(database, sql: sql).map { FileTransferID(bytes($0)) } }
    }
}

private func completeUpload(_ id: FileTransferID, _ database: Database) throws {
    try database.run(
        """
        UPDATE file_uploads SET status = ? WHERE upload_id = ?
        AND NOT EXISTS (SELECT 1 FROM file_upload_chunks AS c WHERE c.upload_id = file_uploads.upload_id AND c.is_uploaded = 0)
        """, [UploadRecord.Status.complete.rawValue, data(id.bytes)])
}

private func uploadRecord(_ row: Row, _ database: Database) throws -> UploadRecord {
    let id = FileTransferID(bytes(row["upload_id"]))
    var record = UploadRecord(
        id: id, user: row["user_id"], source: try localFile(row), ownsSource: row["is_path_owned"], name: row["name"],
        recipients: row["recipients"], key: try BoxSecret(SecretBytes(wiping: bytes(row["key"]))), nonce: try BoxNonce(bytes(row["nonce"])),
        asOneChunk: row["as_one_chunk"], status: UploadRecord.Status(rawValue: row["status"]) ?? .failed,
        failure: (row["failure"] as String?).map(FailureText.read), created: row["created"])
    if let size = row["redirect_size"] as Int64?, let digest = row["redirect_digest"] as Data? {
        record.redirect = .init(size: size, digest: bytes(digest))
    }
    if let size = row["size"] as Int64?, let digest = row["digest"] as Data? { record.encrypted = (size, bytes(digest)) }
    let recipients = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT * FROM file_upload_recipients WHERE upload_id = ? ORDER BY number, recipient"), arguments: [data(id.bytes)])
    var byChunk: [Int: [(id: EntityID, key: PrivateAuthKey)]] = [:]
    for row in recipients {
        byChunk[row["number"], default: []].append((EntityID(bytes(row["replica_id"])), try PrivateAuthKey(pkcs8: bytes(row["replica_key"]))))
    }
    let chunks = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT * FROM file_upload_chunks WHERE upload_id = ? ORDER BY number"), arguments: [data(id.bytes)])
    record.chunks = try chunks.map { row in
        let number: Int = row["number"]
        var replica: UploadRecord.Chunk.Replica?
        if let server = row["server"] as String?, let id = row["replica_id"] as Data?, let key = row["replica_key"] as Data? {
            replica = .init(
                server: try XFTPServerAddress(wireString: server), id: EntityID(bytes(id)), key: try PrivateAuthKey(pkcs8: bytes(key)),
                recipients: byChunk[number] ?? [])
        }
        return UploadRecord.Chunk(
            number: number, offset: row["offset"], size: UInt32(clamping: row["size"] as Int64), digest: bytes(row["digest"]), replica: replica,
            isUploaded: row["is_uploaded"])
    }
    return record
}

private func localFile(_ row: Row) throws -> LocalFile {
    var file = LocalFile(row["path"])
    if let key = row["path_key"] as Data?, let nonce = row["path_nonce"] as Data? {
        file.key = LocalFile.Key(key: try BoxSecret(SecretBytes(wiping: bytes(key))), nonce: try BoxNonce(bytes(nonce)))
    }
    return file
}

private func data(_ bytes: Bytes?) -> Data? { bytes.map { Data($0) } }
private func secret(_ secret: SecretBytes?) -> Data? { secret.map { $0.withBytes { Data($0) } } }
private func bytes(_ data: Data) -> Bytes { Bytes(data) }

/// The text form of a failure, in lines: code, router's error, routers, message.
enum FailureText {
    static func write(_ failure: FileTransferError) -> String {
        ([failure.code.rawValue, failure.router?.wireString ?? "", failure.servers.joined(separator: " ")] + [failure.message]).joined(separator: "\n")
    }

    static func read(_ text: String) -> FileTransferError {
        let parts = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let code = FileTransferError.Code(rawValue: parts[0]) else { return FileTransferError(.storage, text) }
        return FileTransferError(
            code, parts[3], router: try? XFTPErrorType(wireString: parts[1]), servers: parts[2].split(separator: " ").map(String.init))
    }
}
