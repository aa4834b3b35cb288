package import Logging
package import NIOCore
import NIOPosix
package import RouterSupport
package import SMPCrypto
package import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import SystemSupport
import XFTPProtocol
import XFTPTransport

/// A file router (xftp.md): it keeps encrypted chunks of files until their recipients have downloaded them, or they expire.
///
/// A router can be embedded, many in one process, each with a data folder of its own. A chunk that it has accepted is not lost when the process is
/// killed or the machine loses power.
package final class FileRouter: Sendable {
    /// The address that clients use.
    package let address: XFTPServerAddress
    /// The port that is listened on.
    package let port: Int

    private let core: FileCore
    private let listener: RouterListener
    private let history: CounterStore<FileRouterStatistics.Counters>
    private let upkeep = Mutex<Task<Void, Never>?>(nil)

    private init(core: FileCore, listener: RouterListener, history: CounterStore<FileRouterStatistics.Counters>, address: XFTPServerAddress) {
        self.core = core
        self.listener = listener
        self.history = history
        self.address = address
        port = listener.port
    }

    /// Starts a router: replays its journal, creates its certificates if there are none, and listens.
    ///
    /// - Parameters:
    ///   - group: event loops for the connections.
    ///   - random: the source of ids and keys.
    ///   - now: the clock: seconds since 1970.
    /// - Throws: ``RouterError``.
    package static func start(
        _ configuration: FileRouterConfiguration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        random: any RandomSource = SystemRandomSource(), now: @escaping @Sendable () -> Int64 = RouterClock.now,
        logger: Logger = Logger(label: "xftp.router")
    ) async throws(RouterError) -> FileRouter {
        try configuration.validate()
        var fitting = configuration
        // Each request may have the file of its chunk open.
        (fitting.maximumConnections, fitting.maximumRequests) = OpenFiles.fit(
            connections: configuration.maximumConnections, besides: configuration.maximumRequests, isOperated: configuration.hasControl, logger)
        fitting.maximumRequests = max(1, fitting.maximumRequests)
        return try await start(
            fitting, on: try DiskStorage(folder: configuration.folder), group: group, random: random, now: now, logger: logger)
    }

    /// Starts a router with a journal in any storage.
    static func start(
        _ configuration: FileRouterConfiguration, on storage: any SegmentStorage, group: any EventLoopGroup, random: any RandomSource,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) async throws(RouterError) -> FileRouter {
        // The certificate is created before the journal: a folder with a journal had a certificate.
        let certificate = try RouterCertificate(.folder(configuration.folder), days: configuration.certificateDays, mayMake: try storage.list().isEmpty)
        let folder = try ChunkFolder(configuration.folder + "/files")
        var store = FileStore()
        let records = try RecordJournal<FileJournalRecord>.open(
            storage, durability: configuration.durability, segmentSize: configuration.segmentSize
        ) { store.apply($0.record) }
        if records.discardedTail > 0 {
            logger.notice("the end of the journal was torn", metadata: ["bytes": "\(records.discardedTail)"])
        }
        let (present, removed) = try folder.clean(expected: store.files.compactMapValues { $0.isUploaded ? $0.info.size : nil })
        if removed > 0 { logger.notice("files that no chunk needs were removed", metadata: ["files": "\(removed)"]) }
        let journal = FileJournal(records, configuration, logger: logger)
        let lost = store.files.filter { $0.value.isUploaded && !present.contains($0.key) }.map(\.key)
        for id in lost {
            store.apply(.deleted(id))
            _ = journal.append(.deleted(id))
        }
        if !lost.isEmpty { logger.error("accepted chunks are not on the disk any more", metadata: ["chunks": "\(lost.count)"]) }
        let core = FileCore(configuration, store: store, folder: folder, journal: journal, random: random, now: now, logger: logger)
        core.count(\.filesLost, UInt64(lost.count))
        do throws(RouterError) {
            let listener = try await listen(configuration, certificate, core, group)
            let address: XFTPServerAddress
            do throws(RouterError) {
                address = try Self.address(configuration, listener)
            } catch {
                await listener.stop()
                throw error
            }
            let router = FileRouter(
                core: core, listener: listener, history: CounterStore(.folder(configuration.folder), now: now(), logger), address: address)
            do throws(RouterError) {
                try await router.startEndpoints(group)
            } catch {
                await router.stop()
                throw error
            }
            router.startUpkeep()
            return router
        } catch {
            await journal.stop()
            throw error
        }
    }

    private static func listen(
        _ configuration: FileRouterConfiguration, _ certificate: RouterCertificate, _ core: FileCore, _ group: any EventLoopGroup
    ) async throws(RouterError) -> RouterListener {
        let versions = configuration.versions
        return try await RouterListener.start(configuration, certificate, logger: core.logger) { listening throws(ConnectionError) in
            var listening = listening
            listening.applicationProtocols = ["xftp/1"]
            listening.requestsClientCertificate = false
            return try await SMPTransportListener.start(listening, group: group) { error in
                core.logger.debug("a connection failed", metadata: ["reason": "\(error)"])
            } open: { channel, handshake in
                try HTTP2Connection.open(isClient: false, limits: .router)(channel, handshake)
            } onConnection: { connection, credential in
                guard let identity = certificate.identity(of: credential),
                    let handshake = try? XFTPServerHandshake(
                        versions: versions, sessionID: connection.handshake.sessionID, keyHash: identity.keyHash,
                        sessionKey: X25519.generateKeyPair(core.random).privateKey, certificateChain: identity.chain, leafKey: identity.leafKey)
                else { return connection.beginClosing() }
                let session = FileSession(core: core, connection: connection, handshake: handshake)
                Task { await session.run() }
            }
        }
    }

    private static func address(_ configuration: FileRouterConfiguration, _ listener: RouterListener) throws(RouterError) -> XFTPServerAddress {
        // The default port is left out.
        let port = listener.port == 443 ? nil : UInt16(listener.port)
        guard let address = XFTPServerAddress(hosts: try configuration.shownHosts(), port: port, keyHash: listener.keyHash) else {
            throw RouterError(.invalidConfiguration, "the router's address has too many hosts")
        }
        return address
    }

    private func startEndpoints(_ group: any EventLoopGroup) async throws(RouterError) {
        try await listener.openEndpoints(core.configuration, in: core.configuration.folder, group: group) { [weak self] line throws(ControlError) in
            guard let self else { throw ControlError("stopped", "the router has stopped") }
            return try await answer(line)
        } metrics: { [weak self] in
            self.map { $0.statistics.prometheus(at: $0.core.now()) } ?? ""
        }
    }

    private func startUpkeep() {
        let interval = core.configuration.expirySweepInterval
        let task = Task { [weak self] in
            var untilSweep = Duration.zero
            while !Task.isCancelled {
                guard let self else { return }
                if untilSweep <= .zero {
                    untilSweep = interval
                    await core.expire()
                    listener.watchCertificate()
                }
                if core.journal.needsClearing {
                    do throws(RouterError) { try await core.compact() } catch {
                        core.logger.error("the journal cannot be cleared", metadata: ["reason": "\(error)"])
                    }
                }
                _ = statistics
                if history.isSavingDue() { history.save() }
                try? await Task.sleep(for: min(interval, .seconds(1)))
                untilSweep -= min(interval, .seconds(1))
            }
        }
        upkeep.withLock { $0 = task }
    }

    /// Copies the journal into a folder, while the router continues. Chunks are separate files, and not copied.
    package func copyJournal(to folder: String) throws(RouterError) { try core.journal.copy(to: folder) }

    /// The address of the metrics endpoint; nil if there is none.
    package var metricsPort: Int? { listener.metricsPort }

    /// True while the router accepts nothing because the disk refuses writes.
    package var isStorageFailing: Bool { core.journal.failure != nil }

    /// The counters and the present load of the router.
    package var statistics: FileRouterStatistics {
        let (counters, files, uploaded, bytes) = core.shared.withLock { shared in
            (shared.counters, shared.store.files.count, shared.store.uploadedCount, shared.store.uploadedBytes)
        }
        var statistics = FileRouterStatistics(
            counted: history.summary(counters, on: UInt16(clamping: core.now() / 86_400)), started: history.started)
        statistics.connections = listener.connectionCount
        statistics.files = files
        statistics.uploadedFiles = uploaded
        statistics.bytes = bytes
        statistics.quota = core.configuration.quota
        statistics.journalBytes = core.journal.size
        statistics.certificateLifetime = listener.certificateLifetime
        statistics.storageFailure = core.journal.failure?.message
        return statistics
    }

    /// Uses a new certificate for new connections; existing connections stay. The identity, and therefore the address, stays the same.
    ///
    /// - Throws: ``RouterError`` `transport`; nothing changes then.
    package func renewCertificate() throws(RouterError) { try listener.renewCertificate() }

    /// Deletes expired chunks now. The router also does this every ``FileRouterConfiguration/expirySweepInterval``.
    package func expire() async { await core.expire() }

    /// Rewrites the journal without obsolete records. The router continues meanwhile.
    ///
    /// - Throws: ``RouterError`` `storage`, `stopped`.
    package func compact() async throws(RouterError) { try await core.compact() }

    var fileCore: FileCore { core }

    /// Stops listening, ends all connections and flushes the remaining records. Returns when this is done; may be called again.
    package func stop() async {
        upkeep.withLock { $0.take() }?.cancel()
        await listener.stop()
        await core.journal.stop()
        _ = statistics
        history.save()
        listener.stopped()
    }

    /// Returns when the router has been stopped.
    package func waitUntilStopped() async { await listener.waitUntilStopped() }
}
