public import Logging
public import NIOCore
public import NIOPosix
public import SMPCrypto
public import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// A message router (simplex-messaging.md): it keeps queues of encrypted messages for those who cannot be reached.
///
/// A router can be embedded, many in one process, each with a data folder of its own. What it has answered `OK` to is
/// not lost when the process is killed.
public final class SMPRouter: Sendable {
    /// Where clients find the router.
    public let address: SMPServerAddress
    /// The port that is listened on.
    public let port: Int

    private let core: RouterCore
    private let listener: SMPTransportListener
    private let keeper: JournalKeeper
    private let ending: Ending

    private init(
        core: RouterCore, listener: SMPTransportListener, keeper: JournalKeeper, ending: Ending, address: SMPServerAddress
    ) {
        self.core = core
        self.listener = listener
        self.keeper = keeper
        self.ending = ending
        self.address = address
        port = listener.port
    }

    /// Starts a router: reads what it remembers, makes its certificates if there are none, and listens.
    ///
    /// - Parameters:
    ///   - group: event loops for the connections.
    ///   - random: makes ids and keys.
    ///   - now: seconds since 1970.
    /// - Throws: ``RouterError``.
    public static func start(
        _ configuration: RouterConfiguration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        random: any RandomSource = SystemRandomSource(), now: @escaping @Sendable () -> Int64 = RouterClock.now,
        logger: Logger = Logger(label: "smp.router")
    ) async throws(RouterError) -> SMPRouter {
        try configuration.validate()
        let storage: any SegmentStorage =
            switch configuration.storage {
            case .folder(let folder): try DiskStorage(folder: folder)
            case .memory: MemoryStorage()
            }
        return try await start(configuration, on: storage, group: group, random: random, now: now, logger: logger)
    }

    /// Starts a router on a storage of its own kind.
    static func start(
        _ configuration: RouterConfiguration, on storage: any SegmentStorage, group: any EventLoopGroup,
        random: any RandomSource, now: @escaping @Sendable () -> Int64, logger: Logger
    ) async throws(RouterError) -> SMPRouter {
        let credential = try makeCredential(configuration.storage)
        let (journal, queues) = try Journal.open(
            storage, durability: configuration.durability, segmentSize: configuration.segmentSize)
        if journal.discardedTail > 0 {
            logger.notice("the end of the journal was torn", metadata: ["bytes": "\(journal.discardedTail)"])
        }
        let keeper = JournalKeeper(configuration)
        let core = RouterCore(
            journal: journal, state: RouterState(limits: configuration.limits, queues: queues),
            relays: try makeRelays(configuration, group, random), random: random, now: now, logger: logger,
            scheduleCommit: { keeper.schedule() })
        do {
            let identity = try RouterIdentity(credential)
            let listener = try await listen(configuration, credential, identity, core, group)
            let address = try address(configuration, identity.keyHash, port: listener.port)
            let ending = Ending()
            keeper.start(core)
            return SMPRouter(core: core, listener: listener, keeper: keeper, ending: ending, address: address)
        } catch {
            await keeper.stop()
            throw error
        }
    }

    private static func makeRelays(
        _ configuration: RouterConfiguration, _ group: any EventLoopGroup, _ random: any RandomSource
    ) throws(RouterError) -> RelayPool? {
        guard configuration.allowsProxying else { return nil }
        do {
            return RelayPool(
                client: try SMPTransportClient(group: group), random: random, basicAuth: configuration.basicAuth,
                capacity: configuration.maximumRelays)
        } catch {
            throw RouterError(.transport, "TLS is not available", cause: error)
        }
    }

    private static func makeCredential(_ storage: RouterConfiguration.Storage) throws(RouterError) -> ServerCredential {
        do throws(ConnectionError) {
            switch storage {
            case .folder(let folder): return try ServerCredential.loadOrGenerate(in: folder)
            case .memory: return try ServerCredential.generate()
            }
        } catch {
            throw RouterError(.transport, "the router's certificates cannot be used", cause: error)
        }
    }

    private static func listen(
        _ configuration: RouterConfiguration, _ credential: ServerCredential, _ identity: RouterIdentity, _ core: RouterCore,
        _ group: any EventLoopGroup
    ) async throws(RouterError) -> SMPTransportListener {
        var listening = SMPTransportListener.Configuration(credential: credential)
        listening.host = configuration.host
        listening.port = configuration.port
        listening.handshakeTimeout = configuration.handshakeTimeout
        listening.maximumConnections = configuration.maximumConnections
        let versions = configuration.versions
        let handshakeTimeout = TimeAmount(configuration.handshakeTimeout)
        let idleTimeout = configuration.idleTimeout.map { TimeAmount($0) }
        do {
            return try await SMPTransportListener.start(listening, group: group) { error in
                core.logger.debug("a connection failed", metadata: ["reason": "\(error)"])
            } onConnection: { connection in
                guard let handshake = identity.handshake(versions: versions, connection, random: core.random),
                    let session = core.open({ id in
                        RouterSession(id: id, core: core, connection: connection, handshake: handshake)
                    })
                else { return connection.beginClosing() }
                session.start(handshakeTimeout: handshakeTimeout, idleTimeout: idleTimeout)
            }
        } catch {
            guard (error.cause as? IOError)?.errnoCode == EADDRINUSE else {
                throw RouterError(.transport, "the router cannot listen", cause: error)
            }
            throw RouterError(
                .addressInUse,
                "something else listens on \(configuration.host):\(configuration.port) already: stop it, or choose another port")
        }
    }

    private static func address(
        _ configuration: RouterConfiguration, _ keyHash: KeyHash, port: Int
    ) throws(RouterError) -> SMPServerAddress {
        var hosts = configuration.advertisedHosts
        if hosts.isEmpty {
            let isAll = ["0.0.0.0", "::", ""].contains(configuration.host)
            guard let host = try? TransportHost(parsing: isAll ? "127.0.0.1" : configuration.host) else {
                throw RouterError(.invalidConfiguration, "\(configuration.host) is not the name of a host")
            }
            hosts = [host]
        }
        // The default port is left out.
        guard let address = SMPServerAddress(hosts: hosts, port: port == 5223 ? nil : UInt16(port), keyHash: keyHash) else {
            throw RouterError(.invalidConfiguration, "the router's address has too many hosts")
        }
        return address
    }

    /// What the router has done and what it holds.
    public var statistics: RouterStatistics { core.statistics }

    /// Stops listening, ends all sessions and makes durable what is left. Returns when all is done; may be called again.
    public func stop() async {
        core.stop(RouterError(.stopped, "the router was stopped"))
        core.relays?.close()
        await listener.close()
        await keeper.stop()
        ending.finish()
    }

    /// Returns when the router has been stopped.
    public func waitUntilStopped() async { await ending.wait() }

    /// Writes anew what is needed of the journal, and removes the rest. The router goes on meanwhile.
    public func compact() async { await keeper.clearAll() }
}

/// What all handshakes of a router share.
private struct RouterIdentity: Sendable {
    let keyHash: KeyHash
    private let chain: [Bytes]
    private let leafKey: PrivateAuthKey

    init(_ credential: ServerCredential) throws(RouterError) {
        keyHash = KeyHash(credential.fingerprint)
        chain = credential.chain
        do {
            leafKey = try credential.leafKey()
        } catch {
            throw RouterError(.transport, "the router's certificate cannot sign", cause: error)
        }
    }

    /// nil if the client did not negotiate the protocol and none that it may speak is offered.
    func handshake(versions: VersionRange, _ connection: SMPConnection, random: any RandomSource) -> SMPServerHandshake? {
        try? SMPServerHandshake(
            versions: versions, hasALPN: connection.handshake.applicationProtocol != nil, sessionID: connection.sessionID,
            keyHash: keyHash, sessionKey: X25519.generateKeyPair(random).privateKey, certificateChain: chain, leafKey: leafKey)
    }
}

/// The end of a router, waited for by whoever wants to know.
private final class Ending: Sendable {
    private enum State {
        case running([CheckedContinuation<Void, Never>])
        case ended
    }

    private let state = Mutex(State.running([]))

    func finish() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .running(let waiters) = state else { return [] }
            state = .ended
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state -> Bool in
                guard case .running(let waiters) = state else { return true }
                state = .running(waiters + [continuation])
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }
}
