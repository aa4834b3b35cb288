import NIOCore
import Synchronization

/// The open connections of a server, bounded in number. At the limit, silent connections give way to new ones.
final class HTTPClients: Sendable {
    /// The state of a connection.
    enum Phase: Sendable {
        /// No complete request has arrived.
        case silent
        case answering
        /// A request was answered, and the next one has not arrived.
        case idle
    }

    /// The time for which an idle connection keeps its place after an answer.
    static let shortestIdleTime = TimeAmount.seconds(1)

    private struct Client {
        let channel: any Channel
        var phase = Phase.silent
        var since: NIODeadline
    }

    private struct State {
        var open: [ObjectIdentifier: Client] = [:]
        var isClosed = false
    }

    private let limit: Int
    private let now: @Sendable () -> NIODeadline
    private let state = Mutex(State())

    init(limit: Int, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.limit = limit
        self.now = now
    }

    /// Admits a connection. If necessary, it replaces another one, which is closed.
    ///
    /// - Returns: false if there are too many connections, or the server is closed.
    func admit(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel), now = now()
        let (isAdmitted, displaced) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isClosed else { return (false, nil) }
            var displaced: (any Channel)?
            if state.open.count >= limit {
                guard let other = Self.displaceable(in: state, at: now) else { return (false, nil) }
                displaced = state.open.removeValue(forKey: other)?.channel
            }
            state.open[id] = Client(channel: channel, since: now)
            return (true, displaced)
        }
        displaced?.close(promise: nil)
        if isAdmitted { channel.closeFuture.whenComplete { [weak self] _ in self?.state.withLock { $0.open[id] = nil } } }
        return isAdmitted
    }

    private static func displaceable(in state: State, at now: NIODeadline) -> ObjectIdentifier? {
        func longest(_ isWanted: (Client) -> Bool) -> ObjectIdentifier? {
            // An inactive connection was accepted a moment ago, or is being closed.
            state.open.filter { $0.value.channel.isActive && isWanted($0.value) }.min { $0.value.since < $1.value.since }?.key
        }
        return longest { $0.phase == .silent } ?? longest { $0.phase == .idle && $0.since + shortestIdleTime <= now }
    }

    func note(_ phase: Phase, of id: ObjectIdentifier) {
        let now = now()
        state.withLock { state in
            state.open[id]?.phase = phase
            state.open[id]?.since = now
        }
    }

    func closeAll() async {
        let open = state.withLock { state in
            state.isClosed = true
            return state.open.values.map(\.channel)
        }
        for channel in open { try? await channel.close() }
    }
}
