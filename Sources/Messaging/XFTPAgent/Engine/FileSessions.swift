import SMPAgent
import SMPProtocol
import XFTPClient

/// The sessions with file routers, one for each user and router, created when they are needed.
///
/// The author of a description can name thousands of routers. If more than ``maximumUnused`` sessions are unused, the least recently used one is
/// closed.
actor FileSessions {
    /// The maximum number of unused sessions that are kept open.
    static let maximumUnused = 32

    /// The maximum number of routers whose failed last connection attempt is remembered.
    static let maximumFailed = 256

    typealias Key = FileServerKey

    private typealias Connecting = Task<Result<XFTPSession, XFTPClientError>, Never>

    private struct Entry {
        let connecting: Connecting
        /// The number of calls that use the session at present.
        var users = 0
        /// A number that grows with each use.
        var lastUse: UInt64 = 0
        var isConnected = false
    }

    private let onConnection: @Sendable (XFTPServerAddress, Bool) -> Void
    private var failed: Set<Key> = []
    private var connector: XFTPConnector
    private var sessions: [Key: Entry] = [:]
    private var uses: UInt64 = 0

    init(_ connector: XFTPConnector, onConnection: @escaping @Sendable (XFTPServerAddress, Bool) -> Void = { _, _ in }) {
        self.connector = connector
        self.onConnection = onConnection
    }

    /// Connections with each router, by their state.
    var states: [Key: SessionCounts] {
        var states: [Key: SessionCounts] = [:]
        for (key, entry) in sessions {
            if entry.isConnected { states[key, default: SessionCounts()].connected += 1 } else { states[key, default: SessionCounts()].connecting += 1 }
        }
        for key in failed where sessions[key] == nil { states[key, default: SessionCounts()].failed += 1 }
        return states
    }

    /// Runs a request on a session. Removes the session if it cannot be used afterwards.
    ///
    /// - Parameter hidesAddress: whether the router must not see this machine's address.
    /// - Throws: ``XFTPClientError``; `visibleAddress` without a request to the router.
    func with<Value: Sendable>(
        _ key: Key, hidesAddress: Bool = false, _ body: @Sendable (XFTPSession) async throws(XFTPClientError) -> Value
    ) async throws(XFTPClientError) -> Value {
        let (session, connecting) = try await session(key, hidesAddress: hidesAddress)
        do throws(XFTPClientError) {
            let value = try await body(session)
            await endUse(key, connecting)
            return value
        } catch {
            await endUse(key, connecting)
            if error.endsSession || !session.isOpen { await forget(key, session) }
            // Closing the session lets other callers' requests on it come to their end; it accepts no new ones.
            if error.endsSession { await session.close() }
            throw error
        }
    }

    /// The number of sessions, including those that are being created.
    var count: Int { sessions.count }

    /// The number of calls that use a session or wait for one, for tests.
    var useCount: Int { sessions.values.reduce(0) { $0 + $1.users } }

    /// Checks the address on this actor, where the connector is replaced: all present sessions were created by the present connector.
    private func checkAddress(_ key: Key, _ hidesAddress: Bool) throws(XFTPClientError) {
        guard !hidesAddress || connector.hidesAddress(from: key.server) else {
            throw XFTPClientError(.visibleAddress, "a router that is not approved would see this machine's address")
        }
    }

    /// Begins the use of a session. ``endUse(_:_:)`` must follow.
    private func session(_ key: Key, hidesAddress: Bool) async throws(XFTPClientError) -> (XFTPSession, Connecting) {
        try checkAddress(key, hidesAddress)
        if let known = sessions[key]?.connecting {
            beginUse(key)
            if case .success(let session) = await known.value, session.isOpen { return (session, known) }
            // Another caller may have replaced the session meanwhile.
            if sessions[key]?.connecting == known { sessions[key] = nil }
            // The connector may have been replaced during the wait, too.
            try checkAddress(key, hidesAddress)
        }
        if let newer = sessions[key]?.connecting { return try await result(of: newer, key) }
        let connecting = Connecting { [connector, onConnection] in
            do throws(XFTPClientError) {
                return .success(try await Self.connect(connector, key, onConnection))
            } catch {
                return .failure(error)
            }
        }
        sessions[key] = Entry(connecting: connecting)
        return try await result(of: connecting, key)
    }

    private func result(of connecting: Connecting, _ key: Key) async throws(XFTPClientError) -> (XFTPSession, Connecting) {
        beginUse(key)
        let result = await connecting.value
        if sessions[key]?.connecting == connecting {
            switch result {
            case .success:
                sessions[key]?.isConnected = true
                failed.remove(key)
            case .failure:
                sessions[key] = nil
                if failed.count < Self.maximumFailed { failed.insert(key) }
            }
        }
        return (try result.get(), connecting)
    }

    private func beginUse(_ key: Key) {
        uses += 1
        sessions[key]?.users += 1
        sessions[key]?.lastUse = uses
    }

    private func endUse(_ key: Key, _ connecting: Connecting) async {
        guard sessions[key]?.connecting == connecting else { return }
        sessions[key]?.users -= 1
        let unused = sessions.filter { $0.value.users == 0 }
        guard unused.count > Self.maximumUnused, let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        sessions[oldest.key] = nil
        if case .success(let session) = await oldest.value.connecting.value { await session.close() }
    }

    /// Creates a session that nobody else uses. The caller closes it.
    ///
    /// - Throws: ``XFTPClientError``.
    func connect(_ key: Key) async throws(XFTPClientError) -> XFTPSession {
        try await Self.connect(connector, key, onConnection)
    }

    private static func connect(
        _ connector: XFTPConnector, _ key: Key, _ onConnection: @escaping @Sendable (XFTPServerAddress, Bool) -> Void
    ) async throws(XFTPClientError) -> XFTPSession {
        let session = try await connector.connect(key.server, purpose: key.purpose)
        onConnection(key.server, true)
        session.whenClosed { onConnection(key.server, false) }
        return session
    }

    private func forget(_ key: Key, _ session: XFTPSession) async {
        if let known = sessions[key]?.connecting, case .success(let present) = await known.value, present === session,
            sessions[key]?.connecting == known
        {
            sessions[key] = nil
        }
    }

    /// Replaces the connector. Sessions of the previous one are closed.
    func setConnector(_ connector: XFTPConnector) async {
        self.connector = connector
        await close()
    }

    /// Closes all sessions. New ones are created when they are needed.
    func close() async {
        let all = sessions.values.map(\.connecting)
        sessions = [:]
        for connecting in all {
            connecting.cancel()
            if case .success(let session) = await connecting.value { await session.close() }
        }
    }
}

extension FileServerKey {
    /// A purpose for each user and router, so that routers cannot recognize sessions of the same user.
    fileprivate var purpose: String { "\(user)@\(server)" }
}
