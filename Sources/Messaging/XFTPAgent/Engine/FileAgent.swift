import AsyncPrimitives
package import Logging
package import NIOCore
import NIOPosix
package import SMPAgent
package import SMPClient
package import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import XFTPClient
package import XFTPProtocol

/// The agent that sends and receives files over file routers.
///
/// After a restart, transfers continue where they stopped. An outcome is announced again at every start until the transfer is removed.
package final class FileAgent: Sendable {
    /// A function that receives events. The transfer continues when the function returns.
    package typealias EventHandler = @Sendable (FileTransferEvent) async -> Void

    private struct State {
        var isStarted = false
        var isStopped = false
        var transfers: [FileTransferID: Task<Void, Never>] = [:]
        var deleting: Task<Void, Never>?
        var network: NetworkConfiguration
        /// True if the network has gone through a proxy since the start: only then can a download rely on a proxy.
        var hasUsedProxy: Bool

        init(_ network: NetworkConfiguration) {
            self.network = network
            hasUsedProxy = network.socksProxy != nil
        }
    }

    let store: FileTransferStore
    let configuration: FileAgentConfiguration
    let servers: any FileServerSource
    let sessions: FileSessions
    let statistics = FileStatisticsRegistry()
    let folder: WorkFolder
    let random: any RandomSource
    let now: @Sendable () -> Int64
    let clock: any Clock<Duration>
    let logger: Logger
    let announce: EventHandler
    /// Chunks of all files that are transferred at the same time.
    let permits: AsyncSemaphore
    /// A function of tests that ends a transfer where a kill of the process would.
    let step: @Sendable (FileStep) throws -> Void
    private let group: any EventLoopGroup
    private let state: Mutex<State>

    /// - Parameters:
    ///   - store: the agent's database, which must stay open until ``stop()`` has returned.
    ///   - now: the clock: seconds since 1970.
    /// - Throws: ``FileTransferError`` `network` if TLS is not available.
    package convenience init(
        _ configuration: FileAgentConfiguration, store: AgentStore, servers: any FileServerSource,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, random: any RandomSource = SystemRandomSource(),
        now: @escaping @Sendable () -> Int64, clock: any Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "xftp.agent"),
        onEvent: @escaping EventHandler
    ) throws(FileTransferError) {
        try self.init(
            configuration, store: store, servers: servers, group: group, random: random, now: now, clock: clock, logger: logger, step: { _ in },
            onEvent: onEvent)
    }

    init(
        _ configuration: FileAgentConfiguration, store: AgentStore, servers: any FileServerSource, group: any EventLoopGroup,
        random: any RandomSource, now: @escaping @Sendable () -> Int64, clock: any Clock<Duration>, logger: Logger,
        step: @escaping @Sendable (FileStep) throws -> Void, onEvent: @escaping EventHandler
    ) throws(FileTransferError) {
        self.configuration = configuration
        self.store = FileTransferStore(store: store)
        self.servers = servers
        self.random = random
        self.now = now
        self.clock = clock
        self.logger = logger
        self.step = step
        announce = onEvent
        folder = WorkFolder(path: configuration.folder)
        permits = AsyncSemaphore(limit: configuration.chunksOfAllFilesAtOnce)
        self.group = group
        state = Mutex(State(configuration.network))
        do throws(XFTPClientError) {
            sessions = FileSessions(try Self.connector(configuration.network, group, random), onConnection: configuration.onConnection)
        } catch {
            throw FileTransferError(.network, error.message)
        }
    }

    /// Continues all transfers, and removes files that belong to none.
    ///
    /// - Throws: ``FileTransferError`` `storage`, `file`.
    package func start() async throws(FileTransferError) {
        let (uploads, downloads) = try await reporting { (try await $0.uploads(), try await $0.downloads()) }
        do throws(FileFormatError) {
            try folder.make()
            try folder.removeAll(but: uploads + downloads)
        } catch {
            throw FileTransferError(.file, error.message)
        }
        state.withLock { ($0.isStarted, $0.isStopped) = (true, false) }
        for id in uploads { run(id) { await $0.runUpload(id) } }
        for id in downloads { run(id) { await $0.runDownload(id) } }
        deleteChunks()
    }

    /// Interrupts all transfers, which continue at the next ``start()``, and closes all connections.
    package func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            defer { state.transfers = [:] }
            return Array(state.transfers.values) + [state.deleting].compactMap { $0 }
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await sessions.close()
    }

    // MARK: Statistics

    /// Returns the state and counters of all file routers.
    package func serversSummary() async -> FileServersSummary {
        let (counts, requests) = statistics.all
        return FileServersSummary(statistics: counts, sessions: await sessions.states, requests: requests)
    }

    /// Resets the counters.
    package func resetServerStatistics() { statistics.reset() }

    // MARK: Sending

    /// Encrypts and uploads a file.
    ///
    /// - Parameters:
    ///   - source: the file, which must not change until the upload is complete.
    ///   - name: the name in the encrypted file, of which at most 255 bytes are kept.
    ///   - recipients: the number of recipients, 1 to 10,000; each gets a description of its own.
    ///   - id: the id of the upload; nil for a new one. An upload that has it already continues unchanged.
    /// - Returns: the id of the upload, which is on the disk.
    /// - Throws: ``FileTransferError``: `file`, `size`, `noServers`, `storage`.
    @discardableResult
    package func sendFile(
        user: Int64, _ source: LocalFile, name: String, recipients: Int = 1, as id: FileTransferID? = nil
    ) async throws(FileTransferError) -> FileTransferID {
        let id = id ?? newID()
        // The source may be gone by now.
        if try await isKnown(id) {
            run(id) { await $0.runUpload(id) }
            return id
        }
        let size: Int64
        do throws(FileFormatError) { size = try source.contentSize() } catch { throw FileTransferError(.file, error.message) }
        let record = try uploadRecord(id, user, source, ownsSource: false, name: name, recipients: recipients)
        guard FilePlan(header: Self.header(name), contentSize: size) != nil else {
            throw FileTransferError(.size, "the file has \(size) bytes, which is more than the maximum size of a file")
        }
        try await begin(record)
        return id
    }

    /// Uploads a description for recipients, who then need only the short description of the upload, which redirects to this one.
    ///
    /// - Parameters:
    ///   - description: the description for a recipient.
    ///   - id: the id of the upload; nil for a new one. An upload that has it already continues unchanged.
    /// - Throws: ``FileTransferError``.
    @discardableResult
    package func sendDescription(
        user: Int64, _ description: FileDescription, recipients: Int = 1, as id: FileTransferID? = nil
    ) async throws(FileTransferError) -> FileTransferID {
        let id = id ?? newID()
        if try await isKnown(id) {
            run(id) { await $0.runUpload(id) }
            return id
        }
        // The description contains keys: on this machine, its file is encrypted with a key that only the store has.
        let source = LocalFile(folder.description(id), key: LocalFile.Key.random(random))
        var record = try uploadRecord(id, user, source, ownsSource: true, name: "", recipients: recipients)
        record.asOneChunk = true
        record.redirect = .init(size: description.size, digest: description.digest)
        do throws(FileTransferError) {
            do throws(FileFormatError) {
                try folder.make(for: id)
                var writer = try LocalFileWriter(source, replaces: true)
                try writer.write(Bytes(description.text.utf8))
                try writer.finish()
            } catch {
                throw FileTransferError(.file, error.message)
            }
            try await begin(record)
        } catch {
            // If the store has failed, the caller repeats the request, or the next start removes the file.
            if error.code != .storage { removeFiles(id) }
            throw error
        }
        return id
    }

    private func uploadRecord(
        _ id: FileTransferID, _ user: Int64, _ source: LocalFile, ownsSource: Bool, name: String, recipients: Int
    ) throws(FileTransferError) -> UploadRecord {
        guard (1...10_000).contains(recipients) else { throw FileTransferError(.size, "a file has 1 to 10000 recipients, not \(recipients)") }
        return UploadRecord(
            id: id, user: user, source: source, ownsSource: ownsSource, name: name, recipients: recipients, key: BoxSecret.random(random),
            nonce: BoxNonce.random(random), asOneChunk: false, status: .new, created: now())
    }

    /// Checks whether a transfer has the id, for example because the process ended between the agent's commit and its caller's.
    private func isKnown(_ id: FileTransferID) async throws(FileTransferError) -> Bool {
        try await reporting { try await $0.isKnown(id) }
    }

    private func begin(_ record: UploadRecord) async throws(FileTransferError) {
        guard !(await servers.servers(of: record.user)).isEmpty else { throw FileTransferError(.noServers, "there is no file router to upload to") }
        try await reporting { try await $0.add(record) }
        run(record.id) { await $0.runUpload(record.id, record) }
    }

    /// Makes the header of a file with as many whole characters of its name as fit.
    static func header(_ name: String) -> FileHeader {
        var name = name
        while name.utf8.count > 255 { name.removeLast() }
        return FileHeader(name: name) ?? .unnamed
    }

    // MARK: Receiving

    /// Downloads and decrypts a file.
    ///
    /// - Parameters:
    ///   - description: the description for a recipient.
    ///   - target: the path, which must have no file, or an empty one that reserves the name. The file is encrypted if `target` has a key.
    ///   - approvesServers: whether routers that are not the user's may see this machine's address. Behind a proxy, they do not see it.
    ///   - id: the id of the download; nil for a new one. A download that has it already continues unchanged.
    /// - Returns: the id of the download, which is on the disk.
    /// - Throws: ``FileTransferError``: `notApproved`, `size`, `storage`.
    @discardableResult
    package func receiveFile(
        user: Int64, _ description: FileDescription, to target: LocalFile, approvesServers: Bool = false, as id: FileTransferID? = nil
    ) async throws(FileTransferError) -> FileTransferID {
        let id = id ?? newID()
        if try await isKnown(id) {
            run(id) { await $0.runDownload(id) }
            return id
        }
        let record = DownloadRecord(
            id: id, user: user, description: description, target: target, approvesServers: approvesServers, status: .receiving, created: now())
        try await check(description, record)
        try await reporting { try await $0.add(record) }
        run(record.id) { await $0.runDownload(record.id, record) }
        return record.id
    }

    // MARK: Removing

    /// Removes a transfer whose outcome is known, or which is no longer wanted. Uploaded chunks stay on the routers, and the received file stays
    /// at its path.
    ///
    /// - Throws: ``FileTransferError``: `storage`; `file` if a file of the transfer cannot be removed. The transfer is not removed then.
    package func remove(_ id: FileTransferID) async throws(FileTransferError) { try await remove(id, deletesRemotely: false) }

    /// Removes a transfer, and deletes its uploaded chunks from the routers.
    ///
    /// - Throws: ``FileTransferError``: `storage`, `file`, as ``remove(_:)``.
    package func delete(_ id: FileTransferID) async throws(FileTransferError) {
        try await remove(id, deletesRemotely: true)
        deleteChunks()
    }

    /// Deletes a file from the routers.
    ///
    /// - Parameter description: the description for the sender.
    /// - Throws: ``FileTransferError`` `storage`.
    package func deleteRemote(user: Int64, _ description: FileDescription) async throws(FileTransferError) {
        try await reporting { [now] in try await $0.addDeletions(description, user: user, now: now()) }
        deleteChunks()
    }

    private func remove(_ id: FileTransferID, deletesRemotely: Bool) async throws(FileTransferError) {
        let task = state.withLock { $0.transfers[id] }
        task?.cancel()
        await task?.value
        if let target = try await reporting({ try await $0.target(ofDownload: id) }) {
            do throws(FileFormatError) {
                let part = id.partPath(of: target.path)
                if target.isComplete { try DiskFile.remove(part) } else { try WorkFolder.discard(part, target.path) }
            } catch {
                throw FileTransferError(.file, error.message)
            }
        }
        try await reporting { [now] in try await $0.remove(id, deletesRemotely: deletesRemotely, now: now()) }
        removeFiles(id)
    }

    /// Removes the unneeded files of a transfer.
    func removeFiles(_ id: FileTransferID) {
        do throws(FileFormatError) { try folder.remove(id) } catch {
            // The next start removes the files.
            logger.warning("files of a transfer cannot be removed", metadata: ["reason": "\(error)"])
        }
    }

    /// Changes how routers are reached from now on.
    ///
    /// - Throws: ``FileTransferError`` `network` if TLS is not available.
    package func setNetwork(_ network: NetworkConfiguration) async throws(FileTransferError) {
        state.withLock { state in
            state.network = network
            if network.socksProxy != nil { state.hasUsedProxy = true }
        }
        do throws(XFTPClientError) {
            try await sessions.setConnector(Self.connector(network, group, random))
        } catch {
            throw FileTransferError(.network, error.message)
        }
    }

    /// Checks whether a router does not see this machine's address.
    func hidesAddress(from server: XFTPServerAddress) -> Bool { state.withLock { $0.network.hidesAddress(from: server) } }

    /// True if a download may have been allowed because a proxy hid this machine's address.
    var hasUsedProxy: Bool { state.withLock(\.hasUsedProxy) }

    private static func connector(
        _ network: NetworkConfiguration, _ group: any EventLoopGroup, _ random: any RandomSource
    ) throws(XFTPClientError) -> XFTPConnector {
        var client = XFTPClientConfiguration()
        client.network = network
        return try XFTPConnector(client, group: group, random: random)
    }

    // MARK: Tasks

    private func newID() -> FileTransferID { FileTransferID(random.bytes(16)) }

    private func run(_ id: FileTransferID, _ body: @escaping @Sendable (FileAgent) async -> Void) {
        state.withLock { state in
            guard state.isStarted, !state.isStopped, state.transfers[id] == nil else { return }
            state.transfers[id] = Task { [self] in
                await body(self)
                self.state.withLock { _ = $0.transfers.removeValue(forKey: id) }
            }
        }
    }

    private func deleteChunks() {
        state.withLock { state in
            guard state.isStarted, !state.isStopped else { return }
            let before = state.deleting
            state.deleting = Task { [self] in
                before?.cancel()
                await before?.value
                await runDeletions()
            }
        }
    }

    /// Runs an operation on the store, and converts its errors.
    ///
    /// - Throws: ``FileTransferError`` `storage`.
    func reporting<Value: Sendable>(
        _ body: @Sendable (FileTransferStore) async throws -> Value
    ) async throws(FileTransferError) -> Value {
        do {
            return try await body(store)
        } catch {
            throw FileTransferError(.storage, "the store has failed: \(error)")
        }
    }
}
