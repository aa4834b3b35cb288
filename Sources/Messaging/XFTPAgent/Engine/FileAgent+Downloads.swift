import Logging
import NIOPosix
import SMPClient
import SMPProtocol
import SMPWire
import XFTPClient
import XFTPProtocol

extension FileAgent {
    /// Brings a download to its end.
    func runDownload(_ id: FileTransferID) async {
        var wait = configuration.retry.initial
        while !Task.isCancelled {
            do {
                return try await download(id)
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
                    if let record = try await store.download(id), record.status != .complete {
                        // Removed again with the transfer, if the disk refuses it now.
                        try? WorkFolder.discard(record.partPath, record.target.path)
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

    private func download(_ id: FileTransferID) async throws {
        guard var record = try await reporting({ try await $0.download(id) }) else { return }
        switch record.status {
        case .failed: return await announce(.downloadFailed(id, record.failure ?? FileTransferError(.storage, "the download failed")))
        case .receiving:
            try await check(record.current, record)
            try await receiveChunks(record)
            if let redirect = record.description.redirect, record.redirected == nil {
                try await follow(redirect, record)
                guard let redirected = try await reporting({ try await $0.download(id) }) else { return }
                record = redirected
                try await check(record.current, record)
                try await receiveChunks(record)
            }
            try await keep(record)
            try await reporting { try await $0.setDownload(id, .complete) }
            // The chunks are not acknowledged: a router forgets a recipient that does, and who joins a group later is given the same description.
            try pass(.downloadComplete)
        case .complete: break
        }
        try? DiskFile.remove(record.partPath)
        removeFiles(id)
        await announce(.downloadComplete(id, record.target))
    }

    /// - Throws: ``FileTransferError``: `notApproved`, `size`.
    func check(_ description: FileDescription, _ record: DownloadRecord) async throws(FileTransferError) {
        guard description.party == .recipient else { throw FileTransferError(.redirect, "the description is the sender's, not one for a recipient") }
        guard description.size <= XFTPLimits.hardFileSize,
            description.redirect.map({ $0.size <= XFTPLimits.hardFileSize }) ?? true
        else { throw FileTransferError(.size, "the file is larger than files can be") }
        guard !record.approvesServers else { return }
        var unknown: [String] = []
        for server in Set(description.chunks.flatMap { $0.replicas.map(\.server) }) {
            if !(await servers.isKnown(server, to: record.user)) { unknown.append(server.wireString) }
        }
        guard unknown.isEmpty else {
            throw FileTransferError(.notApproved, "the file is on routers that are not approved", servers: unknown.sorted())
        }
    }

    // MARK: Chunks

    private func receiveChunks(_ record: DownloadRecord) async throws {
        let (folder, description) = (folder, record.current)
        let isRedirected = record.redirected != nil
        do throws(FileFormatError) { try folder.make(for: record.id) } catch { throw FileTransferError(.file, error.message) }
        func isReceived(_ chunk: FileDescription.Chunk) -> Bool {
            let path = folder.chunk(chunk.number, of: record.id, isRedirected: isRedirected)
            return record.received.contains(chunk.number) && (try? LocalFile(path).contentSize()) == Int64(chunk.size)
        }
        let missing = description.chunks.filter { !isReceived($0) }
        let done = Progress(description.size - missing.reduce(0) { $0 + Int64($1.size) })
        // The progress of a redirect is not that of the file.
        let total = record.description.redirect != nil && !isRedirected ? nil : description.size
        if let total { await announce(.downloadProgress(record.id, received: done.value, total: total)) }
        try await inParallel(missing, atOnce: configuration.chunksAtOnce) { [self] chunk in
            try await receive(chunk, of: record, to: folder.chunk(chunk.number, of: record.id, isRedirected: isRedirected))
            let received = done.add(Int64(chunk.size))
            if let total { await announce(.downloadProgress(record.id, received: received, total: total)) }
        }
    }

    private func receive(_ chunk: FileDescription.Chunk, of record: DownloadRecord, to path: String) async throws {
        guard !chunk.replicas.isEmpty else { throw FileTransferError(.noFile, "chunk \(chunk.number) is on no router") }
        try await attempt(since: record.created, warn: { [self] in await announce(.downloadWarning(record.id, $0)) }) {
            [sessions] () throws(XFTPClientError) in
            var failure: XFTPClientError?
            for replica in chunk.replicas {
                do throws(XFTPClientError) {
                    return try await sessions.with(.init(user: record.user, server: replica.server)) { session throws(XFTPClientError) in
                        try await session.download(replica.id, key: replica.key, to: path, size: chunk.size, digest: chunk.digest)
                    }
                } catch {
                    if failure?.isTemporary != true { failure = error }
                }
            }
            throw failure ?? XFTPClientError(.invalidRequest, "the chunk is on no router")
        }
        try pass(.received)
        try await reporting { try await $0.setReceived(chunk.number, in: record.id) }
    }

    // MARK: Content

    private func paths(_ record: DownloadRecord) -> [String] {
        record.current.chunks.map { folder.chunk($0.number, of: record.id, isRedirected: record.redirected != nil) }
    }

    /// Reads the description that was uploaded in place of the file.
    private func follow(_ redirect: FileDescription.Redirect, _ record: DownloadRecord) async throws {
        let paths = paths(record)
        let text = try await reportingFile { [self] in
            try await cancellable { isCancelled in
                var text = Bytes()
                try FileCoding.decrypt(record.current, chunks: paths, isCancelled: isCancelled) { piece throws(FileFormatError) in
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
        else { throw FileTransferError(.redirect, "the redirect leads to something else than a description") }
        guard description.size == redirect.size, description.digest == redirect.digest else {
            throw FileTransferError(.redirect, "the redirect leads to another file than was announced")
        }
        try await reporting { try await $0.setRedirected(record.id, description) }
        try pass(.redirected)
        for path in paths { try? DiskFile.remove(path) }
    }

    /// Decrypts the file beside its path, and then names it.
    private func keep(_ record: DownloadRecord) async throws {
        let (paths, part) = (paths(record), record.partPath)
        try await reportingFile { [self] in
            try await cancellable { isCancelled in
                guard !WorkFolder.isKept(part, as: record.target.path) else { return }
                var writer = try LocalFileWriter(LocalFile(part, key: record.target.key), replaces: true)
                try FileCoding.decrypt(record.current, chunks: paths, isCancelled: isCancelled) { piece throws(FileFormatError) in
                    try writer.write(piece)
                }
                try writer.finish()
            }
        }
        try pass(.decrypted)
        try await reportingFile { [self] in try await cancellable { _ in try WorkFolder.keep(part, as: record.target.path) } }
        try pass(.kept)
    }

    private func reportingFile<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as FileFormatError {
            throw error.code == .cancelled ? TransferInterrupted() : FileTransferError(.file, error.message)
        }
    }
}

extension DownloadRecord {
    /// The path to which the file is decrypted: beside its own, so that it can be renamed in one step.
    var partPath: String { target.path + ".part-" + Base64URL.encode(Bytes(id.bytes.prefix(6)), padded: false) }
}
