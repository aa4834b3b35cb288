package import ChatAPI
package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
import GRDB
package import SMPProtocol
import SMPWire
package import XFTPProtocol

// Files: their rows, the recipients of sent ones, and what removed ones leave behind.

/// The remains of a removed file.
package struct RemovedFile: Sendable {
    package var number: Int64
    /// Relative to the folder for files unless it begins with a slash.
    package var path: String?
    package var transfer: FileTransferID?
    package var isUnfinishedUpload: Bool

    package init(number: Int64, path: String? = nil, transfer: FileTransferID? = nil, isUnfinishedUpload: Bool) {
        self.number = number
        self.path = path
        self.transfer = transfer
        self.isUnfinishedUpload = isUnfinishedUpload
    }
}

extension CryptoFileArguments {
    package init?(key: String?, nonce: String?) {
        guard let key, let nonce else { return nil }
        self.init(fileKey: key, fileNonce: nonce)
    }
}

extension UserServerSet {
    /// File routers that are used, of operators that store.
    package var usedFileRouters: [XFTPServerWithAuth] {
        xftpServers.compactMap { server in
            guard server.enabled, let address = try? XFTPServerWithAuth(wireString: server.server) else { return nil }
            let owner = operators.first { $0.runs(server.server) }
            guard owner?.enabled ?? true, owner?.xftpRoles.storage ?? true else { return nil }
            return address
        }
    }
}

/// Files of items.
package struct FileTable {
    let db: Database

    private static let fileColumns = """
        f.file_id, f.user_id, f.chat_item_id, f.is_sent, f.file_name, f.file_size, f.protocol, f.status_json, f.path, f.file_key, f.file_nonce,
        f.chunk_size, f.state, f.is_cancelled, f.transfer_id, f.transfer_started, f.transfer_deleted, f.description, f.description_part,
        f.description_complete, f.sender_description, f.redirect_for, f.approves_relays, f.invitation_json, f.received_inline, f.created_at
        """

    private static func fileRecord(_ row: inout RowReader) throws -> FileRecord {
        let id = row.id(FileID.self)
        let user = row.id(UserID.self)
        let item = row.optionalID(ChatItemID.self)
        let isSent = row.flag()
        let name = row.text()
        let size = row.int()
        let fileProtocol = FileProtocol(rawValue: row.text())
        let status = try ItemFileStatus(parsing: row.text())
        let path = row.optionalText()
        let key = CryptoFileArguments(key: row.optionalText(), nonce: row.optionalText())
        let chunkSize = row.int()
        let state = FileRecord.State(rawValue: row.text()) ?? .new
        let isCancelled = row.flag()
        let transfer = row.optionalBytes().map { FileTransferID($0) }
        let (isStarted, isDeleted) = (row.flag(), row.flag())
        let text = row.text()
        let part = row.optionalInt()
        let isComplete = row.flag()
        let senderDescription = row.optionalText()
        let redirectFor = row.optionalID(FileID.self)
        let approvesRelays = row.flag()
        let offer = row.optionalText().flatMap { try? FileInvitation(parsing: $0) }
        let receivedInline = row.optionalText().flatMap { InlineFileMode(known: $0) }
        return FileRecord(
            id: id, user: user, item: item, isSent: isSent, name: name, size: size, fileProtocol: fileProtocol, status: status, path: path, key: key,
            chunkSize: chunkSize, state: state, isCancelled: isCancelled, transfer: transfer, isStarted: isStarted, isTransferDeleted: isDeleted,
            description: part.map { .init(text: text, part: Int(clamping: $0), isComplete: isComplete) }, senderDescription: senderDescription,
            redirectFor: redirectFor, approvesRelays: approvesRelays, offer: offer, receivedInline: receivedInline,
            createdAt: UTCTimestamp(stored: row.int()))
    }

    package func find(_ id: FileID) throws -> FileRecord? {
        try db.first("SELECT \(Self.fileColumns) FROM files f WHERE f.file_id = ?", [id], Self.fileRecord)
    }

    package func find(transfer: FileTransferID) throws -> FileRecord? {
        try db.first("SELECT \(Self.fileColumns) FROM files f WHERE f.transfer_id = ?", [transfer.bytes.blob], Self.fileRecord)
    }

    package func find(ofItem item: ChatItemID) throws -> FileRecord? {
        try db.first("SELECT \(Self.fileColumns) FROM files f WHERE f.chat_item_id = ?", [item], Self.fileRecord)
    }

    /// The description that was uploaded in place of a file without a message.
    package func redirect(to id: FileID) throws -> FileRecord? {
        // It is younger than the file: the rows before need not be looked at.
        try db.first("SELECT \(Self.fileColumns) FROM files f WHERE f.file_id > ? AND f.redirect_for = ?", [id, id], Self.fileRecord)
    }

    /// The files of a chat whose transfers are not over.
    package func unfinishedFiles(of chat: ItemOwner) throws -> [FileRecord] {
        let (column, id) = chat.column
        return try db.all(
            """
            SELECT \(Self.fileColumns) FROM chat_items i JOIN files f ON f.chat_item_id = i.chat_item_id
            WHERE i.\(column) = ? AND f.is_cancelled = 0 AND f.state NOT IN ('complete', 'cancelled') ORDER BY f.file_id
            """, [id], Self.fileRecord)
    }

    /// Stores a new file; its id is not used.
    package func insert(_ file: FileRecord) throws -> FileID {
        try db.insert(
            """
            INSERT INTO files (
                user_id, chat_item_id, is_sent, file_name, file_size, protocol, status_json, path, file_key, file_nonce, chunk_size, state, transfer_id,
                description, description_part, description_complete, redirect_for, approves_relays, invitation_json, received_inline, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                file.user, file.item, file.isSent, file.name, file.size, file.fileProtocol.rawValue, file.status.jsonText, file.path, file.key?.fileKey,
                file.key?.fileNonce, file.chunkSize, file.state.rawValue, file.transfer?.bytes.blob, file.description?.text ?? "",
                file.description.map { Int64($0.part) }, file.description?.isComplete ?? false, file.redirectFor, file.approvesRelays,
                file.offer?.jsonText, file.receivedInline?.code, file.createdAt.stored,
            ])
    }

    package func userID(ofFile id: FileID) throws -> UserID? {
        try db.firstID("SELECT user_id FROM files WHERE file_id = ?", [id])
    }

    // MARK: Changes

    package func update(_ id: FileID, status: ItemFileStatus) throws {
        try db.run("UPDATE files SET status_json = ? WHERE file_id = ?", [status.jsonText, id])
    }

    package func update(_ id: FileID, state: FileRecord.State, status: ItemFileStatus) throws {
        try db.run(
            "UPDATE files SET state = ?, status_json = ?, is_cancelled = is_cancelled OR ? WHERE file_id = ?",
            [state.rawValue, status.jsonText, state == .cancelled, id])
    }

    /// Accepts a file under a path.
    ///
    /// - Parameter inline: The mode in which it is received inside messages; nil for a download.
    package func accept(_ id: FileID, path: String, key: CryptoFileArguments?, approvesRelays: Bool, inline: InlineFileMode?) throws {
        try db.run(
            """
            UPDATE files SET state = 'accepted', status_json = ?, path = ?, file_key = ?, file_nonce = ?, approves_relays = ?, received_inline = ?,
                to_receive = 0
            WHERE file_id = ?
            """, [ItemFileStatus.receiveAccepted.jsonText, path, key?.fileKey, key?.fileNonce, approvesRelays, inline?.code, id])
    }

    /// Names the transfer of a file, which the service has not begun.
    package func update(_ id: FileID, transfer: FileTransferID) throws {
        try db.run(
            "UPDATE files SET transfer_id = ?, transfer_started = 0, transfer_deleted = 0 WHERE file_id = ?", [transfer.bytes.blob, id])
    }

    /// Takes its transfer from a received file. Its path is still shown, as by official clients; nothing is there.
    package func release(_ id: FileID) throws {
        try db.run("UPDATE files SET transfer_id = NULL, transfer_started = 0, transfer_deleted = 0 WHERE file_id = ?", [id])
    }

    /// Records that the service has begun a transfer.
    package func markStarted(_ transfer: FileTransferID) throws {
        try db.run("UPDATE files SET transfer_started = 1 WHERE transfer_id = ?", [transfer.bytes.blob])
    }

    /// Records that the service has forgotten a transfer.
    package func markDeleted(_ transfer: FileTransferID) throws {
        try db.run("UPDATE files SET transfer_deleted = 1 WHERE transfer_id = ?", [transfer.bytes.blob])
    }

    package func update(_ id: FileID, description: FileRecord.Description) throws {
        try db.run(
            "UPDATE files SET description = ?, description_part = ?, description_complete = ? WHERE file_id = ?",
            [description.text, description.part, description.isComplete, id])
    }

    // MARK: Descriptions in parts

    /// The length of the text of a description so far, in bytes.
    package func descriptionSize(of file: FileRecord) throws -> Int {
        let last = try db.number("SELECT total FROM file_description_parts WHERE file_id = ? ORDER BY part DESC LIMIT 1", [file.id])
        return last.map { Int(clamping: $0) } ?? file.description?.text.utf8.count ?? 0
    }

    /// Adds a part that is not the last, beside those before it.
    ///
    /// - Parameter size: The length of the text before it.
    package func append(_ part: FileDescriptionPart, toDescriptionOf id: FileID, size: Int) throws {
        try db.run(
            "INSERT INTO file_description_parts (file_id, part, total, content) VALUES (?, ?, ?, ?)",
            [id, part.partNumber, size + part.text.utf8.count, part.text])
        try db.run("UPDATE files SET description_part = ? WHERE file_id = ?", [part.partNumber, id])
    }

    /// Puts a description together whose last part has come.
    ///
    /// - Returns: The whole description.
    package func completeDescription(of file: FileRecord, with last: FileDescriptionPart) throws -> FileRecord.Description {
        let parts = try db.all("SELECT content FROM file_description_parts WHERE file_id = ? ORDER BY part", [file.id]) { $0.text() }
        let text = (file.description?.text ?? "") + parts.joined() + last.text
        let description = FileRecord.Description(text: text, part: last.partNumber, isComplete: true)
        try update(file.id, description: description)
        try db.run("DELETE FROM file_description_parts WHERE file_id = ?", [file.id])
        return description
    }

    package func update(_ id: FileID, senderDescription: String) throws {
        try db.run("UPDATE files SET sender_description = ?, transfer_started = 1 WHERE file_id = ?", [senderDescription, id])
    }

    package func markToReceive(_ id: FileID, key: CryptoFileArguments?, approvesRelays: Bool) throws {
        try db.run(
            "UPDATE files SET to_receive = 1, approves_relays = ?, file_key = ?, file_nonce = ? WHERE file_id = ?",
            [approvesRelays, key?.fileKey, key?.fileNonce, id])
    }

    /// The files that are marked to be received and were offered after a time.
    package func filesToReceive(since time: UTCTimestamp) throws -> [FileRecord] {
        try db.all(
            "SELECT \(Self.fileColumns) FROM files f WHERE f.to_receive = 1 AND f.state = 'new' AND f.created_at > ? ORDER BY f.file_id", [time.stored],
            Self.fileRecord)
    }

    /// True if one of the paths is that of a file whose content is, or will be, on this machine.
    package func hasFile(at paths: [String]) throws -> Bool {
        for path in paths
        where try db.number("SELECT 1 FROM files WHERE path = ? AND (is_sent = 1 OR state NOT IN ('new', 'cancelled')) LIMIT 1", [path]) != nil {
            return true
        }
        return false
    }

    /// True if a file, or the removal of one, is stored with a path.
    package func knows(_ path: String) throws -> Bool {
        try db.number("SELECT 1 FROM files WHERE path = ?1 UNION ALL SELECT 1 FROM removed_files WHERE path = ?1 LIMIT 1", [path]) != nil
    }

    // MARK: Recipients

    package func addRecipient(_ connection: ChatConnectionID, member: GroupMemberID?, ofFile id: FileID) throws {
        try db.run(
            "INSERT OR IGNORE INTO file_recipients (file_id, connection_id, group_member_id, state) VALUES (?, ?, ?, 'new')", [id, connection, member])
    }

    /// The recipients of a sent file.
    package func recipients(ofFile id: FileID) throws -> [FileRecipient] {
        let rows = try db.all(
            """
            SELECT r.connection_id, r.group_member_id, r.state, coalesce(m.local_display_name, c.local_display_name, '')
            FROM file_recipients r JOIN connections cn ON cn.connection_id = r.connection_id
            LEFT JOIN group_members m ON m.group_member_id = r.group_member_id LEFT JOIN contacts c ON c.contact_id = cn.contact_id
            WHERE r.file_id = ? ORDER BY r.connection_id
            """, [id]
        ) { row in
            (row.id(ChatConnectionID.self), row.optionalID(GroupMemberID.self), FileRecord.State(rawValue: row.text()) ?? .new, row.text())
        }
        return try rows.compactMap { connection, member, state, name in
            try db.connections.find(connection).map { FileRecipient(connection: $0, member: member, name: name, state: state) }
        }
    }

    package func updateRecipients(ofFile id: FileID, state: FileRecord.State) throws {
        try db.run("UPDATE file_recipients SET state = ? WHERE file_id = ? AND state NOT IN ('complete', 'cancelled')", [state.rawValue, id])
    }

    /// Links a delivery that completes the description of a file at its recipient.
    package func linkDelivery(_ id: Int64, file: FileID) throws {
        try db.run("INSERT INTO delivery_files (delivery_id, file_id) VALUES (?, ?)", [id, file])
    }

    package func find(ofDelivery id: Int64) throws -> FileID? {
        try db.firstID("SELECT file_id FROM delivery_files WHERE delivery_id = ?", [id])
    }

    // MARK: Removed files

    package func insertRemovedFile(path: String?, transfer: FileTransferID?, isUnfinishedUpload: Bool) throws {
        try db.run(
            "INSERT INTO removed_files (path, transfer_id, is_unfinished_upload) VALUES (?, ?, ?)", [path, transfer?.bytes.blob, isUnfinishedUpload])
    }

    /// Removed files behind one of them, oldest first.
    package func removedFiles(after number: Int64, limit: Int) throws -> [RemovedFile] {
        try db.all(
            """
            SELECT removed_file_id, path, transfer_id, is_unfinished_upload FROM removed_files WHERE removed_file_id > ?
            ORDER BY removed_file_id LIMIT ?
            """, [number, limit]
        ) { row in
            RemovedFile(
                number: row.int(), path: row.optionalText(), transfer: row.optionalBytes().map { FileTransferID($0) }, isUnfinishedUpload: row.flag())
        }
    }

    /// True if what a finished upload has left on routers is to stay there, although its file is removed.
    package func keepsUploaded(_ transfer: FileTransferID) throws -> Bool {
        try db.number("SELECT 1 FROM removed_files WHERE transfer_id = ? AND is_unfinished_upload = 0 LIMIT 1", [transfer.bytes.blob]) != nil
    }

    /// Takes a path from those that are to be removed.
    package func keep(at path: String) throws { try db.run("DELETE FROM removed_files WHERE path = ? AND transfer_id IS NULL", [path]) }

    package func deleteRemovedFile(_ number: Int64) throws { try db.run("DELETE FROM removed_files WHERE removed_file_id = ?", [number]) }

    package func update(_ id: FileID, path: String) throws { try db.run("UPDATE files SET path = ? WHERE file_id = ?", [path, id]) }

    // MARK: Files of messages

    package static func file(_ row: inout RowReader) throws -> ItemFile? {
        let id = row.optionalID(FileID.self)
        let name = row.optionalText()
        let size = row.optionalInt()
        let fileProtocol = row.optionalText()
        let status = row.optionalText()
        let path = row.optionalText()
        let (key, nonce) = (row.optionalText(), row.optionalText())
        guard let id, let name, let size, let fileProtocol, let status else { return nil }
        return ItemFile(
            fileID: id, fileName: name, fileSize: size,
            fileSource: path.map { CryptoFile(filePath: $0, cryptoArguments: CryptoFileArguments(key: key, nonce: nonce)) },
            status: try ItemFileStatus(parsing: status), fileProtocol: FileProtocol(rawValue: fileProtocol))
    }
}
