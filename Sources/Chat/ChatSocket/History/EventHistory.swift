import ChatAPI
import ChatProtocol
import Logging
import SMPWire
import Synchronization

/// The recent events of a core for clients that connect again. It keeps none before the first client that counts events.
final class EventHistory: Sendable {
    /// Events that are kept at most.
    static let countLimit = 8_192
    /// Bytes of events, as JSON, that are kept at most.
    static let byteLimit = 1 << 24

    private struct State {
        var ring: EventRing
        /// Clients that are told of new events.
        var followers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextFollower = 0
        var recorder: Task<Void, Never>?
        var isEnded = false
    }

    private let core: any ChatCore
    private let version: APIVersion
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameter start: the number before the first event, above all of earlier processes.
    init(_ core: any ChatCore, version: APIVersion, start: Int64, countLimit: Int = countLimit, byteLimit: Int = byteLimit, logger: Logger) {
        self.core = core
        self.version = version
        self.logger = logger
        state = Mutex(State(ring: EventRing(after: start, countLimit: countLimit, byteLimit: byteLimit)))
    }

    /// Begins to record, if that has not begun, and to tell a client of new events.
    ///
    /// - Parameter since: the number of the last event that the client has; 0 if it has none.
    /// - Returns: the number of that event, or of the newest; and a sequence with an element whenever there may be more.
    func follow(since: Int64) -> (position: Int64, id: Int, news: AsyncStream<Void>) {
        let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (position, id, isEnded) = state.withLock { state in
            if state.recorder == nil, !state.isEnded {
                // Subscribed at once, so that the client sees all that its commands bring about.
                let events = core.events()
                state.recorder = Task { [weak self] in await self?.record(events) }
            }
            let id = state.nextFollower
            state.nextFollower += 1
            if !state.isEnded { state.followers[id] = continuation }
            return (since == 0 ? state.ring.last : since, id, state.isEnded)
        }
        continuation.yield()
        if isEnded { continuation.finish() }
        return (position, id, news)
    }

    /// Ends what ``follow(since:)`` has begun.
    func leave(_ id: Int) { state.withLock { $0.followers.removeValue(forKey: id) }?.finish() }

    /// The step behind a number; nil if there is none yet.
    func next(after number: Int64) -> EventRing.Step? { state.withLock { $0.ring.next(after: number) } }

    /// Ends the recording.
    func stop() { finish()?.cancel() }

    private func record(_ events: ChatEvents) async {
        var events = events
        while !Task.isCancelled {
            do throws(ChatCoreError) {
                var memory = JSONWriter.Memory(for: version)
                for try await event in events { append(event, size: SocketMessage.event(event).frame(remembering: &memory).count) }
                _ = finish()
                return
            } catch {
                logger.warning("events of the API came faster than they were kept", metadata: ["code": "\(error.code.rawValue)"])
                events = core.events()
                append(nil, size: 0)
            }
        }
    }

    private func append(_ event: ChatEvent?, size: Int) {
        let followers = state.withLock { state in
            state.ring.append(event, size: size)
            return Array(state.followers.values)
        }
        for follower in followers { follower.yield() }
    }

    private func finish() -> Task<Void, Never>? {
        let (followers, recorder) = state.withLock { state in
            defer { (state.followers, state.isEnded) = ([:], true) }
            return (Array(state.followers.values), state.recorder)
        }
        for follower in followers { follower.finish() }
        return recorder
    }
}
