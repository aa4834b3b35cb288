internal import ChatAPI
internal import ChatProtocol
internal import ChatSocket
internal import Hosting
internal import Parley
internal import Synchronization

/// The health of the process of `parley api`, as `/healthz` shows it.
final class APIHealth: Sendable {
    private struct State {
        var phase: HealthReport.Problem? = .starting
        var core: (any ChatCore)?
    }

    /// The health of the data folder.
    let folder = HostHealth()
    private let state = Mutex(State())

    /// Sets the core that is asked.
    func attach(_ core: any ChatCore) { state.withLock { $0.core = core } }

    /// - Parameter phase: nil when the profiles of the options are there and the core has been started.
    func enter(_ phase: HealthReport.Problem?) { state.withLock { $0.phase = phase } }

    /// The answer to a health check.
    @Sendable func answer() async -> SocketHealth {
        let report = await report()
        return SocketHealth(isHealthy: report.isHealthy, details: report.json)
    }

    func report() async -> HealthReport {
        let (phase, core) = state.withLock { ($0.phase, $0.core) }
        var problems = phase.map { [$0] } ?? [], profiles = 0, unreachable = 0
        if phase == nil, let core {
            do throws(ChatCoreError) {
                if case .usersList(let users) = try await core.send(.users(.list), as: nil) { profiles = users.count }
                if case .chatRunning = try await core.send(.core(.checkRunning), as: nil) {
                    let routers = try await routers(core)
                    unreachable = routers.unreachable
                    if routers.all > 0, routers.unreachable == routers.all { problems.append(.routers) }
                } else {
                    problems.append(.stopped)
                }
                if profiles == 0 { problems.append(.noProfile) }
            } catch {
                // A core that answers nothing is closed, or its databases fail.
                problems.append(.stopped)
            }
        }
        return HealthReport(
            problems: problems + folder.problems, version: ParleyVersion.current.parley, profiles: profiles, unreachableRouters: unreachable)
    }

    /// The routers that profiles receive from.
    private func routers(_ core: any ChatCore) async throws(ChatCoreError) -> (all: Int, unreachable: Int) {
        guard case .agentSubs(let active, let pending, _) = try await core.send(.core(.subscriptions()), as: nil) else { return (0, 0) }
        return Self.count(active: active, pending: pending)
    }

    /// - Parameters:
    ///   - active: the number of queues that receive, by router.
    ///   - pending: the number of those that are to be subscribed to, by router.
    static func count(active: JSONValue, pending: JSONValue) -> (all: Int, unreachable: Int) {
        let reached = Set(active.objectValue?.keys ?? []), all = reached.union(pending.objectValue?.keys ?? [])
        return (all.count, all.count - reached.count)
    }
}
