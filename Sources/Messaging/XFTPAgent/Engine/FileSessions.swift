import SMPProtocol
import XFTPClient

/// The sessions with file routers, one for each user and router, made when they are needed.
actor FileSessions {
    struct Key: Hashable, Sendable {
        var user: Int64
        var server: XFTPServerAddress

        /// Routers cannot tell by their sessions which of them are one user's.
        var purpose: String { "\(user)@\(server)" }
    }

    private typealias Connecting = Task<Result<XFTPSession, XFTPClientError>, Never>

    private var connector: XFTPConnector
    private var sessions: [Key: Connecting] = [:]

    init(_ connector: XFTPConnector) { self.connector = connector }

    /// Does something with a session, which is given up if it is of no more use afterwards.
    ///
    /// - Throws: ``XFTPClientError``.
    func with<Value: Sendable>(
        _ key: Key, _ body: @Sendable (XFTPSession) async throws(XFTPClientError) -> Value
    ) async throws(XFTPClientError) -> Value {
        let session = try await session(key)
        do throws(XFTPClientError) {
            return try await body(session)
        } catch {
            if error.endsSession || !session.isOpen { await drop(key, session) }
            throw error
        }
    }

    private func session(_ key: Key) async throws(XFTPClientError) -> XFTPSession {
        if let known = sessions[key] {
            if case .success(let session) = await known.value, session.isOpen { return session }
            // Another caller may have replaced it meanwhile.
            if sessions[key] == known { sessions[key] = nil }
        }
        if let newer = sessions[key] { return try await newer.value.get() }
        let connecting = Connecting { [connector] in
            do throws(XFTPClientError) {
                return .success(try await connector.connect(key.server, purpose: key.purpose))
            } catch {
                return .failure(error)
            }
        }
        sessions[key] = connecting
        let result = await connecting.value
        if case .failure = result, sessions[key] == connecting { sessions[key] = nil }
        return try result.get()
    }

    /// A new session that nobody else uses. The caller closes it.
    ///
    /// - Throws: ``XFTPClientError``.
    func connect(_ key: Key) async throws(XFTPClientError) -> XFTPSession {
        try await connector.connect(key.server, purpose: key.purpose)
    }

    private func drop(_ key: Key, _ session: XFTPSession) async {
        if let known = sessions[key], case .success(let present) = await known.value, present === session { sessions[key] = nil }
        await session.close()
    }

    /// Replaces the connector. Sessions that were made by the last one are closed.
    func setConnector(_ connector: XFTPConnector) async {
        self.connector = connector
        await close()
    }

    /// Closes all sessions. New ones are made when they are needed.
    func close() async {
        let all = sessions.values
        sessions = [:]
        for connecting in all {
            connecting.cancel()
            if case .success(let session) = await connecting.value { await session.close() }
        }
    }
}
