import AsyncPrimitives
import Logging
import NIOPosix
import SMPClient
import SMPProtocol
import SMPWire
import XFTPClient
import XFTPProtocol

extension FileAgent {
    /// Runs a download until it is complete or has failed.
    ///
    /// - Parameter fresh: the record, if it has just been checked and stored.
    func runDownload(_ id: FileTransferID, _ fresh: DownloadRecord? = nil) async {
        var fresh = fresh
        var wait = configuration.retry.initial
        while !Task.isCancelled {
            do {
                return try await download(id, fresh.take())
            } catch is TransferInterrupted {
                return
            } catch {
                let failure = (error as? XFTPClientError).map(FileTransferError.init) ?? error as? FileTransferError
                guard let failure, failure.code != .storage else {
                    logger.error("a download waits for the store", metadata: ["reason": "\(error)"])
                    do { try await clock.sleep(for: wait) } catch { return }
                    wait = min(wait * 3 / 2, configuration.retry.maximum)
                    continue
                }
                do {
                    if let target = try await store.target(ofDownload: id), !target.isComplete {
                        // Repeated when the transfer is removed, if the disk refuses it now.
                        try? WorkFolder.discard(id.partPath(of: target.path), target.path)
                    }
                    try await store.setDownload(id, .failed, failure)
                    removeFiles(id)
                    return await announce(.downloadFailed(id, failure))
                } catch {
                    logger.error("a download has failed, which cannot be noted", metadata: ["reason": "\(error)"])
                }
            }
        }
    }

    private func download(_ id: FileTransferID, _ fresh: DownloadRecord?) async throws {
        var known = fresh
        if known == nil { known = try await reporting { try await $0.download(id) } }
        guard var record = known else { return }
        let part = id.partPath(of: record.target.path)
        switch record.status {
        case .failed: return await announce(.downloadFailed(id, record.failure ?? FileTransferError(.storage, "the download failed")))
        case .receiving:
            let isFresh = fresh != nil
            // The process may have ended after the file got its name; then the chunks may no longer be on any router.
            if isFresh || !WorkFolder.isKept(part, as: record.target.path) {
                if !isFresh { try await check(record.current, record) }
                if let redirect = record.description.redirect, record.redirected == nil {
                    record.redirected = try await withChunks(of: record, isFresh: isFresh) { [self, record] in try await follow(redirect, record, $0) }
                    removeFiles(id)
                    try await check(record.current, record)
                }
                try await withChunks(of: record, isFresh: isFresh) { [self, record] in try await keep(record, $0, part) }
            }
            try await reporting { try await $0.setDownload(id, .complete) }
            // The chunks are not acknowledged: a router forgets a recipient after an acknowledgement, and later members of a group get the same description.
            try pass(.downloadComplete)
        case .complete: break
        }
        try? DiskFile.remove(part)
        removeFiles(id)
        await announce(.downloadComplete(id, record.target, size: record.current.size))
    }

    /// - Throws: ``FileTransferError``: `notApproved`, `size`.
    func check(_ description: FileDescription, _ record: DownloadRecord) async throws(FileTransferError) {
        guard description.party == .recipient else { throw FileTransferError(.redirect, "the description is the sender's, not one for a recipient") }
        guard description.size <= XFTPLimits.hardFileSize,
            description.redirect.map({ $0.size <= XFTPLimits.hardFileSize }) ?? true
        else { throw FileTransferError(.size, "the file is larger than the maximum size of a file") }
        guard !record.approvesServers else { return }
        var unknown: [String] = []
        for server in Set(description.chunks.flatMap { $0.replicas.map(\.server) }) where !hidesAddress(from: server) {
            if !(await servers.isKnown(server, to: record.user)) { unknown.append(server.wireString) }
        }
        guard unknown.isEmpty else {
            throw FileTransferError(.notApproved, "the file is on routers that are not approved", servers: unknown.sorted())
        }
    }

    // MARK: Chunks

    /// Receives the chunks of the present description and passes them to a function.
    ///
    /// - Parameter isFresh: true if no earlier run can have left chunks.
    private func withChunks<Value: Sendable>(
        of record: DownloadRecord, isFresh: Bool, _ body: @escaping @Sendable (ReceivedChunks) async throws -> Value
    ) async throws -> Value {
        let description = record.current
        guard let chunk = description.chunks.first, description.chunks.count == 1, chunk.size <= FileCoding.smallChunk else {
            return try await body(.files(try await receiveChunks(record, isFresh: isFresh)))
        }
        // The chunk is used before its permit is released, so that memory holds no more small chunks than may be received at once.
        return try await receive(chunk, of: record) { [self] session, replica async throws(XFTPClientError) -> Result<Value, any Error> in
            let bytes = try await session.download(replica.id, key: replica.key, size: chunk.size, digest: chunk.digest)
            do {
                try pass(.received)
                return .success(try await body(.memory(bytes)))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Receives the missing chunks into files. The files are not flushed: a chunk that an earlier run has left is used if its digest is right.
    ///
    /// - Returns: the paths of all chunks.
    private func receiveChunks(_ record: DownloadRecord, isFresh: Bool) async throws -> [String] {
        let description = record.current
        let paths = description.chunks.map { folder.chunk($0.number, of: record.id, isRedirected: record.redirected != nil) }
        let missing = try await reportingFile { [self] in
            try await cancellable { [folder] isCancelled in
                try folder.make(for: record.id)
                return try zip(description.chunks, paths).filter { chunk, path in
                    guard !isCancelled() else { throw FileFormatError(.cancelled, "the download was cancelled") }
                    return isFresh || !FileCoding.hasDigest(chunk.digest, path, size: chunk.size)
                }
            }
        }
        let done = Progress(description.size - missing.reduce(0) { $0 + Int64($1.0.size) })
        // The progress of a redirect is not that of the file.
        let total = record.description.redirect != nil && record.redirected == nil ? nil : description.size
        if let total { await announce(.downloadProgress(record.id, received: done.value, total: total)) }
        try await inParallel(missing, atOnce: configuration.chunksAtOnce) { [self] chunk, path in
            try await receive(chunk, of: record) { session, replica throws(XFTPClientError) in
                try await session.download(replica.id, key: replica.key, to: path, size: chunk.size, digest: chunk.digest)
            }
            try pass(.received)
            let received = done.add(Int64(chunk.size))
            // The last chunk is announced with the outcome.
            if let total, received < total { await announce(.downloadProgress(record.id, received: received, total: total)) }
        }
        return paths
    }

    /// The maximum number of routers tried for a chunk. Descriptions of clients name one; a description with thousands would cause as many connections.
    private static let replicasTried = 8

    /// Requests a chunk from its routers, one after the other.
    private func receive<Value: Sendable>(
        _ chunk: FileDescription.Chunk, of record: DownloadRecord,
        _ body: @escaping @Sendable (XFTPSession, FileDescription.Replica) async throws(XFTPClientError) -> Value
    ) async throws -> Value {
        guard !chunk.replicas.isEmpty else { throw FileTransferError(.noFile, "chunk \(chunk.number) is on no router") }
        let replicas = chunk.replicas.prefix(Self.replicasTried)
        // The proxy that made the approval unnecessary may be switched off meanwhile.
        var hidden: Set<XFTPServerAddress> = []
        if !record.approvesServers, hasUsedProxy {
            for server in Set(replicas.map(\.server)) where !(await servers.isKnown(server, to: record.user)) { hidden.insert(server) }
        }
        return try await attempt(since: record.created, warn: { [self] in await announce(.downloadWarning(record.id, $0)) }) {
            [self, hidden] () throws(XFTPClientError) in
            var failure: XFTPClientError?
            for replica in replicas {
                do throws(XFTPClientError) {
                    let key = FileSessions.Key(user: record.user, server: replica.server)
                    let value = try await counted(
                        .downloadAttempts, .downloads, { $0.code == .protocol(.auth) ? .downloadAuthErrs : .downloadErrs }, key
                    ) { () throws(XFTPClientError) in
                        try await sessions.with(key, hidesAddress: hidden.contains(replica.server)) { session throws(XFTPClientError) in
                            try await body(session, replica)
                        }
                    }
                    statistics.add(.downloadsSize, key, Int64(chunk.size))
                    return value
                } catch {
                    if failure?.isTemporary != true { failure = error }
                }
            }
            throw failure ?? XFTPClientError(.invalidRequest, "the chunk is on no router")
        }
    }

    // MARK: Content

    /// Reads the description that was uploaded in place of the file, and stores it.
    private func follow(_ redirect: FileDescription.Redirect, _ record: DownloadRecord, _ chunks: ReceivedChunks) async throws -> FileDescription {
        let text = try await reportingFile { [self] in
            try await cancellable { isCancelled in
                var text = Bytes()
                try FileCoding.decrypt(record.current, chunks, isCancelled: isCancelled) { piece throws(FileFormatError) in
                    guard text.count + piece.count <= FileDescription.maximumTextLength else {
                        throw FileFormatError(.tooLarge, "the description that the redirect leads to is too large")
                    }
                    text += piece
                }
                return text
            }
        }
        guard let description = try? FileDescription(parsing: String(decoding: text, as: UTF8.self)), description.party == .recipient,
            description.redirect == nil
        else { throw FileTransferError(.redirect, "the redirect does not lead to a description") }
        guard description.size == redirect.size, description.digest == redirect.digest else {
            throw FileTransferError(.redirect, "the redirect leads to a file that is not the announced one")
        }
        try await reporting { try await $0.setRedirected(record.id, description) }
        try pass(.redirected)
        return description
    }

    /// Decrypts the file to a path beside its own, and then renames it.
    private func keep(_ record: DownloadRecord, _ chunks: ReceivedChunks, _ part: String) async throws {
        try await reportingFile { [self] in
            try await cancellable { [self] isCancelled in
                var writer = try LocalFileWriter(LocalFile(part, key: record.target.key), replaces: true)
                try FileCoding.decrypt(record.current, chunks, isCancelled: isCancelled) { piece throws(FileFormatError) in
                    try writer.write(piece)
                }
                try writer.finish()
                try pass(.decrypted)
                try WorkFolder.keep(part, as: record.target.path)
            }
        }
        try pass(.kept)
    }
}

extension FileTransferID {
    /// Returns the path to which a file is decrypted: beside its own, so that it can be renamed in one step.
    func partPath(of target: String) -> String { target + ".part-" + Base64URL.encode(Bytes(bytes.prefix(6)), padded: false) }
}
