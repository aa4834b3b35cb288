import ChatAPI
import ChatProtocol
import Foundation
import Logging
import SMPAgent
import SMPProtocol
import SMPSimulation
import Synchronization
import Testing

@testable import ChatEngine

/// Routers and cores in one process.
final class TestWorld: Sendable {
    let internet = SimulatedInternet()
    let router: SimulatedRouter

    init() { router = internet.addRouter("router.example") }

    /// A core with one profile, started.
    func core(_ name: String, prefix: String? = nil, presets: [Profile] = []) async throws -> TestCore {
        let core = try await open(prefix: prefix, presets: presets)
        _ = try await core.send(.users(.create(NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false))))
        return core
    }

    /// A core on a folder as it is, started.
    func open(prefix: String? = nil, presets: [Profile] = []) async throws -> TestCore {
        var logger = Logger(label: "test") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = ProcessInfo.processInfo.environment["ENGINE_LOG"].flatMap { Logger.Level(rawValue: $0) } ?? .critical
        var configuration = NativeCoreConfiguration(
            prefix: prefix, servers: [SMPServerWithAuth(router.address)], presetContacts: presets, logger: logger)
        configuration.agent = .quick
        let network = internet.makeClient()
        let core = try NativeCore.open(configuration, network: network)
        try await core.start()
        return TestCore(core, network)
    }
}

extension AgentConfiguration {
    /// Short waits, so that tests of retries are quick.
    static var quick: AgentConfiguration {
        var configuration = AgentConfiguration()
        configuration.fastRetry = RetryInterval(initial: .milliseconds(2), increaseAfter: .milliseconds(10), maximum: .milliseconds(20))
        configuration.keyPairPoolSize = 0
        return configuration
    }
}

/// A core whose events are kept.
final class TestCore: Sendable {
    private struct State {
        var events: [ChatEvent] = []
        var waiters: [(id: Int, wakes: CheckedContinuation<Void, Never>)] = []
        var next = 0
    }

    let core: NativeCore
    let network: SimulatedNetwork
    private let state = Mutex(State())
    private let reader = Mutex<Task<Void, Never>?>(nil)

    init(_ core: NativeCore, _ network: SimulatedNetwork) {
        self.core = core
        self.network = network
        let events = core.events(bufferingUpTo: 1_000_000)
        let task = Task { [weak self] in
            do {
                for try await event in events {
                    guard let self else { return }
                    add(event)
                }
            } catch {
                Issue.record(error)
            }
        }
        reader.withLock { $0 = task }
    }

    private func add(_ event: ChatEvent) {
        let waiters = state.withLock { state in
            state.events.append(event)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.wakes.resume() }
    }

    var events: [ChatEvent] { state.withLock { $0.events } }

    /// Waits until the events fulfil a condition.
    ///
    /// - Returns: false if they do not in time.
    func wait(_ seconds: Double = 10, until condition: @escaping @Sendable ([ChatEvent]) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !condition(events) {
            if ContinuousClock.now > deadline { return false }
            let id = state.withLock { state in
                state.next += 1
                return state.next
            }
            let alarm = Task { [weak self] in
                try? await Task.sleep(until: deadline + .milliseconds(1))
                self?.wake(id)
            }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if condition(state.events) { return true }
                    state.waiters.append((id, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
            alarm.cancel()
        }
        return true
    }

    private func wake(_ id: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).wakes
        }
        waiter?.resume()
    }

    func send(_ command: ChatCommand, as user: UserID? = nil) async throws -> ChatResponse {
        try await core.send(command, as: user)
    }

    /// Carries out a command as it is typed.
    ///
    /// - Returns: the answer as official cores print it, an error as `chatCmdError`.
    func answer(_ text: String, as user: UserID? = nil) async -> JSONValue {
        do {
            let command: ChatCommand
            do { command = try ChatCommand(parsing: text) } catch { throw ChatCoreError(error) }
            return try await core.send(command, as: user).json
        } catch let error as ChatCoreError {
            return ["type": "chatCmdError", "chatError": error.chatError?.json ?? .string(error.description)]
        } catch {
            return ["type": "chatCmdError", "chatError": .string("\(error)")]
        }
    }

    func run(_ text: String, as user: UserID? = nil) async throws -> ChatResponse {
        try await core.send(ChatCommand(parsing: text), as: user)
    }

    func close() async {
        await core.close()
        await reader.withLock { $0 }?.value
    }
}
