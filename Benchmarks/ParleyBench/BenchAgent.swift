import OfficialPeers
import ProcessSupport
import SMPAgent
import SMPClient
import SMPProtocol
import SMPWire
import Synchronization

/// An agent in this process, with its store on disk and connections of its own to the routers, which accepts all who join and acknowledges
/// all that comes.
final class BenchAgent: Sendable {
    let connected = Count()
    /// Messages that routers have of this agent.
    let sent = Count()
    let received = Count()
    private let folder: ScratchFolder
    private let server: SMPServerAddress
    private let running = Mutex<(agent: SMPAgent, pool: SMPClientPool)?>(nil)
    private let user = Mutex<AgentUserID>(0)

    init(_ name: String, server: SMPServerAddress) throws {
        folder = try ScratchFolder("bench-\(name)")
        self.server = server
    }

    private var agent: SMPAgent {
        get throws {
            guard let agent = running.withLock({ $0?.agent }) else { throw BenchFault("the agent does not run") }
            return agent
        }
    }

    /// Starts it with a new store.
    static func start(_ name: String, server: SMPServerAddress) async throws -> BenchAgent {
        let agent = try BenchAgent(name, server: server)
        try await agent.start()
        let user = try await agent.agent.createUser(servers: [SMPServerWithAuth(server)])
        agent.user.withLock { $0 = user }
        return agent
    }

    /// Starts it on its store. It does not subscribe by itself.
    func start() async throws {
        let pool = try SMPClientPool()
        let agent = SMPAgent(store: try AgentStore(path: folder.path + "/agent.db"), network: pool)
        running.withLock { $0 = (agent, pool) }
        try await agent.start()
        Task { [connected, sent, received] in
            for await notification in agent.events {
                guard let connection = notification.connection else { continue }
                switch notification.event {
                case .confirmation(let id, _, _, _):
                    Task { try await agent.allowConnection(connection, confirmation: id, info: []) }
                case .connected: connected.add()
                case .sent: sent.add()
                case .message(let metadata, _, _):
                    received.add()
                    Task { try await agent.acknowledge(connection, message: metadata.messageID) }
                default: break
                }
                if let durable = notification.durableID { agent.confirm(durable) }
            }
        }
    }

    func stop() async {
        let stopped = running.withLock { running in
            defer { running = nil }
            return running
        }
        await stopped?.agent.close()
        await stopped?.pool.close()
    }

    /// Makes connections that somebody can join, so many at a time.
    func invitations(_ count: Int, atATime width: Int) async throws -> [CreatedConnection] {
        let agent = try agent, user = user.withLock(\.self)
        return try await concurrently(count, atATime: width) { _ in
            try await agent.createConnection(user: user, mode: .invitation, pq: .linkPQ(support: true))
        }
    }

    /// Joins others' connections, so many at a time.
    func join(_ links: [ConnectionRequestURI], atATime width: Int) async throws -> [ConnectionID] {
        let agent = try agent, user = user.withLock(\.self)
        return try await concurrently(links.count, atATime: width) { index in
            let connection = try await agent.prepareToJoin(user: user, link: links[index], pqSupport: true)
            _ = try await agent.join(user: user, connection: connection, link: links[index], info: [], pqSupport: true)
            return connection
        }
    }

    /// Hands messages to the agent, each in a call of its own, so many at a time for each connection. They are on its disk then.
    func send(_ count: Int, _ body: Bytes, over connections: [ConnectionID], atATime width: Int) async throws {
        let agent = try agent
        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in connections {
                group.addTask {
                    _ = try await concurrently(count, atATime: width) { _ in
                        try await agent.send([AgentSendRequest(connection: connection, body: body)])[0].get()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Subscribes to all connections' queues.
    func subscribe() async throws {
        for result in try await agent.subscribeAll().values { try result.get() }
    }
}

/// Does something so many times, some at a time, and returns the results in order.
func concurrently<Result: Sendable>(
    _ count: Int, atATime width: Int, _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results = [Result?](repeating: nil, count: count)
        for index in 0..<count {
            if index >= width, let (done, result) = try await group.next() { results[done] = result }
            group.addTask { (index, try await body(index)) }
        }
        for try await (done, result) in group { results[done] = result }
        return results.compactMap(\.self)
    }
}

/// Counts, and lets others wait until there are so many.
final class Count: Sendable {
    private struct State {
        var value = 0
        var waiters: [(goal: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var value: Int { state.withLock(\.value) }

    func add() {
        let woken = state.withLock { state in
            state.value += 1
            guard !state.waiters.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            let met = state.waiters.filter { $0.goal <= state.value }
            state.waiters.removeAll { $0.goal <= state.value }
            return met.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    func wait(for goal: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.value >= goal { return true }
                state.waiters.append((goal, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}
