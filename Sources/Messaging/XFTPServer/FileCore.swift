import AsyncPrimitives
import Logging
import NIOPosix
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import SystemSupport
import XFTPProtocol

/// The state of a file router, and the execution of its commands.
final class FileCore: Sendable {
    typealias Counters = FileRouterStatistics.Counters

    struct Shared {
        var store: FileStore
        var counters = Counters()
        /// The position up to which the journal must be durable before an answer that depends on the state.
        var changed: UInt64 = 0
        /// Deleted and blocked chunks whose bytes may still be on the disk.
        var remains: Set<EntityID> = []
    }

    let configuration: FileRouterConfiguration
    let folder: ChunkFolder
    let journal: FileJournal
    let limits: FileLimits
    let uploads = KeyedSemaphore<NetworkPrefix>(limit: FileLimits.uploadsPerAddress)
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
        limits = FileLimits(configuration)
        downloads = configuration.downloadsPerAddress.map { KeyedSemaphore(limit: $0) }
        shared = Mutex(Shared(store: store))
    }

    func count(_ counter: any WritableKeyPath<Counters, UInt64> & Sendable, _ number: UInt64 = 1) {
        shared.withLock { $0.counters[keyPath: counter] &+= number }
    }

    // MARK: Changing the state

    /// Decides on a change with the state locked, records it and makes it durable.
    ///
    /// - Parameter decide: returns the answer, and the records of the change.
    func change(_ decide: (inout Shared) throws(XFTPErrorType) -> (XFTPResponse, [FileJournalRecord])) async throws(XFTPErrorType) -> XFTPResponse {
        // While the disk refuses writes, nothing changes.
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

    /// Returns the error to answer with, when all changes that it may depend on are durable, such as the deletion of the requested chunk: a loss of
    /// power undoes a change that was not durable.
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

    /// Checks whether a client with a password, or without one, may announce chunks.
    func accepts(_ basicAuth: BasicAuth?) -> Bool { configuration.basicAuth == nil || configuration.basicAuth == basicAuth }

    /// `FNEW`: announces a chunk of a client that passed ``accepts(_:)``.
    func create(_ info: FileInfo, _ keys: [PublicAuthKey], from prefix: NetworkPrefix?) async throws(XFTPErrorType) -> XFTPResponse {
        guard ChunkPlan.sizes.contains(info.size) else { throw .size }
        guard limits.mayCreateFile(recipients: keys.count, prefix) else {
            count(\.uploadsOverQuota)
            throw .quota
        }
        return try await change { shared throws(XFTPErrorType) in
            guard shared.store.files.count < configuration.maximumFiles, keys.count <= configuration.maximumRecipients, hasRoom(keys.count, shared) else {
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

    /// Checks whether there is room for more recipients.
    private func hasRoom(_ recipients: Int, _ shared: Shared) -> Bool {
        shared.store.recipientCount + recipients <= configuration.maximumRecipientsInTotal
    }

    /// `FADD`: adds recipients to a chunk.
    func add(_ keys: [PublicAuthKey], to id: EntityID, from prefix: NetworkPrefix?) async throws(XFTPErrorType) -> XFTPResponse {
        guard limits.mayAddRecipients(keys.count, prefix) else {
            count(\.uploadsOverQuota)
            throw .quota
        }
        return try await change { shared throws(XFTPErrorType) in
            guard let file = shared.store.file(sender: id) else { throw .auth }
            guard file.recipients.count + keys.count <= configuration.maximumRecipients, hasRoom(keys.count, shared) else {
                shared.counters.uploadsOverQuota &+= 1
                throw .quota
            }
            let recipients = keys.map { FileRecipient(id: newID(shared.store), key: $0) }
            shared.counters.recipientsAdded &+= UInt64(keys.count)
            return (.recipientIDs(recipients.map(\.id)), [.recipients(of: id, recipients)])
        }
    }

    /// `FDEL`, or a deletion by the operator: deletes a chunk.
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

    /// `FACK`: ends the right of a recipient to a chunk.
    func acknowledge(_ recipient: EntityID) async throws(XFTPErrorType) -> XFTPResponse {
        try await change { shared throws(XFTPErrorType) in
            shared.counters.downloadsAcknowledged &+= 1
            return (.ok, [.acknowledged(recipient: recipient)])
        }
    }

    /// Makes a chunk unavailable, and removes its bytes. Its record stays until it expires, so that clients get the reason.
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

    // MARK: Downloads

    /// Runs a download as soon as the address has fewer than its maximum of downloads. A waiting download holds neither memory nor a file.
    ///
    /// - Parameter prefix: the network prefix of the client; nil for this machine, whose downloads do not wait.
    func download<Value>(from prefix: NetworkPrefix?, _ body: () async throws -> Value) async throws -> Value {
        guard let prefix, let downloads else { return try await body() }
        return try await downloads.withPermit(prefix, body)
    }

    /// `FGET`: begins the download of a chunk.
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
            // The chunk was deleted meanwhile, is missing, or the disk refuses it at present.
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

    /// Deletes expired chunks.
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
            // A missing chunk that is still in the journal would look lost.
            guard await journal.isDurable(end) else { return }
            for id in expired { await removeChunk(id) }
        }
    }

    /// Removes the bytes of deleted chunks that were left because the disk refused their removal or the record of the deletion.
    private func removeRemains() async {
        let (remains, end) = shared.withLock { ($0.remains, $0.changed) }
        guard !remains.isEmpty, await journal.isDurable(end) else { return }
        for id in remains { await removeChunk(id) }
    }

    /// Recipients whose records are written at a time, with the state locked; one chunk may have more.
    private static let compactionStep = 1_000

    /// Rewrites the journal without obsolete records.
    ///
    /// The state is locked for a few chunks at a time, and their records are written before the next ones: a full router has a gigabyte of records. A
    /// change meanwhile may be recorded before or after the copied records of its chunk, because each record can be applied again.
    ///
    /// - Throws: ``RouterError`` `storage`.
    func compact() async throws(RouterError) {
        let left = Mutex<ArraySlice<EntityID>?>(nil)
        try await journal.clear { [self] in
            shared.withLock { shared in
                var ids = left.withLock { $0.take() } ?? Array(shared.store.files.keys)[...]
                var recipients = 0
                while recipients < Self.compactionStep, let id = ids.popFirst() {
                    let records = shared.store.records(of: id)
                    for record in records { _ = journal.append(record) }
                    recipients += 1 + (shared.store.file(sender: id)?.recipients.count ?? 0)
                }
                let isDone = ids.isEmpty
                left.withLock { [ids] in $0 = ids }
                return isDone
            }
        }
    }

    func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(body)
    }
}
