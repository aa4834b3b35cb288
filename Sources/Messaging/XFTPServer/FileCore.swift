import AsyncPrimitives
import Logging
import NIOPosix
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import Synchronization
import SystemSupport
import XFTPProtocol

/// The state of a file router, and what its commands do to it.
final class FileCore: Sendable {
    typealias Counters = FileRouterStatistics.Counters

    struct Shared {
        var store: FileStore
        var counters = Counters()
        /// Up to where the journal must be durable before anything may be answered that rests on the state.
        var changed: UInt64 = 0
        /// Deleted and blocked chunks whose bytes may still be on the disk.
        var remains: Set<EntityID> = []
    }

    let configuration: FileRouterConfiguration
    let folder: ChunkFolder
    let journal: FileJournal
    let limits: AddressLimits
    /// The number of recipients that addresses may add.
    private let recipientLimits: AddressLimits
    private let downloads: KeyedSemaphore<NetworkPrefix>?
    let random: any RandomSource
    let now: @Sendable () -> Int64
    let logger: Logger
    let shared: Mutex<Shared>

    init(
        _ configuration: FileRouterConfiguration, store: FileStore, folder: ChunkFolder, journal: FileJournal, random: any RandomSource,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.configuration = configuration
        self.folder = folder
        self.journal = journal
        self.random = random
        self.now = now
        self.logger = logger
        limits = AddressLimits(queues: configuration.filesPerAddressAndHour)
        recipientLimits = AddressLimits(queues: configuration.filesPerAddressAndHour.map { $0 * FileStore.recipientsPerFile })
        downloads = configuration.downloadsPerAddress.map { KeyedSemaphore(limit: $0) }
        shared = Mutex(Shared(store: store))
    }

    func count(_ counter: any WritableKeyPath<Counters, UInt64> & Sendable, _ number: UInt64 = 1) {
        shared.withLock { $0.counters[keyPath: counter] &+= number }
    }

    // MARK: Changing the state

    /// Decides on a change with the state locked, writes it down and makes it durable.
    ///
    /// - Parameter decide: gives the answer, and the records of the change.
    private func change(_ decide: (inout Shared) throws(XFTPErrorType) -> (XFTPResponse, [FileJournalRecord])) async throws(XFTPErrorType) -> XFTPResponse {
        // While the disk refuses what it is given, nothing changes.
        guard journal.failure == nil else { throw .fileIO }
        let (response, end) = try shared.withLock { shared in
            Result { () throws(XFTPErrorType) in
                let (response, records) = try decide(&shared)
                var end: UInt64?
                for record in records {
                    shared.store.apply(record)
                    let position = journal.append(record)
                    if record.mustBeSynchronized { end = position }
                }
                if let end { shared.changed = end }
                return (response, end)
            }
        }.get()
        FailPoint.routerExecuted.pass()
        if let end {
            guard await journal.isDurable(end) else { throw .fileIO }
        } else {
            journal.schedule()
        }
        return response
    }

    /// The error to answer with once all is durable that it may rest on, such as the deletion of the chunk that was asked for: after a loss of power a
    /// change that was not durable has not been made.
    func settled(_ error: XFTPErrorType) async -> XFTPErrorType {
        await journal.isDurable(shared.withLock(\.changed)) ? error : .fileIO
    }

    private func newID(_ store: FileStore) -> EntityID {
        while true {
            let id = EntityID(random.bytes(EntityID.length))
            if !store.isTaken(id) { return id }
        }
    }

    // MARK: Commands

    /// `FNEW`.
    func create(
        _ info: FileInfo, _ keys: [PublicAuthKey], _ basicAuth: BasicAuth?, from prefix: NetworkPrefix?
    ) async throws(XFTPErrorType) -> XFTPResponse {
        guard configuration.allowsNewFiles, configuration.basicAuth == nil || configuration.basicAuth == basicAuth else {
            count(\.authorizationFailures)
            throw .auth
        }
        guard ChunkPlan.sizes.contains(info.size) else { throw .size }
        guard limits.mayCreateQueue(prefix), recipientLimits.mayCreateQueues(keys.count, prefix) else {
            count(\.uploadsOverQuota)
            throw .quota
        }
        return try await change { shared throws(XFTPErrorType) in
            guard shared.store.files.count < configuration.maximumFiles, keys.count <= configuration.maximumRecipients else {
                shared.counters.uploadsOverQuota &+= 1
                throw .quota
            }
            let id = newID(shared.store)
            let recipients = keys.map { FileRecipient(id: newID(shared.store), key: $0) }
            let created = now() / FileStore.timeStep * FileStore.timeStep
            shared.counters.filesCreated &+= 1
            shared.counters.recipientsAdded &+= UInt64(keys.count)
            return (.senderIDs(id, recipients: recipients.map(\.id)), [.file(id: id, info, created: created, recipients)])
        }
    }

    /// `FADD`.
    func add(_ keys: [PublicAuthKey], to id: EntityID, from prefix: NetworkPrefix?) async throws(XFTPErrorType) -> XFTPResponse {
        guard recipientLimits.mayCreateQueues(keys.count, prefix) else {
            count(\.uploadsOverQuota)
            throw .quota
        }
        return try await change { shared throws(XFTPErrorType) in
            guard let file = shared.store.file(sender: id) else { throw .auth }
            guard file.recipients.count + keys.count <= configuration.maximumRecipients,
                shared.store.recipientCount + keys.count <= configuration.maximumFiles * FileStore.recipientsPerFile
            else {
                shared.counters.uploadsOverQuota &+= 1
                throw .quota
            }
            let recipients = keys.map { FileRecipient(id: newID(shared.store), key: $0) }
            shared.counters.recipientsAdded &+= UInt64(keys.count)
            return (.recipientIDs(recipients.map(\.id)), [.recipients(of: id, recipients)])
        }
    }

    /// `FDEL`, or the operator's deletion.
    func delete(_ id: EntityID) async throws(XFTPErrorType) -> XFTPResponse {
        let response = try await change { shared throws(XFTPErrorType) in
            guard shared.store.file(sender: id) != nil else { throw .auth }
            shared.counters.filesDeleted &+= 1
            shared.remains.insert(id)
            return (.ok, [.deleted(id)])
        }
        await removeChunk(id)
        return response
    }

    /// `FACK`.
    func acknowledge(_ recipient: EntityID) async throws(XFTPErrorType) -> XFTPResponse {
        try await change { shared throws(XFTPErrorType) in
            shared.counters.downloadsAcknowledged &+= 1
            return (.ok, [.acknowledged(recipient: recipient)])
        }
    }

    /// Makes a chunk unavailable, and removes its bytes. Its record stays until its time is over, so that clients are told.
    func block(_ id: EntityID, _ info: BlockingInfo) async throws(XFTPErrorType) {
        _ = try await change { shared throws(XFTPErrorType) in
            guard shared.store.file(sender: id) != nil else { throw .auth }
            shared.counters.filesBlocked &+= 1
            shared.remains.insert(id)
            return (.ok, [.blocked(id, info)])
        }
        await removeChunk(id)
    }

    private func removeChunk(_ id: EntityID) async {
        do {
            try await onThread { [folder] in try folder.remove(id) }
            shared.withLock { _ = $0.remains.remove(id) }
        } catch {
            // The next search for expired chunks tries again, and the next start.
            logger.error("a chunk cannot be removed", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Uploads

    /// The beginning of an upload.
    enum Upload {
        case new(ChunkWriter)
        /// The chunk was uploaded before: what comes is not looked at.
        case known
    }

    /// `FPUT`: keeps room for the chunk. What is returned as new must be given to ``finish(_:_:_:)`` or ``abandon(_:_:_:)``.
    func begin(_ id: EntityID, _ file: StoredFile) async throws(XFTPErrorType) -> Upload {
        guard journal.failure == nil else { throw .fileIO }
        guard !file.isUploaded else {
            // The record of it may still wait for the disk.
            guard await journal.isDurable(shared.withLock { $0.changed }) else { throw .fileIO }
            return .known
        }
        let size = file.info.size
        try shared.withLock { shared in
            Result { () throws(XFTPErrorType) in
                do throws(XFTPErrorType) {
                    try shared.store.reserve(Int64(size), of: id, quota: configuration.quota)
                } catch {
                    shared.counters.uploadsOverQuota &+= 1
                    throw error
                }
            }
        }.get()
        do {
            let path = folder.temporaryPath(for: id)
            return .new(try await onThread { try ChunkWriter(path: path, size: size) })
        } catch {
            logger.error("a chunk cannot be written", metadata: ["reason": "\(error)"])
            abandon(nil, id, size)
            throw .fileIO
        }
    }

    /// Accepts an uploaded chunk: it has its final name on the disk before the journal says that it is there.
    func finish(_ id: EntityID, _ info: FileInfo, _ writer: ChunkWriter) async throws(XFTPErrorType) -> XFTPResponse {
        do {
            try await onThread { [folder] in
                try writer.finish(digest: info.digest)
                try folder.keep(writer.path, as: id)
            }
        } catch {
            abandon(writer, id, info.size)
            if !(error is XFTPErrorType) { logger.error("a chunk cannot be written", metadata: ["reason": "\(error)"]) }
            throw error as? XFTPErrorType ?? .fileIO
        }
        do throws(XFTPErrorType) {
            let response = try await change { shared throws(XFTPErrorType) in
                // It may have been deleted or blocked meanwhile.
                guard let file = shared.store.file(sender: id), file.blocked == nil else { throw .auth }
                if !file.isUploaded {
                    shared.counters.filesUploaded &+= 1
                    shared.counters.bytesUploaded &+= UInt64(info.size)
                }
                return (.ok, [.uploaded(id)])
            }
            shared.withLock { $0.store.release(Int64(info.size), of: id) }
            return response
        } catch {
            release(id, info.size)
            throw error
        }
    }

    /// Forgets an upload that did not come to its end.
    func abandon(_ writer: ChunkWriter?, _ id: EntityID, _ size: UInt32) {
        writer?.discard()
        count(\.uploadsRefused)
        release(id, size)
    }

    /// Releases what an upload has reserved, and removes a chunk that got its name and was not accepted.
    ///
    /// The file is removed with the state locked: another upload of the same chunk may begin at any time, and must not lose its file.
    private func release(_ id: EntityID, _ size: UInt32) {
        shared.withLock { shared in
            shared.store.release(Int64(size), of: id)
            guard shared.store.file(sender: id)?.isUploaded != true, !shared.store.isBeingUploaded(id) else { return }
            do throws(FileFormatError) { try folder.remove(id) } catch {
                // The next upload replaces it, and the next start removes it.
                logger.error("a chunk cannot be removed", metadata: ["reason": "\(error)"])
            }
        }
    }

    // MARK: Downloads

    /// Runs a download when an address has no more of them under way than it may. Until then, it holds neither memory nor a file.
    ///
    /// - Parameter prefix: nil for this machine itself, whose downloads do not wait.
    func download<Value>(from prefix: NetworkPrefix?, _ body: () async throws -> Value) async throws -> Value {
        guard let prefix, let downloads else { return try await body() }
        return try await downloads.withPermit(prefix, body)
    }

    /// `FGET`.
    func download(_ id: EntityID, _ file: StoredFile, for key: X25519.PublicKey) async throws(XFTPErrorType) -> (XFTPResponse, ChunkReader) {
        guard file.isUploaded else { throw .noFile }
        let pair = X25519.generateKeyPair(random)
        guard let secret = try? BoxSecret(pair.privateKey, with: key) else { throw .command(.syntax) }
        let nonce = BoxNonce.random(SystemRandomSource())
        do {
            let path = folder.path(of: id)
            let reader = try await onThread { try ChunkReader(path: path, size: file.info.size, secret: secret, nonce: nonce) }
            return (.file(pair.publicKey, nonce), reader)
        } catch {
            // Deleted meanwhile, gone, or refused by the disk at present.
            guard shared.withLock({ $0.store.file(sender: id)?.isUploaded == true }) else { throw .auth }
            guard (error as? FileFormatError)?.isMissing == true else {
                logger.error("a chunk cannot be read", metadata: ["reason": "\(error)"])
                throw .fileIO
            }
            count(\.filesLost)
            logger.error("a chunk is not on the disk any more", metadata: ["reason": "\(error)"])
            throw .auth
        }
    }

    // MARK: Upkeep

    /// Deletes chunks whose time is over.
    func expire() async {
        await removeRemains()
        guard let lifetime = configuration.fileLifetime?.components.seconds, journal.failure == nil else { return }
        while true {
            let time = now() - lifetime
            let (expired, end) = shared.withLock { shared -> ([EntityID], UInt64?) in
                let expired = shared.store.expired(before: time, limit: 1_000)
                var end: UInt64?
                for id in expired {
                    shared.store.apply(.deleted(id))
                    end = journal.append(.deleted(id))
                }
                if let end { shared.changed = end }
                shared.remains.formUnion(expired)
                shared.counters.filesExpired &+= UInt64(expired.count)
                return (expired, end)
            }
            guard let end else { return }
            // A chunk that is gone while the journal has it would seem lost.
            guard await journal.isDurable(end) else { return }
            for id in expired { await removeChunk(id) }
        }
    }

    /// Removes the bytes that could not be removed with their chunks, because the disk refused that or what says that they may go.
    private func removeRemains() async {
        let (remains, end) = shared.withLock { ($0.remains, $0.changed) }
        guard !remains.isEmpty, await journal.isDurable(end) else { return }
        for id in remains { await removeChunk(id) }
    }

    /// Writes the journal anew without what is not needed.
    ///
    /// - Throws: ``RouterError`` `storage`.
    func compact() async throws(RouterError) {
        try await journal.clear { [self] begin throws(RouterError) in
            try shared.withLock { shared in
                Result { () throws(RouterError) in
                    let start = try begin()
                    for record in shared.store.records() { _ = journal.append(record) }
                    return start
                }
            }.get()
        }
    }

    func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(body)
    }
}
