import AsyncPrimitives
import Logging
import RouterSupport
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import XFTPProtocol

// Uploads: `FPUT` and the chunk that follows it.

extension FileCore {
    /// The beginning of an upload.
    enum Upload {
        case new(ChunkUpload)
        /// The chunk was uploaded before: the new bytes are ignored.
        case known
    }

    /// Runs an upload as soon as the address has fewer than its maximum of uploads. A waiting upload holds neither room nor a file.
    ///
    /// - Parameter prefix: the network prefix of the client; nil for this machine, whose uploads do not wait.
    func upload<Value>(from prefix: NetworkPrefix?, _ body: () async throws -> Value) async throws -> Value {
        guard let prefix else { return try await body() }
        return try await uploads.withPermit(prefix, body)
    }

    /// `FPUT`: begins an upload. A new one must be passed to ``finish(_:)`` or ``abandon(_:)``.
    func begin(_ id: EntityID, _ file: StoredFile) async throws(XFTPErrorType) -> Upload {
        guard journal.failure == nil else { throw .fileIO }
        guard !file.isUploaded else {
            // The record of the upload may still wait for the disk.
            guard await journal.isDurable(shared.withLock { $0.changed }) else { throw .fileIO }
            return .known
        }
        try shared.withLock { shared in
            Result { () throws(XFTPErrorType) in
                do throws(XFTPErrorType) {
                    guard shared.store.hasRoom(for: Int64(file.info.size), quota: configuration.quota) else { throw .quota }
                    try shared.store.reserve(0, of: id, quota: nil)
                } catch {
                    shared.counters.uploadsOverQuota &+= 1
                    throw error
                }
            }
        }.get()
        return .new(ChunkUpload(id, file.info))
    }

    /// Writes the next bytes of a chunk. Only received bytes take room, so that an announced upload that sends nothing blocks nobody.
    func write(_ piece: Bytes, _ upload: ChunkUpload) async throws {
        try shared.withLock { shared in
            Result { () throws(XFTPErrorType) in
                do throws(XFTPErrorType) {
                    try shared.store.grow(Int64(piece.count), quota: configuration.quota)
                } catch {
                    shared.counters.uploadsOverQuota &+= 1
                    throw error
                }
                upload.note(reserved: Int64(piece.count))
            }
        }.get()
        do {
            try await onThread { [folder] in try upload.openWriter { folder.temporaryPath(for: upload.id) }.write(piece) }
        } catch let error as XFTPErrorType {
            throw error
        } catch {
            logger.error("a chunk cannot be written", metadata: ["reason": "\(error)"])
            throw XFTPErrorType.fileIO
        }
    }

    /// Accepts an uploaded chunk. It has its final name on the disk before the journal records it.
    func finish(_ upload: ChunkUpload) async throws(XFTPErrorType) -> XFTPResponse {
        let (id, info) = (upload.id, upload.info)
        do {
            guard let writer = upload.writer else { throw XFTPErrorType.size }
            try await onThread { [folder] in
                try writer.finish(digest: info.digest)
                try folder.keep(writer.path, as: id)
            }
        } catch {
            abandon(upload)
            if !(error is XFTPErrorType) { logger.error("a chunk cannot be written", metadata: ["reason": "\(error)"]) }
            throw error as? XFTPErrorType ?? .fileIO
        }
        do throws(XFTPErrorType) {
            let response = try await change { shared throws(XFTPErrorType) in
                // The chunk may have been deleted or blocked meanwhile.
                guard let file = shared.store.file(sender: id), file.blocked == nil else { throw .auth }
                if !file.isUploaded {
                    shared.counters.filesUploaded &+= 1
                    shared.counters.bytesUploaded &+= UInt64(info.size)
                }
                return (.ok, [.uploaded(id)])
            }
            shared.withLock { $0.store.release(upload.reserved, of: id) }
            return response
        } catch {
            release(upload)
            throw error
        }
    }

    /// Discards an incomplete upload.
    func abandon(_ upload: ChunkUpload) {
        upload.writer?.discard()
        count(\.uploadsRefused)
        release(upload)
    }

    /// Releases the reservation of an upload, and removes a chunk that has its final name and was not accepted.
    ///
    /// The file is removed with the state locked: another upload of the same chunk may begin at any time, and must not lose its file.
    private func release(_ upload: ChunkUpload) {
        let id = upload.id
        shared.withLock { shared in
            shared.store.release(upload.reserved, of: id)
            guard shared.store.file(sender: id)?.isUploaded != true, !shared.store.isBeingUploaded(id) else { return }
            do throws(FileFormatError) { try folder.remove(id) } catch {
                // The next upload replaces the file, and the next start removes it.
                logger.error("a chunk cannot be removed", metadata: ["reason": "\(error)"])
            }
        }
    }
}
