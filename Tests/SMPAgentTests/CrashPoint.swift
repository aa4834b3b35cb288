import SMPClient
import SMPSimulation
import Synchronization

@testable import SMPAgent

/// Ends an agent at a chosen step: nothing is stored or sent after it.
///
/// Steps are counted over everything that leaves traces outside the process: transactions of the store, before and after them, and
/// commands to routers, before and after them.
final class CrashPoint: StoreInterceptor, Sendable {
    private struct Inner {
        var steps = 0
        var limit: Int?
        var isCrashed = false
        var wasTriggered = false
        var crashed: (@Sendable () -> Void)?
    }

    private let inner = Mutex(Inner())

    var isCrashed: Bool { inner.withLock { $0.isCrashed } }
    /// Whether the chosen step was reached.
    var wasTriggered: Bool { inner.withLock { $0.wasTriggered } }
    /// Steps so far.
    var steps: Int { inner.withLock { $0.steps } }

    /// Ends the agent at the step after so many more.
    func arm(after steps: Int, _ crashed: @escaping @Sendable () -> Void) {
        inner.withLock { inner in
            inner.steps = 0
            inner.limit = steps
            inner.crashed = crashed
        }
    }

    func crash() { inner.withLock { $0.isCrashed = true } }

    func recover() {
        inner.withLock { inner in
            inner.isCrashed = false
        }
    }

    /// Counts a step.
    ///
    /// - Returns: whether the process is still there.
    private func step() -> Bool {
        let (isAlive, crashed) = inner.withLock { inner -> (Bool, (@Sendable () -> Void)?) in
            if inner.isCrashed { return (false, nil) }
            inner.steps += 1
            guard let limit = inner.limit, inner.steps > limit else { return (true, nil) }
            inner.isCrashed = true
            inner.wasTriggered = true
            inner.limit = nil
            return (false, inner.crashed)
        }
        crashed?()
        return isAlive
    }

    func willWrite() throws {
        guard step() else { throw CrashError() }
    }

    func didWrite() throws {
        guard step() else { throw CrashError() }
    }

    /// Counts a client's commands as steps.
    func connect(_ network: SimulatedNetwork) {
        network.setFault { [self] _, _ in step() ? nil : .lostRequest }
        network.setResponseFault { [self] in !step() }
    }
}

struct CrashError: Error {}
