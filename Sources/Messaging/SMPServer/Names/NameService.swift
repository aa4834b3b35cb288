import Logging
import RouterSupport
import SMPProtocol
import Synchronization

/// Answers `RSLV` by a ``NameResolver``, as many at a time and in such an order as ``NameQueue`` says. Names are neither logged nor kept.
final class NameService: Sendable {
    typealias Limits = NameQueue<Request>.Limits
    /// Gets the answer. Called once, on any thread; never for a name whose session has ended before its turn.
    typealias Answer = @Sendable (SMPBrokerMessage) -> Void

    struct Request: Sendable {
        let domain: SimpleXDomain
        let answer: Answer
    }

    /// The outcomes of the requested names.
    struct Counts: Sendable {
        var resolved: UInt64 = 0, notFound: UInt64 = 0, failed: UInt64 = 0, refused: UInt64 = 0
    }

    private struct State {
        var queue: NameQueue<Request>
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var lastTask: UInt64 = 0
        var counts = Counts()
        var failures = ResolverFailures()
        var isClosed = false
    }

    static let busy = SMPBrokerMessage.err(.name(.resolver("busy")))
    private static let tooLarge = NameResolutionError.resolver("response too large")

    private let resolver: any NameResolver
    private let logger: Logger
    private let uptime: @Sendable () -> Int64
    private let state: Mutex<State>

    /// - Parameter uptime: nanoseconds of a clock that only goes forward.
    init(_ resolver: any NameResolver, limits: Limits = Limits(), logger: Logger, uptime: @escaping @Sendable () -> Int64 = AddressLimits.uptime) {
        self.resolver = resolver
        self.logger = logger
        self.uptime = uptime
        state = Mutex(State(queue: NameQueue(limits)))
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Looks a name up, at once or when it is the client's turn.
    func resolve(_ domain: SimpleXDomain, for session: SessionID, of client: NameClient, answer: @escaping Answer) {
        let request = Request(domain: domain, answer: answer)
        let refused = state.withLock { state -> Request? in
            let admission = state.isClosed ? .refused : state.queue.add(request, of: session, client)
            switch admission {
            case .start:
                start(request, client, &state)
                return nil
            case .waits(nil): return nil
            case .waits(let displaced?):
                state.counts.refused += 1
                return displaced
            case .refused:
                state.counts.refused += 1
                return request
            }
        }
        refused?.answer(Self.busy)
    }

    /// Drops the waiting names of a session that has ended.
    func drop(_ session: SessionID, of client: RouterClient) {
        state.withLock { state in state.counts.refused += UInt64(state.queue.drop(session, of: client)) }
    }

    private func start(_ request: Request, _ client: NameClient, _ state: inout State) {
        state.lastTask += 1
        let number = state.lastTask
        state.tasks[number] = Task { [self] in
            var result = await resolver.resolve(request.domain)
            if case .success(let record) = result, record.json.count > NameRecord.limit { result = .failure(Self.tooLarge) }
            ended(number, client, result)
            switch result {
            case .success(let record): request.answer(.rname(record))
            case .failure(let error): request.answer(.err(.name(error)))
            }
        }
    }

    private func ended(_ number: UInt64, _ client: NameClient, _ result: Result<NameRecord, NameResolutionError>) {
        let failure = state.withLock { state -> (reason: String, count: Int)? in
            state.tasks[number] = nil
            if let next = state.queue.end(of: client) { start(next.entry, next.client, &state) }
            switch result {
            case .success: state.counts.resolved += 1
            case .failure(.notFound): state.counts.notFound += 1
            case .failure(let error):
                state.counts.failed += 1
                // The end of the router ends lookups: the resolver has not failed.
                guard !state.isClosed, let count = state.failures.add(at: uptime()) else { break }
                if case .resolver(let reason) = error { return (reason, count) }
                return ("it resolves no names", count)
            }
            return nil
        }
        guard let failure else { return }
        // The reason is the resolver's state, never the name.
        logger.warning(
            "names cannot be looked up: look at the program that name-resolver names",
            metadata: ["reason": "\(failure.reason)", "failures": "\(failure.count)"])
    }

    /// Ends all lookups; those that wait are answered with an error.
    func close() {
        let (tasks, waiting) = state.withLock { state in
            state.isClosed = true
            return (Array(state.tasks.values), state.queue.dropAll())
        }
        for task in tasks { task.cancel() }
        for request in waiting { request.answer(Self.busy) }
    }
}
