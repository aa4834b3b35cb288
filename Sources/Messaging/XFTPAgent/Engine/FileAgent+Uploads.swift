import AsyncPrimitives
import Logging
import NIOPosix
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPClient
import XFTPProtocol

extension FileAgent {
    /// The maximum number of announcements of a chunk whose router has forgotten it.
    private static let announcements = 3

    /// Runs an upload until it is complete or has failed.
    ///
    /// - Parameter fresh: the record, if it has just been stored.
    func runUpload(_ id: FileTransferID, _ fresh: UploadRecord? = nil) async {
        var fresh = fresh
        var wait = configuration.retry.initial
        while !Task.isCancelled {
            do {
                return try await upload(id, fresh.take())
            } catch is TransferInterrupted {
                return
            } catch {
                let failure = (error as? XFTPClientError).map(FileTransferError.init) ?? error as? FileTransferError
                guard let failure, failure.code != .storage else {
                    // The disk fails, so that a failure could not be stored either: the upload is tried again.
                    logger.error("an upload waits for the store", metadata: ["reason": "\(error)"])
                    do { try await clock.sleep(for: wait) } catch { return }
                    wait = min(wait * 3 / 2, configuration.retry.maximum)
                    continue
                }
                do {
                    try await store.setFailed(upload: id, failure)
                    removeFiles(id)
                    return await announce(.uploadFailed(id, failure))
                } catch {
                    logger.error("an upload has failed, which cannot be noted", metadata: ["reason": "\(error)"])
                }
            }
        }
    }

    private func upload(_ id: FileTransferID, _ fresh: UploadRecord?) async throws {
        var known = fresh
        if known == nil { known = try await reporting { try await $0.upload(id) } }
        guard var record = known else { return }
        switch record.status {
        case .new: try await encrypt(&record)
        case .encrypted: try await restore(record)
        case .complete, .failed: break
        }
        if record.status == .encrypted {
            try await uploadChunks(record)
            try pass(.uploadComplete)
            guard let complete = try await reporting({ try await $0.upload(id) }) else { return }
            record = complete
        }
        if record.status == .failed {
            return await announce(.uploadFailed(id, record.failure ?? FileTransferError(.storage, "the upload failed")))
        }
        removeFiles(id)
        guard let (sender, recipients) = record.descriptions else { throw FileTransferError(.file, "the upload has no chunks") }
        await announce(.uploadComplete(id, sender: sender, recipients: recipients))
    }

    /// Encrypts the file and stores its digests. The encrypted file is not flushed: it is created again if it is lost.
    private func encrypt(_ record: inout UploadRecord) async throws {
        let (plan, digest, chunks) = try await reportingFile { [record, folder] in
            try await cancellable { isCancelled in
                let plan = try record.plan(contentSize: try record.source.contentSize())
                let (digest, chunks) = try folder.encrypt(record, plan, isCancelled)
                return (plan, digest, chunks)
            }
        }
        try pass(.encrypted)
        var offset: Int64 = 0
        for (index, (size, digest)) in zip(plan.chunks, chunks).enumerated() {
            record.chunks.append(.init(number: index + 1, offset: offset, size: size, digest: digest))
            offset += Int64(size)
        }
        record.encrypted = (plan.encryptedSize, digest)
        record.status = .encrypted
        try await reporting { [record] in try await $0.setEncrypted(record.id, size: plan.encryptedSize, digest: digest, record.chunks) }
    }

    /// Creates the encrypted file again if a loss of power has lost it.
    private func restore(_ record: UploadRecord) async throws {
        let missing = record.chunks.filter { !$0.isUploaded }
        guard !missing.isEmpty, record.smallChunk == nil else { return }
        try await reportingFile { [folder] in
            try await cancellable { isCancelled in
                let path = folder.encrypted(record.id)
                if missing.allSatisfy({ FileCoding.hasDigest($0.digest, path, offset: $0.offset, size: $0.size) }) { return }
                let plan = try record.plan(contentSize: try record.source.contentSize())
                guard try folder.encrypt(record, plan, isCancelled).digest == record.encrypted?.digest else { throw FileCoding.changed(record.source) }
            }
        }
    }

    private func uploadChunks(_ record: UploadRecord) async throws {
        let missing = record.chunks.filter { !$0.isUploaded }
        guard !missing.isEmpty else { return try await reporting { try await $0.setComplete(record.id) } }
        let total = record.encrypted?.size ?? 0
        let done = Progress(total - missing.reduce(0) { $0 + Int64($1.size) })
        await announce(.uploadProgress(record.id, sent: done.value, total: total))
        try await inParallel(missing, atOnce: configuration.chunksAtOnce) { [self] chunk in
            try await upload(chunk, of: record)
            let sent = done.add(Int64(chunk.size))
            // The last chunk is announced with the outcome.
            if sent < total { await announce(.uploadProgress(record.id, sent: sent, total: total)) }
        }
    }

    /// Returns the bytes of a chunk: a part of the encrypted file, or a small chunk that is encrypted now.
    private func source(of chunk: UploadRecord.Chunk, _ record: UploadRecord) async throws(XFTPClientError) -> ChunkSource {
        do {
            guard record.smallChunk != nil else {
                return try ChunkSource(path: folder.encrypted(record.id), offset: chunk.offset, size: chunk.size)
            }
            return try await cancellable { isCancelled in
                let plan = try record.plan(contentSize: try record.source.contentSize())
                return ChunkSource(
                    try FileCoding.encrypt(record.source, plan, key: record.key, nonce: record.nonce, digest: chunk.digest, isCancelled: isCancelled))
            }
        } catch let error as FileFormatError {
            throw error.code == .cancelled ? XFTPClientError(.cancelled, error.message) : XFTPClientError(.file(error.code), error.message)
        } catch {
            throw XFTPClientError(.cancelled, "the upload was cancelled", cause: error)
        }
    }

    private func upload(_ chunk: UploadRecord.Chunk, of record: UploadRecord) async throws {
        let warn: @Sendable (FileTransferError) async -> Void = { [self] in await announce(.uploadWarning(record.id, $0)) }
        var replica = chunk.replica
        for attempt in 1...Self.announcements {
            let known: UploadRecord.Chunk.Replica
            if let replica {
                known = replica
            } else {
                known = try await announceChunk(chunk, of: record, warn)
                try pass(.announced)
                try await reporting { try await $0.setReplica(known, of: chunk.number, in: record.id) }
            }
            do {
                try await self.attempt(since: record.created, warn: warn) { () throws(XFTPClientError) in
                    let source = try await source(of: chunk, record)
                    let router = FileServerKey(user: record.user, server: known.server)
                    try await counted(.uploadAttempts, .uploads, { _ in .uploadErrs }, router) { () throws(XFTPClientError) in
                        try await sessions.with(router) { session throws(XFTPClientError) in
                            try await session.upload(source, to: known.id, key: known.key)
                        }
                    }
                    statistics.add(.uploadsSize, router, Int64(chunk.size))
                }
                try pass(.uploaded)
                return try await reporting { try await $0.setUploaded(chunk.number, in: record.id) }
            } catch let error as XFTPClientError where error.code == .protocol(.auth) && attempt < Self.announcements {
                // The router has forgotten the chunk: it expired before it was uploaded.
                try await reporting { try await $0.setReplica(nil, of: chunk.number, in: record.id) }
                replica = nil
            }
        }
    }

    /// Announces a chunk on the first of the user's routers that accepts it.
    private func announceChunk(
        _ chunk: UploadRecord.Chunk, of record: UploadRecord, _ warn: @Sendable (FileTransferError) async -> Void
    ) async throws -> UploadRecord.Chunk.Replica {
        try await attempt(since: record.created, warn: warn) { [self] () throws(XFTPClientError) in
            let candidates = await servers.servers(of: record.user)
            guard !candidates.isEmpty else { throw XFTPClientError(.network(.failed), "there is no file router to upload to") }
            let start = Int(random.bytes(1).first ?? 0) % candidates.count
            var failure: XFTPClientError?
            for index in candidates.indices {
                do throws(XFTPClientError) {
                    return try await announceChunk(chunk, of: record, on: candidates[(start + index) % candidates.count])
                } catch {
                    // A router that may accept it later is worth waiting for.
                    if failure?.isTemporary != true { failure = error }
                }
            }
            throw failure ?? XFTPClientError(.network(.failed), "there is no file router to upload to")
        }
    }

    private func announceChunk(
        _ chunk: UploadRecord.Chunk, of record: UploadRecord, on server: XFTPServerWithAuth
    ) async throws(XFTPClientError) -> UploadRecord.Chunk.Replica {
        let key = newKey()
        let keys = (0..<record.recipients).map { _ in newKey() }
        return try await sessions.with(.init(user: record.user, server: server.server)) { session throws(XFTPClientError) in
            let first = keys.prefix(XFTPLimits.recipientsPerCommand)
            let (id, ids) = try await session.create(
                key: key, size: chunk.size, digest: chunk.digest, recipients: first.map(\.publicKey), basicAuth: server.basicAuth)
            var recipients = ids
            while recipients.count < keys.count {
                let next = keys[recipients.count..<min(recipients.count + XFTPLimits.recipientsPerCommand, keys.count)]
                recipients += try await session.add(recipients: next.map(\.publicKey), to: id, key: key)
            }
            return .init(server: server.server, id: id, key: key, recipients: Array(zip(recipients, keys)).map { (id: $0.0, key: $0.1) })
        }
    }

    func newKey() -> PrivateAuthKey { .ed25519(Ed25519.generateKeyPair(random).privateKey) }
}

extension UploadRecord {
    /// Divides the file into chunks.
    ///
    /// - Throws: ``FileTransferError`` `size`.
    fileprivate func plan(contentSize: Int64) throws -> FilePlan {
        guard let plan = FilePlan(header: FileAgent.header(name), contentSize: contentSize, asOneChunk: asOneChunk) else {
            throw FileTransferError(.size, "the file has \(contentSize) bytes, which is more than the maximum size of a file")
        }
        return plan
    }

    /// The only chunk of the file, if it is small enough to be encrypted in memory for each upload.
    fileprivate var smallChunk: Chunk? { chunks.count == 1 ? chunks.first { $0.size <= FileCoding.smallChunk } : nil }

    /// The descriptions for the sender and the recipients; nil if a chunk is not announced to all recipients.
    fileprivate var descriptions: (sender: FileDescription, recipients: [FileDescription])? {
        guard let encrypted, let size = chunks.first?.size, chunks.allSatisfy({ $0.replica?.recipients.count == recipients }) else { return nil }
        func description(_ party: FileDescription.Party, _ replica: (Chunk.Replica) -> FileDescription.Replica) -> FileDescription {
            FileDescription(
                party: party, size: encrypted.size, digest: encrypted.digest, key: key, nonce: nonce, chunkSize: size,
                chunks: chunks.map { chunk in
                    .init(number: chunk.number, size: chunk.size, digest: chunk.digest, replicas: chunk.replica.map { [replica($0)] } ?? [])
                }, redirect: redirect)
        }
        let sender = description(.sender) { .init(server: $0.server, id: $0.id, key: $0.key) }
        let received = (0..<recipients).map { index in
            description(.recipient) { .init(server: $0.server, id: $0.recipients[index].id, key: $0.recipients[index].key) }
        }
        return (sender, received)
    }
}

extension WorkFolder {
    /// Encrypts the file of an upload into the folder. For a file with one small chunk, this only computes the digests.
    fileprivate func encrypt(_ record: UploadRecord, _ plan: FilePlan, _ isCancelled: () -> Bool) throws -> (digest: Bytes, chunks: [Bytes]) {
        guard plan.chunks.count > 1 || plan.chunks.contains(where: { $0 > FileCoding.smallChunk }) else {
            return try FileCoding.encrypt(record.source, plan, key: record.key, nonce: record.nonce, isCancelled: isCancelled) { _ in }
        }
        try make(for: record.id)
        let file = try DiskFile.create(encrypted(record.id), replaces: true)
        return try FileCoding.encrypt(record.source, plan, key: record.key, nonce: record.nonce, isCancelled: isCancelled) { piece throws(FileFormatError) in
            try file.write(piece)
        }
    }
}
