import SMPClient
import SMPProtocol
import SMPWire
import Synchronization

@testable import SMPAgent

/// A user with an agent over real connections, who counts: numbers come once and in order, or a fault is noted.
final class ChaosParty: Sendable {
    private struct Memory {
        var received = 0
        var seen: [AgentMessageID: Int] = [:]
        var sent = 0
        var isConnected = false
        var faults: [String] = []
        var waiters: [(condition: @Sendable (Int, Bool) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let agent: SMPAgent
    let pool: SMPClientPool
    private let user = Mutex<AgentUserID?>(nil)
    private let connection = Mutex<ConnectionID?>(nil)
    private let memory = Mutex(Memory())
    private let listening = Mutex<Task<Void, Never>?>(nil)

    init(clock: HurriedClock) throws {
        var network = SMPClientConfiguration()
        network.network.pingInterval = .seconds(20)
        network.network.pingCount = 1
        network.silenceLimit = .seconds(30)
        // For TLS these are real seconds: it has no clock of its own.
        network.network.connectTimeout = .init(background: .seconds(10), interactive: .seconds(10))
        pool = try SMPClientPool(configuration: network, clock: clock)
        var configuration = AgentConfiguration()
        configuration.keyPairPoolSize = 0
        agent = SMPAgent(configuration: configuration, store: try AgentStore(path: nil), network: pool, clock: clock)
    }

    var faults: [String] { memory.withLock { $0.faults } }
    var received: Int { memory.withLock { $0.received } }
    var sent: Int { memory.withLock { $0.sent } }

    func start(on server: SMPServerAddress) async throws {
        try await agent.start()
        let number = try await agent.createUser(servers: [SMPServerWithAuth(server)])
        user.withLock { $0 = number }
        let task = Task { [self] in for await notification in agent.events { await take(notification) } }
        listening.withLock { $0 = task }
    }

    func invite() async throws -> ConnectionRequestURI {
        guard let user = user.withLock({ $0 }) else { throw ChaosFault("no user") }
        let created = try await untilReached { () throws(AgentError) in
            try await agent.createConnection(user: user, mode: .invitation, pq: .off)
        }
        connection.withLock { $0 = created.id }
        return created.link
    }

    func join(_ link: ConnectionRequestURI) async throws {
        guard let user = user.withLock({ $0 }) else { throw ChaosFault("no user") }
        let id = try await agent.prepareToJoin(user: user, link: link, pqSupport: false)
        connection.withLock { $0 = id }
        _ = try await untilReached { () throws(AgentError) in
            try await agent.join(user: user, connection: id, link: link, info: [1], pqSupport: false)
        }
    }

    /// Tries again on a machine that is too busy to answer in hurried time.
    private func untilReached<Value>(_ body: () async throws(AgentError) -> Value) async throws(AgentError) -> Value {
        for _ in 0..<20 {
            do throws(AgentError) {
                return try await body()
            } catch {
                guard error.isTemporary else { throw error }
            }
        }
        return try await body()
    }

    /// Has the agent take the next numbers.
    func send(_ count: Int = 1) async throws {
        guard let connection = connection.withLock({ $0 }) else { throw ChaosFault("no connection") }
        for _ in 0..<count {
            let number = sent + 1
            let request = AgentSendRequest(connection: connection, body: Bytes("\(number)".utf8), pqEncryption: false, key: Int64(number))
            _ = try await agent.send([request])[0].get()
            memory.withLock { $0.sent = number }
        }
    }

    /// Returns when so many numbers have come, or something went wrong.
    func waitUntilReceived(_ count: Int) async { await wait { received, _ in received >= count } }
    func waitUntilConnected() async { await wait { _, isConnected in isConnected } }

    private func wait(_ condition: @escaping @Sendable (Int, Bool) -> Bool) async {
        await withCheckedContinuation { continuation in
            memory.withLock { $0.waiters.append((condition, continuation)) }
            wakeUp()
        }
    }

    private func wakeUp() {
        let woken = memory.withLock { memory in
            let isOver = !memory.faults.isEmpty
            let woken = memory.waiters.filter { isOver || $0.condition(memory.received, memory.isConnected) }
            memory.waiters.removeAll { isOver || $0.condition(memory.received, memory.isConnected) }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    func note(_ fault: String) {
        memory.withLock { $0.faults.append(fault) }
        wakeUp()
    }

    private func take(_ notification: AgentNotification) async {
        guard let id = notification.connection else { return }
        do throws(AgentError) {
            switch notification.event {
            case .confirmation(let confirmation, _, _, _): try await agent.allowConnection(id, confirmation: confirmation, info: [2])
            case .connected: memory.withLock { $0.isConnected = true }
            case .message(let metadata, _, let body):
                if let fault = take(metadata, Int(String(decoding: body, as: UTF8.self)) ?? 0) { note(fault) }
                try await agent.acknowledge(id, message: metadata.messageID)
            case .messageFailed(let message, let error): note("message \(message) was given up: \(error)")
            case .ratchetSync(let state, _, _): note("the ratchet is \(state)")
            default: break
            }
            if let durableID = notification.durableID { agent.confirm(durableID) }
        } catch {
            note("\(notification.event): \(error)")
        }
        wakeUp()
    }

    private func take(_ metadata: MessageMetadata, _ number: Int) -> String? {
        memory.withLock { memory in
            if let known = memory.seen[metadata.messageID] { return known == number ? nil : "\(known) came again as \(number)" }
            memory.seen[metadata.messageID] = number
            guard metadata.integrity == .ok else { return "\(number): \(metadata.integrity)" }
            guard number == memory.received + 1 else { return "\(number) came after \(memory.received)" }
            memory.received = number
            return nil
        }
    }

    /// Tasks that run in the agent.
    var taskCount: Int { agent.core.tasks.count }

    func close() async {
        await agent.close()
        await pool.close()
        await listening.withLock { $0 }?.value
    }
}

struct ChaosFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
