import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

@testable import RouterSupport
@testable import SMPAgent

/// A user with an agent: what it has durably seen and wants to send, over any number of lives of its agent's process.
final class SimulatedParty: Sendable {
    /// One conversation with a peer.
    struct Conversation {
        var connection: ConnectionID?
        var link: ConnectionRequestURI?
        var isConnected = false
        /// Messages that the agent has taken: they must arrive.
        var accepted = 0
        /// The number of the last message that came.
        var received = 0
        var receipts = 0
        /// Numbers by the agent's own numbers of messages, to know them when they come again.
        private var seen: [AgentMessageID: Int] = [:]

        enum Taken {
            case new, again
            case fault(String)

            var text: String? { if case .fault(let text) = self { text } else { nil } }
        }

        /// Takes the next message, or one that is there.
        mutating func take(_ metadata: MessageMetadata, _ number: Int) -> Taken {
            if let known = seen[metadata.messageID] {
                return known == number ? .again : .fault("message \(known) came again as \(number)")
            }
            guard metadata.integrity == .ok else { return .fault("message \(number): \(metadata.integrity)") }
            guard number == received + 1 else { return .fault("message \(number) came after \(received)") }
            seen[metadata.messageID] = number
            received = number
            // What can come again is among the last ones.
            if seen.count > 2_000 { seen = seen.filter { $0.value > number - 1_000 } }
            return .new
        }
    }

    /// Survives the process.
    private struct Memory {
        var user: AgentUserID?
        var conversations: [Int: Conversation] = [:]
        var repeats = 0
        var deaths = 0
        var moves = 0
    }

    /// One life of the process.
    private final class Life: StoreInterceptor {
        let isOver = Mutex(false)
        let client: SimulatedClient
        let agent = Mutex<SMPAgent?>(nil)

        init(_ client: SimulatedClient) { self.client = client }

        struct Dead: Error {}

        private func check() throws { if isOver.withLock({ $0 }) { throw Dead() } }
        func willWrite() throws { try check() }
        func isWriting() throws { try check() }
        func didWrite() throws { try check() }
    }

    let index: Int
    var name: String { "party \(index)" }
    private let simulation: Simulation
    private let clock: SimulationClock
    private let routers: [RouterHost]
    private let faults: FaultLog
    private let storage: any SimulatedStorage
    private let hasCheapKeys: Bool
    private let queues: Int
    private let configuration: AgentConfiguration
    private let memory = Mutex(Memory())
    private let life = Mutex<Life?>(nil)
    /// Milliseconds that the wall clock is wrong by.
    let clockError = Mutex<Int64>(0)

    init(
        _ index: Int, _ simulation: Simulation, _ routers: [RouterHost], _ configuration: AgentConfiguration, _ scenario: Scenario,
        _ faults: FaultLog
    ) throws {
        self.index = index
        self.simulation = simulation
        self.routers = routers
        self.faults = faults
        self.configuration = configuration
        clock = SimulationClock(simulation: simulation)
        storage = try scenario.usesSQL ? SQLStorage() : MemoryStorage()
        hasCheapKeys = scenario.hasCheapKeys
        queues = scenario.queues
    }

    func conversation(_ peer: Int) -> Conversation { memory.withLock { $0.conversations[peer] ?? Conversation() } }
    var repeats: Int { memory.withLock { $0.repeats } }
    var deaths: Int { memory.withLock { $0.deaths } }
    var moves: Int { memory.withLock { $0.moves } }
    var isAlive: Bool { life.withLock { $0 != nil } }

    private func change(_ peer: Int, _ body: (inout Conversation) -> Void) {
        memory.withLock { body(&$0.conversations[peer, default: Conversation()]) }
    }

    // MARK: Life and death

    /// A process begins.
    func start(sending plan: ConversationPlan) {
        let client = SimulatedClient(name, simulation, routers)
        let life = Life(client)
        let random = SimulatedRandom(seed: simulation.newSeed())
        let runtime = AgentRuntime(executor: simulation, clock: clock, ratchetKeys: hasCheapKeys ? CheapRatchetKeys(random: random) : nil)
        let store = storage.open(interceptor: life, runtime: runtime) { [simulation] body in
            // A flush takes long now and then.
            simulation.after(simulation.microseconds(simulation.once(in: 300) ? 5_000...80_000 : 30...1_500), body)
        }
        let agent = SMPAgent(
            configuration: configuration, store: store, network: client, random: random, runtime: runtime,
            now: { [self] in 1_700_000_000_000 + simulation.time / 1_000_000 + clockError.withLock { $0 } })
        life.agent.withLock { $0 = agent }
        self.life.withLock { $0 = life }
        simulation.note("\(name) starts")
        simulation.task { [self] in await listen(life, agent) }
        simulation.task { [self] in await work(life, agent, plan) }
    }

    /// The process ends wherever it is.
    func kill() {
        guard
            let life = life.withLock({ life in
                defer { life = nil }
                return life
            })
        else { return }
        simulation.note("\(name) is killed")
        memory.withLock { $0.deaths += 1 }
        life.isOver.withLock { $0 = true }
        life.client.sever()
        // What is left of it must end: nothing waits for what never comes.
        let agent = life.agent.withLock { $0 }
        simulation.task { await agent?.close() }
    }

    /// Asks for what it has: routers deliver again what was not acknowledged.
    func subscribeAgain() {
        guard let agent = life.withLock({ $0 })?.agent.withLock({ $0 }) else { return }
        simulation.note("\(name) subscribes again")
        simulation.task { _ = await agent.subscribeAll() }
    }

    /// Moves the queue of one of the connections to another router.
    func moveQueue() {
        guard let agent = life.withLock({ $0 })?.agent.withLock({ $0 }) else { return }
        let connections = memory.withLock { $0.conversations.sorted { $0.key < $1.key }.filter(\.value.isConnected).compactMap(\.value.connection) }
        guard !connections.isEmpty else { return }
        let connection = connections[simulation.draw(0...connections.count - 1)]
        simulation.note("\(name) moves a queue")
        // One that moves already is refused.
        simulation.task { _ = try? await agent.switchQueue(of: connection) }
    }

    func breakConnection() { life.withLock { $0 }?.client.breakConnection() }

    private func isOver(_ life: Life) -> Bool { life.isOver.withLock { $0 } }

    private func pause(_ range: ClosedRange<Int>) async {
        try? await clock.sleep(until: clock.now.advanced(by: .nanoseconds(simulation.microseconds(range))), tolerance: nil)
    }

    /// Repeats what fails while the process lives.
    private func untilDone(_ life: Life, _ what: @autoclosure () -> String, _ body: () async throws -> Void) async {
        var attempts = 0
        while !isOver(life) {
            do {
                return try await body()
            } catch {
                attempts += 1
                // With all faults over, nothing is tried so often in vain.
                if attempts == 300, !isOver(life) { faults.record("\(name) cannot \(what()): \(error)") }
                await pause(500_000...2_000_000)
            }
        }
    }

    // MARK: Doing

    private func work(_ life: Life, _ agent: SMPAgent, _ plan: ConversationPlan) async {
        await untilDone(life, "start") { try await agent.start() }
        if memory.withLock({ $0.user }) == nil {
            await untilDone(life, "make a user") {
                let servers = (0..<queues).map { SMPServerWithAuth(routers[(index + $0) % routers.count].address) }
                let user = try await agent.createUser(servers: servers)
                if !isOver(life) { memory.withLock { $0.user = user } }
            }
        }
        _ = await agent.subscribeAll()
        for peer in plan.peers(of: index) {
            simulation.task { [self] in
                await connect(life, agent, to: peer, plan)
                await send(life, agent, to: peer, plan)
            }
        }
    }

    /// The party with the lower number invites, the other joins.
    private func connect(_ life: Life, _ agent: SMPAgent, to peer: Int, _ plan: ConversationPlan) async {
        guard let user = memory.withLock({ $0.user }) else { return }
        if index < peer, conversation(peer).link == nil {
            await untilDone(life, "invite") {
                let created = try await agent.createConnection(user: user, mode: .invitation, pq: plan.isPQ ? .supported : .off)
                guard !isOver(life) else { return }
                change(peer) { ($0.connection, $0.link) = (created.id, created.link) }
            }
        }
        if index > peer, !conversation(peer).isConnected {
            while !isOver(life), plan.link(from: peer, to: index) == nil { await pause(50_000...200_000) }
            guard let link = plan.link(from: peer, to: index) else { return }
            if conversation(peer).connection == nil {
                await untilDone(life, "prepare to join") {
                    let connection = try await agent.prepareToJoin(user: user, link: link, pqSupport: plan.isPQ)
                    if !isOver(life) { change(peer) { $0.connection = connection } }
                }
            }
            await untilDone(life, "join") {
                guard let connection = conversation(peer).connection, !conversation(peer).isConnected else { return }
                _ = try await agent.join(user: user, connection: connection, link: link, info: [1], pqSupport: plan.isPQ)
            }
        }
        while !isOver(life), !conversation(peer).isConnected { await pause(10_000...100_000) }
    }

    private func send(_ life: Life, _ agent: SMPAgent, to peer: Int, _ plan: ConversationPlan) async {
        while !isOver(life), conversation(peer).accepted < plan.messages, let connection = conversation(peer).connection {
            let first = conversation(peer).accepted + 1
            let last = min(plan.messages, first + simulation.draw(0...11))
            let requests = (first...last).map { number in
                AgentSendRequest(
                    connection: connection, body: Bytes("\(number)".utf8), pqEncryption: plan.isPQ, key: Int64(number))
            }
            let results = await agent.send(requests)
            guard !isOver(life) else { return }
            var accepted = 0
            for result in results {
                guard case .success = result else { break }
                accepted += 1
            }
            change(peer) { $0.accepted += accepted }
            // Behind the peer by no more than some messages, so that both directions go on side by side.
            await pause(accepted == results.count ? 100...20_000 : 500_000...2_000_000)
            while !isOver(life), conversation(peer).accepted > conversation(peer).received + plan.window { await pause(1_000...20_000) }
        }
    }

    /// Ends all connections; what is left is none of this party's doing.
    func leave() {
        guard let life = life.withLock({ $0 }), let agent = life.agent.withLock({ $0 }) else { return }
        simulation.task { [self] in
            await untilDone(life, "leave") {
                guard let user = memory.withLock({ $0.user }) else { return }
                try await agent.delete(try await agent.connections(of: user), waitDelivery: false)
            }
        }
    }

    // MARK: Hearing

    private func listen(_ life: Life, _ agent: SMPAgent) async {
        for await notification in agent.events {
            guard !isOver(life) else { continue }
            // The user's own store takes its time, and the process may end in it.
            if notification.event.isForTheStore { await pause(20...400) }
            guard !isOver(life) else { continue }
            await untilDone(life, "answer \(notification.event)") { try await take(notification, life, agent) }
        }
    }

    private func peer(of connection: ConnectionID?) -> Int? {
        memory.withLock { memory in memory.conversations.first { $0.value.connection == connection }?.key }
    }

    private func take(_ notification: AgentNotification, _ life: Life, _ agent: SMPAgent) async throws {
        if case .failed(let error) = notification.event { simulation.note("\(name): \(error.code)") }
        guard let connection = notification.connection, let peer = peer(of: connection) else { return }
        switch notification.event {
        case .confirmation(let confirmation, _, _, _):
            try await agent.allowConnection(connection, confirmation: confirmation, info: [2])
        case .connected: change(peer) { $0.isConnected = true }
        case .message(let metadata, _, let body):
            guard take(metadata, Int(String(decoding: body, as: UTF8.self)), from: peer) else { return }
            if simulation.once(in: 4) { await pause(20...2_000) }
            guard !isOver(life) else { return }
            // A restart in between may have the message acknowledged already.
            try await acknowledge(agent, connection, metadata.messageID, receipt: simulation.once(in: 10) ? [] : nil)
        case .receipts(let metadata, let receipts):
            change(peer) { $0.receipts += receipts.count }
            try await acknowledge(agent, connection, metadata.messageID, receipt: nil)
        case .messageFailed(let message, let error): faults.record("\(name) lost message \(message): \(error)")
        case .messagesFailed(let messages, let error): faults.record("\(name) lost messages \(messages): \(error)")
        case .ratchetSync(let state, let error, _): faults.record("\(name): a ratchet out of step: \(state) \(String(describing: error))")
        case .queueSwitch(.receive, .completed, _): memory.withLock { $0.moves += 1 }
        case .subscriptionEnded: break
        default: break
        }
        if let durableID = notification.durableID { agent.confirm(durableID) }
    }

    private func acknowledge(_ agent: SMPAgent, _ connection: ConnectionID, _ message: AgentMessageID, receipt: Bytes?) async throws {
        do throws(AgentError) {
            try await agent.acknowledge(connection, message: message, receipt: receipt)
        } catch {
            if case .connection(.notFound, _) = error.reason { return }
            throw error
        }
    }

    /// Takes a message into the durable memory: the next one, or one that is there.
    private func take(_ metadata: MessageMetadata, _ number: Int?, from peer: Int) -> Bool {
        let fault = memory.withLock { memory -> String? in
            guard let number, memory.conversations[peer] != nil else { return "a message that nobody sent" }
            let taken = memory.conversations[peer, default: Conversation()].take(metadata, number)
            if case .again = taken { memory.repeats += 1 }
            return taken.text
        }
        if let fault { faults.record("\(name) from \(peer): \(fault)") }
        simulation.note("\(name) takes \(number ?? -1) from \(peer)")
        return true
    }

    // MARK: Looking inside

    /// What is left in the store, by table.
    func remains() throws -> [String: Int] { try storage.remains() }

    /// Tasks that the agent runs and connections that it has in memory.
    var load: (tasks: Int, connections: Int) {
        guard let agent = life.withLock({ $0 })?.agent.withLock({ $0 }) else { return (0, 0) }
        return (agent.core.tasks.count, agent.core.connections.count)
    }
}

extension AgentEvent {
    /// Whether a user would write something down for it.
    fileprivate var isForTheStore: Bool {
        switch self {
        case .sent, .messageDelayed, .up, .down, .serverConnected, .serverDisconnected: false
        default: true
        }
    }
}

/// Who talks to whom, and how much.
final class ConversationPlan: Sendable {
    let parties: Int
    /// Messages from each party to each other one.
    let messages: Int
    /// How far a sender is ahead of what it has received.
    let window: Int
    let isPQ: Bool
    private let find: Mutex<(@Sendable (Int, Int) -> ConnectionRequestURI?)?> = Mutex(nil)

    init(parties: Int, messages: Int, window: Int, isPQ: Bool) {
        self.parties = parties
        self.messages = messages
        self.window = window
        self.isPQ = isPQ
    }

    func peers(of party: Int) -> [Int] { (0..<parties).filter { $0 != party } }
    func setLinks(_ find: @escaping @Sendable (Int, Int) -> ConnectionRequestURI?) { self.find.withLock { $0 = find } }
    /// The invitation that one party has made for another.
    func link(from: Int, to: Int) -> ConnectionRequestURI? { find.withLock { $0 }?(from, to) }
}
