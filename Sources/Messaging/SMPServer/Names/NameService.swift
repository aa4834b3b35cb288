import Logging
import SMPProtocol
import Synchronization

/// Answers `RSLV` by a ``NameResolver``: a few names at a time, with a bound on those that wait. Names are neither logged nor kept.
final class NameService: Sendable {
    /// The bounds of what clients can have a router do.
    struct Limits: Sendable {
        /// Names that are looked up at the same time.
        var concurrent = 32
        /// Names that wait for their turn.
        var waiting = 1_000
        /// Names of one session that are looked up or wait. A proxy's session has those of many clients.
        var ofSession = 256
    }

    /// Gets the answer. Called once, on any thread.
    typealias Answer = @Sendable (SMPBrokerMessage) -> Void

    /// The outcomes of the requested names.
    struct Counts: Sendable {
        var resolved: UInt64 = 0, notFound: UInt64 = 0, failed: UInt64 = 0
    }

    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var lastTask: UInt64 = 0
        var active = 0
        var waiting: [(SimpleXDomain, Answer)] = []
        var counts = Counts()
        var isClosed = false
    }

    static let busy = SMPBrokerMessage.err(.name(.resolver("busy")))

    let limits: Limits
    private let resolver: any NameResolver
    private let state = Mutex(State())

    init(_ resolver: any NameResolver, limits: Limits = Limits()) {
        self.resolver = resolver
        self.limits = limits
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Looks a name up, at once or when it is its turn.
    func resolve(_ domain: SimpleXDomain, answer: @escaping Answer) {
        let isRefused = state.withLock { state in
            if !state.isClosed, state.active < limits.concurrent {
                start(domain, answer, &state)
                return false
            }
            guard !state.isClosed, state.waiting.count < limits.waiting else {
                state.counts.failed += 1
                return true
            }
            state.waiting += [(domain, answer)]
            return false
        }
        if isRefused { answer(Self.busy) }
    }

    private func start(_ domain: SimpleXDomain, _ answer: @escaping Answer, _ state: inout State) {
        state.active += 1
        state.lastTask += 1
        let number = state.lastTask
        state.tasks[number] = Task { [self] in
            let result = await resolver.resolve(domain)
            ended(number, result)
            answer(Self.message(result))
        }
    }

    private static func message(_ result: Result<NameRecord, NameResolutionError>) -> SMPBrokerMessage {
        switch result {
        case .success(let record) where record.json.count <= NameRecord.limit: .rname(record)
        case .success: .err(.name(.resolver("response too large")))
        case .failure(let error): .err(.name(error))
        }
    }

    private func ended(_ number: UInt64, _ result: Result<NameRecord, NameResolutionError>) {
        state.withLock { state in
            state.tasks[number] = nil
            state.active -= 1
            switch result {
            case .success: state.counts.resolved += 1
            case .failure(.notFound): state.counts.notFound += 1
            case .failure: state.counts.failed += 1
            }
            guard !state.isClosed, !state.waiting.isEmpty else { return }
            let (domain, answer) = state.waiting.remove(at: 0)
            start(domain, answer, &state)
        }
    }

    /// Ends all lookups; those that wait are answered with an error.
    func close() {
        let (tasks, waiting) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (Array(state.tasks.values), state.waiting)
        }
        for task in tasks { task.cancel() }
        for (_, answer) in waiting { answer(Self.busy) }
    }
}
