import GRDB
import SMPClient
import SMPProtocol
import SMPWire
import Synchronization

@testable import SMPAgent

/// A user with an agent over real connections, who counts: numbers come once and in order, or a fault is noted.
final class ChaosParty: Sendable, CustomStringConvertible {
    private struct Memory {
        var received = 0
        var delivered: Set<AgentMessageID> = []
        var seen: [AgentMessageID: Int] = [:]
        var sent = 0
        var isConnected = false
        var isLeaving = false
        var isDeleted = false
        var faults: [String] = []
        /// Errors that were told by events, which say that something is late or was not done.
        var told: [AgentError] = []
        /// The event before the one that does not come.
        var last = "nothing"
        var waiters: [(condition: @Sendable (Memory) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let agent: SMPAgent
    let pool: SMPClientPool
    private let store: AgentStore
    private let user = Mutex<AgentUserID?>(nil)
    private let connection = Mutex<ConnectionID?>(nil)
    private let memory = Mutex(Memory())
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter path: the database; nil for one in memory.
    init(clock: HurriedClock, path: String? = nil) throws {
        var network = SMPClientConfiguration()
        network.network.pingInterval = .seconds(20)
        network.network.pingCount = 1
        network.silenceLimit = .seconds(30)
        // For TLS these are real seconds: it has no clock of its own.
        let patience = Duration.seconds(100) / clock.factor
        network.network.connectTimeout = .init(background: patience, interactive: patience)
        pool = try SMPClientPool(configuration: network, clock: clock)
        var configuration = AgentConfiguration()
        configuration.keyPairPoolSize = 0
        // A deletion that the disk refused is taken up by the next clean-up.
        configuration.cleanupInterval = .seconds(20)
        store = try AgentStore(path: path)
        agent = SMPAgent(configuration: configuration, store: store, network: pool, clock: clock)
    }

    var told: [AgentError] { memory.withLock { $0.told } }
    var faults: [String] { memory.withLock { $0.faults } }
    var received: Int { memory.withLock { $0.received } }
    var sent: Int { memory.withLock { $0.sent } }

    func start(on server: SMPServerAddress) async throws {
        try await untilReached { () throws(AgentError) in try await agent.start() }
        let number = try await untilReached { () throws(AgentError) in try await agent.createUser(servers: [SMPServerWithAuth(server)]) }
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
        let id = try await untilReached { () throws(AgentError) in
            try await agent.prepareToJoin(user: user, link: link, pqSupport: false)
        }
        connection.withLock { $0 = id }
        _ = try await untilReached { () throws(AgentError) in
            try await agent.join(user: user, connection: id, link: link, info: [1], pqSupport: false)
        }
    }

    /// Tries again what could not be done, as one who was told so: the disk failed, or a machine is too busy to answer in hurried time.
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
            _ = try await untilReached { () throws(AgentError) in try await agent.send([request])[0].get() }
            memory.withLock { $0.sent = number }
        }
    }

    /// Deletes the connection, once what waits is sent.
    func delete() async throws {
        guard let connection = connection.withLock({ $0 }) else { throw ChaosFault("no connection") }
        memory.withLock { $0.isLeaving = true }
        try await untilReached { () throws(AgentError) in try await agent.delete([connection], waitDelivery: true) }
    }

    /// Returns when so many numbers have come, or something went wrong.
    func waitUntilReceived(_ count: Int) async { await wait { $0.received >= count } }
    /// Returns when the peer's agent has said of so many numbers that they came, or something went wrong.
    func waitUntilDelivered(_ count: Int) async { await wait { $0.delivered.count >= count } }
    func waitUntilConnected() async { await wait { $0.isConnected } }
    func waitUntilDeleted() async { await wait { $0.isDeleted } }

    private func wait(_ condition: @escaping @Sendable (Memory) -> Bool) async {
        await withCheckedContinuation { continuation in
            memory.withLock { $0.waiters.append((condition, continuation)) }
            wakeUp()
        }
    }

    private func wakeUp() {
        let woken = memory.withLock { memory in
            let isOver = !memory.faults.isEmpty
            let (waiters, memoryNow) = (memory.waiters, memory)
            memory.waiters = waiters.filter { !isOver && !$0.condition(memoryNow) }
            return waiters.filter { isOver || $0.condition(memoryNow) }
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    var description: String {
        memory.withLock {
            "sent \($0.sent), received \($0.received), delivered \($0.delivered.count), connected \($0.isConnected), deleted \($0.isDeleted), told \($0.told), last \($0.last)"
        }
    }

    func note(_ fault: String) {
        memory.withLock { $0.faults.append(fault) }
        wakeUp()
    }

    private func take(_ notification: AgentNotification) async {
        memory.withLock { $0.last = "\(notification.event)".prefix(80).description }
        if case .connectionsDeleted = notification.event { memory.withLock { $0.isDeleted = true } }
        if case .failed(let error) = notification.event { memory.withLock { $0.told.append(error) } }
        guard let id = notification.connection else { return wakeUp() }
        do throws(AgentError) {
            switch notification.event {
            case .confirmation(let confirmation, _, _, _):
                try await untilReached { () throws(AgentError) in try await agent.allowConnection(id, confirmation: confirmation, info: [2]) }
            case .connected: memory.withLock { $0.isConnected = true }
            case .message(let metadata, _, let body):
                if let fault = take(metadata, Int(String(decoding: body, as: UTF8.self)) ?? 0) { note(fault) }
                try await untilReached { () throws(AgentError) in
                    try await agent.acknowledge(id, message: metadata.messageID, receipt: [])
                }
            case .receipts(let metadata, let receipts):
                memory.withLock { memory in
                    for receipt in receipts where receipt.status == .ok { memory.delivered.insert(receipt.messageID) }
                }
                try await untilReached { () throws(AgentError) in try await agent.acknowledge(id, message: metadata.messageID) }
            case .messageFailed(let message, let error): note("message \(message) was given up: \(error)")
            case .ratchetSync(let state, _, _): note("the ratchet is \(state)")
            default: break
            }
            if let durableID = notification.durableID { agent.confirm(durableID) }
        } catch {
            if case .connection(.notFound, _) = error.reason, memory.withLock({ $0.isLeaving }) { return wakeUp() }
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

    /// Rows that are left in the tables of connections and their messages, by table.
    func remains() async throws -> [String: Int] {
        for _ in 0..<20 {
            if let remains = try? await countRows() { return remains }
        }
        return try await countRows()
    }

    private func countRows() async throws -> [String: Int] {
        try await store.read { database in
            let tables = ["connections", "receive_queues", "send_queues", "ratchets", "deliveries", "commands", "sent_messages", "received_messages"]
            return try tables.reduce(into: [:]) { remains, table in
                let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)") ?? 0
                if count > 0 { remains[table] = count }
            }
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
