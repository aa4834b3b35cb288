import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPProtocol

/// The attributes of a chunk.
struct StoredFile: Hashable, Sendable {
    var info: FileInfo
    /// Seconds since 1970, rounded down to an hour: nothing needs a more exact time.
    var created: Int64
    var recipients: [EntityID: PublicAuthKey] = [:]
    var isUploaded = false
    var blocked: BlockingInfo?
}

/// All chunks of a file router, and the permissions for them: a value without I/O.
struct FileStore: Sendable {
    /// Seconds to which times are rounded.
    static let timeStep: Int64 = 3_600

    private(set) var files: [EntityID: StoredFile] = [:]
    /// The chunk of each recipient's id.
    private var filesOfRecipients: [EntityID: EntityID] = [:]
    /// Bytes of uploaded chunks.
    private(set) var uploadedBytes: Int64 = 0
    /// Received bytes of chunks that are being uploaded.
    private(set) var reservedBytes: Int64 = 0
    /// Uploaded chunks.
    private(set) var uploadedCount = 0
    /// Uploads under way, by chunk: a client that lost its connection may repeat one before the first has ended.
    private var uploads: [EntityID: Int] = [:]

    /// Simultaneous uploads of a chunk. Each needs room for the chunk; clients begin a second one when the first has lost its connection.
    static let uploadsPerFile = 4

    /// The recipients of all chunks.
    var recipientCount: Int { filesOfRecipients.count }

    /// Bytes of all chunks, including those that are being uploaded.
    var usedBytes: Int64 { uploadedBytes + reservedBytes }

    /// Finds the chunk of a sender's id.
    func file(sender id: EntityID) -> StoredFile? { files[id] }

    /// Finds the chunk of a recipient's id, and the recipient's key.
    func file(recipient id: EntityID) -> (id: EntityID, file: StoredFile, key: PublicAuthKey)? {
        guard let fileID = filesOfRecipients[id], let file = files[fileID], let key = file.recipients[id] else { return nil }
        return (fileID, file, key)
    }

    /// Checks whether a sender or a recipient has the id.
    func isTaken(_ id: EntityID) -> Bool { files[id] != nil || filesOfRecipients[id] != nil }

    /// Applies a record. A record about an unknown chunk has no effect.
    mutating func apply(_ record: FileJournalRecord) {
        switch record {
        case .file(let id, let info, let created, let recipients):
            if files[id] == nil { files[id] = StoredFile(info: info, created: created) }
            add(recipients, to: id)
        case .recipients(let id, let recipients): add(recipients, to: id)
        case .uploaded(let id):
            guard let file = files[id], !file.isUploaded, file.blocked == nil else { return }
            files[id]?.isUploaded = true
            uploadedBytes += Int64(file.info.size)
            uploadedCount += 1
        case .acknowledged(let recipient):
            guard let id = filesOfRecipients.removeValue(forKey: recipient) else { return }
            files[id]?.recipients[recipient] = nil
        case .deleted(let id):
            forgetUpload(id)
            guard let file = files.removeValue(forKey: id) else { return }
            for recipient in file.recipients.keys { filesOfRecipients[recipient] = nil }
        case .blocked(let id, let info):
            forgetUpload(id)
            files[id]?.blocked = info
        }
    }

    private mutating func add(_ recipients: [FileRecipient], to id: EntityID) {
        guard files[id] != nil else { return }
        for recipient in recipients {
            files[id]?.recipients[recipient.id] = recipient.key
            filesOfRecipients[recipient.id] = id
        }
    }

    private mutating func forgetUpload(_ id: EntityID) {
        guard let file = files[id], file.isUploaded else { return }
        files[id]?.isUploaded = false
        uploadedBytes -= Int64(file.info.size)
        uploadedCount -= 1
    }

    /// Begins an upload of a chunk, and reserves bytes for it.
    ///
    /// - Throws: ``XFTPErrorType``: `quota` if there is not enough room; `timeout`, after which clients try again, while too many uploads of the chunk
    ///   are under way.
    mutating func reserve(_ bytes: Int64, of id: EntityID, quota: Int64?) throws(XFTPErrorType) {
        guard uploads[id, default: 0] < Self.uploadsPerFile else { throw .timeout }
        guard quota.map({ usedBytes + bytes <= $0 }) ?? true else { throw .quota }
        reservedBytes += bytes
        uploads[id, default: 0] += 1
    }

    /// Reserves room for received bytes of a chunk.
    ///
    /// - Throws: ``XFTPErrorType`` `quota`.
    mutating func grow(_ bytes: Int64, quota: Int64?) throws(XFTPErrorType) {
        guard quota.map({ usedBytes + bytes <= $0 }) ?? true else { throw .quota }
        reservedBytes += bytes
    }

    /// Checks whether a chunk of this size would fit at present.
    func hasRoom(for bytes: Int64, quota: Int64?) -> Bool { quota.map { usedBytes + bytes <= $0 } ?? true }

    /// Ends an upload that ``reserve(_:of:quota:)`` has begun, and releases all of its reserved bytes.
    mutating func release(_ bytes: Int64, of id: EntityID) {
        reservedBytes -= bytes
        let left = (uploads[id] ?? 1) - 1
        uploads[id] = left > 0 ? left : nil
    }

    /// The number of chunks that are being uploaded.
    var uploadCount: Int { uploads.count }

    /// Checks whether a chunk is being uploaded.
    func isBeingUploaded(_ id: EntityID) -> Bool { uploads[id] != nil }

    /// Finds chunks that had expired before a time, at most `limit`.
    func expired(before time: Int64, limit: Int) -> [EntityID] {
        var ids: [EntityID] = []
        for (id, file) in files where file.created + Self.timeStep <= time {
            ids.append(id)
            if ids.count == limit { break }
        }
        return ids
    }

    /// Makes the records that recreate a chunk's present state; none if there is no such chunk.
    func records(of id: EntityID, recipientsPerRecord limit: Int = 200) -> [FileJournalRecord] {
        guard let file = files[id] else { return [] }
        let recipients = file.recipients.map { FileRecipient(id: $0.key, key: $0.value) }
        var records: [FileJournalRecord] = [.file(id: id, file.info, created: file.created, Array(recipients.prefix(limit)))]
        var start = limit
        while start < recipients.count {
            let end = min(start + limit, recipients.count)
            records.append(.recipients(of: id, Array(recipients[start..<end])))
            start = end
        }
        if file.isUploaded { records.append(.uploaded(id)) }
        if let info = file.blocked { records.append(.blocked(id, info)) }
        return records
    }
}
