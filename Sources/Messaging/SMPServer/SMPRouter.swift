package import Logging
package import NIOCore
import NIOPosix
package import RouterSupport
package import SMPCrypto
package import SMPProtocol
import SMPTransport
import SMPWire
import SystemSupport

/// A message router (simplex-messaging.md): it keeps queues of encrypted messages for recipients that are not connected.
///
/// A router can be embedded, many in one process, each with a data folder of its own. Data that it has answered `OK` to
/// survives a kill of the process.
package final class SMPRouter: Sendable {
    /// The address of the router for clients.
    package let address: SMPServerAddress
    /// The port that is listened on.
    package let port: Int

    let core: RouterCore
    private let listener: RouterListener
    private let worker: JournalWorker

    private init(core: RouterCore, listener: RouterListener, worker: JournalWorker, address: SMPServerAddress) {
        self.core = core
        self.listener = listener
        self.worker = worker
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
        _ configuration: RouterConfiguration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        random: any RandomSource = SystemRandomSource(), now: @escaping @Sendable () -> Int64 = RouterClock.now,
        logger: Logger = Logger(label: "smp.router")
    ) async throws(RouterError) -> SMPRouter {
        try configuration.validate()
        var configuration = configuration
        (configuration.maximumConnections, configuration.maximumRelays) = OpenFiles.fit(
            connections: configuration.maximumConnections, besides: configuration.maximumRelays, isOperated: configuration.hasControl, logger)
        let storage: any SegmentStorage =
            switch configuration.storage {
            case .folder(let folder): try DiskStorage(folder: folder)
            case .memory: MemoryStorage()
            }
        return try await start(configuration, on: storage, group: group, random: random, now: now, logger: logger)
    }

    /// Starts a router with a journal in any storage.
    static func start(
        _ configuration: RouterConfiguration, on storage: any SegmentStorage, group: any EventLoopGroup,
        random: any RandomSource, now: @escaping @Sendable () -> Int64, logger: Logger
    ) async throws(RouterError) -> SMPRouter {
        // The certificate is created before the journal: a folder with a journal had a certificate.
        let certificate = try RouterCertificate(configuration.storage, days: configuration.certificateDays, mayMake: try storage.list().isEmpty)
        let (journal, queues) = try Journal.open(
            storage, durability: configuration.durability, segmentSize: configuration.segmentSize)
        if journal.discardedTail > 0 {
            logger.notice("the end of the journal was torn", metadata: ["bytes": "\(journal.discardedTail)"])
        }
        let worker = JournalWorker(configuration)
        let core = RouterCore(
            journal: journal, state: RouterState(limits: configuration.limits, queues: queues),
            relays: try makeRelays(configuration, group, random), names: configuration.nameResolver.map { NameService($0, logger: logger) },
            limits: AddressLimits(creations: configuration.queuesPerAddressAndHour),
            history: StatisticsStore(configuration.storage, now: now(), logger),
            random: random, now: now, logger: logger, scheduleCommit: { worker.schedule() })
        // Reading the journal leaves free memory in small parts.
        Heap.trim()
        do throws(RouterError) {
            let listener = try await listen(configuration, certificate, core, group)
            let address: SMPServerAddress
            do throws(RouterError) {
                address = try Self.address(configuration, listener)
            } catch {
                await listener.stop()
                throw error
            }
            let router = SMPRouter(core: core, listener: listener, worker: worker, address: address)
            do throws(RouterError) {
                try await router.startEndpoints(configuration, group)
            } catch {
                await router.stop()
                throw error
            }
            worker.start(core) { [weak router] in router?.listener.watchCertificate() }
            return router
        } catch {
            await worker.stop()
            throw error
        }
    }

    private func startEndpoints(_ configuration: RouterConfiguration, _ group: any EventLoopGroup) async throws(RouterError) {
        let folder: String? = if case .folder(let folder) = configuration.storage { folder } else { nil }
        try await listener.openEndpoints(configuration, in: folder, group: group) { [weak self] line throws(ControlError) in
            guard let self else { throw ControlError("stopped", "the router has stopped") }
            return try await answer(line)
        } metrics: { [weak self] in
            self.map { Prometheus.text($0.statistics, at: $0.core.now()) } ?? ""
        }
    }

    /// The port of the metrics endpoint; nil if there is none.
    package var metricsPort: Int? { listener.metricsPort }

    private static func makeRelays(
        _ configuration: RouterConfiguration, _ group: any EventLoopGroup, _ random: any RandomSource
    ) throws(RouterError) -> RelayPool? {
        guard configuration.allowsProxying else { return nil }
        do {
            let addresses = RelayAddresses(
                allowsPrivate: configuration.allowsPrivateRelays ?? configuration.isLoopbackOnly, lookup: configuration.lookup)
            return RelayPool(
                client: try SMPTransportClient(group: group), group: group, addresses: addresses, random: random,
                basicAuth: configuration.basicAuth, capacity: configuration.maximumRelays, times: configuration.relayTimes)
        } catch {
            throw RouterError(.transport, "TLS is not available", cause: error)
        }
    }

    private static func listen(
        _ configuration: RouterConfiguration, _ certificate: RouterCertificate, _ core: RouterCore, _ group: any EventLoopGroup
    ) async throws(RouterError) -> RouterListener {
        let versions = configuration.versions
        let timeouts = RouterSession.Timeouts(
            handshake: TimeAmount(configuration.handshakeTimeout), idle: configuration.idleTimeout.map { TimeAmount($0) },
            stall: TimeAmount(configuration.stallTimeout))
        return try await RouterListener.start(configuration, certificate, logger: core.logger) { listening throws(ConnectionError) in
            try await SMPTransportListener.start(listening, group: group) { error in
                core.logger.debug("a connection failed", metadata: ["reason": "\(error)"])
            } onConnection: { connection, credential in
                guard let identity = certificate.identity(of: credential),
                    let handshake = identity.handshake(versions: versions, connection, random: core.random),
                    let session = core.open({ id in
                        RouterSession(id: id, core: core, connection: connection, handshake: handshake, timeouts: timeouts)
                    })
                else { return connection.beginClosing() }
                session.start()
            }
        }
    }

    private static func address(_ configuration: RouterConfiguration, _ listener: RouterListener) throws(RouterError) -> SMPServerAddress {
        // The default port is left out.
        let port = listener.port == 5223 ? nil : UInt16(listener.port)
        guard let address = SMPServerAddress(hosts: try configuration.shownHosts(), port: port, keyHash: listener.keyHash) else {
            throw RouterError(.invalidConfiguration, "the router's address has too many hosts")
        }
        return address
    }

    /// True while the router accepts nothing because the disk refuses writes.
    package var isStorageFailing: Bool { core.journal.failure != nil }

    /// The counters and the present load of the router.
    package var statistics: RouterStatistics {
        var statistics = core.statistics
        statistics.connections = listener.connectionCount
        statistics.certificateLifetime = listener.certificateLifetime
        return statistics
    }

    /// Stops listening, ends all sessions and flushes the remaining records. Returns when this is done; may be called again.
    package func stop() async {
        core.stop(RouterError(.stopped, "the router was stopped"))
        core.relays?.close()
        core.names?.close()
        await listener.stop()
        await worker.stop()
        listener.stopped()
    }

    /// Returns when the router has been stopped.
    package func waitUntilStopped() async { await listener.waitUntilStopped() }

    /// Rewrites the needed records of the journal of a stopped router, and removes the rest.
    ///
    /// - Returns: the bytes of the journal before and after.
    /// - Throws: ``RouterError``: `inUse` if the router runs, `storage` if the disk refuses writes. Nothing is lost then.
    package static func compact(
        _ configuration: RouterConfiguration, logger: Logger = Logger(label: "smp.router")
    ) async throws(RouterError) -> (before: Int, after: Int) {
        guard case .folder(let folder) = configuration.storage else { return (0, 0) }
        let (journal, queues) = try Journal.open(
            try DiskStorage(folder: folder), durability: configuration.durability, segmentSize: configuration.segmentSize)
        let worker = JournalWorker(configuration)
        let core = RouterCore(
            journal: journal, state: RouterState(limits: configuration.limits, queues: queues), relays: nil,
            limits: AddressLimits(creations: nil), history: StatisticsStore(configuration.storage, now: RouterClock.now(), logger),
            random: SystemRandomSource(),
            now: RouterClock.now, logger: logger, scheduleCommit: { worker.schedule() })
        let before = journal.size
        worker.start(core) {}
        let result: Result<Void, RouterError>
        do throws(RouterError) { result = .success(try await worker.clearAll()) } catch { result = .failure(error) }
        let after = journal.size
        await worker.stop()
        try result.get()
        return (before, after)
    }

    /// Uses a new certificate for new connections; existing connections stay. The identity, and therefore the address, stays the same.
    ///
    /// - Throws: ``RouterError`` `transport`, for instance because the key of the identity is kept elsewhere; nothing changes then.
    package func renewCertificate() throws(RouterError) { try listener.renewCertificate() }

    /// Rewrites the needed records of the journal, and removes the rest. The router continues meanwhile.
    ///
    /// - Throws: ``RouterError``: `storage` if the disk refuses writes; the work continues when it accepts them again. `corrupted`, `stopped`.
    package func compact() async throws(RouterError) { try await worker.clearAll() }

    /// Copies the journal into a folder, while the router continues.
    package func copyJournal(to folder: String) throws(RouterError) { try core.journal.copy(to: folder) }

    /// Deletes old messages and idle queues now. The router also does this every ``RouterConfiguration/expirySweepInterval``.
    package func expire() async { await worker.expireAll() }
}
