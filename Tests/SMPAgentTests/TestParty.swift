import AsyncPrimitives
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import SMPAgent

/// A user of an agent as the chat engine is one: keeps what it has seen, answers what must be answered, and survives its agent.
///
/// Its memory stands for a chat store: an effect happens once however often an event comes, and is there before it is acknowledged.
final class TestParty: Sendable {
    struct Memory {
        var messages: [ConnectionID: [AgentMessageID: Bytes]] = [:]
        var order: [ConnectionID: [Bytes]] = [:]
        var metadata: [ConnectionID: [MessageMetadata]] = [:]
        var connected: [ConnectionID: Bool] = [:]
        var information: [ConnectionID: Bytes] = [:]
        var confirmations: [ConnectionID: [ConfirmationID: Bytes]] = [:]
        var requests: [InvitationID: Bytes] = [:]
        var requestConnections: [InvitationID: ConnectionID] = [:]
        var sent: [ConnectionID: Set<AgentMessageID>] = [:]
        var receipts: [ConnectionID: [MessageReceipt]] = [:]
        var events: [AgentNotification] = []
        var failures: [AgentError] = []
        /// Failures that were seen and may come again.
        var durableFailures: Set<DurableEventID> = []
    }

    private struct Waiter {
        let number: Int
        let condition: @Sendable (Memory) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    let name: String
    let internet: SimulatedInternet
    let servers: [SMPServerAddress]
    private let memory = Mutex(Memory())
    private let waiters = Mutex<(list: [Waiter], next: Int)>(([], 0))
    private let current = Mutex<(agent: SMPAgent, network: SimulatedNetwork, task: Task<Void, Never>?)?>(nil)
    /// What it answers with: `nil` leaves confirmations and requests for the test to answer.
    let info: Bytes?
    let sendsReceipts: Bool
    let acknowledges = Mutex(true)
    /// The messages in each body that the user says are of no use.
    let uselessMessages = Mutex(0)
    /// Held while it takes no events.
    let reading = AsyncLock()
    let path: String?
    let configuration: AgentConfiguration
    /// The file that says which commands are being tried.
    let inFlightPath: String?
    /// Called with the network of each agent before that starts.
    let preparesNetwork = Mutex<(@Sendable (SimulatedNetwork) -> Void)?>(nil)
    /// Milliseconds since 1970; nil for the system's time.
    let now: (@Sendable () -> Int64)?
    let user = Mutex<AgentUserID>(0)
    let crash = CrashPoint()
    let disk = RefusingDisk()

    var agent: SMPAgent { current.withLock { $0!.agent } }
    var network: SimulatedNetwork { current.withLock { $0!.network } }
    var seen: Memory { memory.withLock { $0 } }

    init(
        _ name: String, _ internet: SimulatedInternet, on servers: [SMPServerAddress], path: String? = nil, answers: Bool = true,
        receipts: Bool = false, configuration: AgentConfiguration = .quick, inFlight: String? = nil, now: (@Sendable () -> Int64)? = nil
    ) async throws {
        self.now = now
        self.name = name
        self.internet = internet
        self.servers = servers
        self.path = path
        info = answers ? Bytes("info of \(name)".utf8) : nil
        sendsReceipts = receipts
        self.configuration = configuration
        inFlightPath = inFlight
        try await start()
        user.withLock { $0 = -1 }
        let number = try await agent.createUser(servers: servers.map { SMPServerWithAuth($0) })
        user.withLock { $0 = number }
    }

    /// Makes an agent on the store and starts it.
    func start() async throws {
        let store = try AgentStore(path: path, interceptor: StoreFaults(crash: crash, disk: disk))
        let network = internet.makeClient()
        crash.connect(network)
        preparesNetwork.withLock { $0 }?(network)
        var configuration = configuration
        if let inFlightPath { configuration.inFlight = try InFlightTable(path: inFlightPath, slots: configuration.notedCommands) }
        let agent = SMPAgent(configuration: configuration, store: store, network: network, now: now)
        current.withLock { $0 = (agent, network, nil) }
        let task = Task { [self] in
            for await notification in agent.events { await handle(notification, agent) }
        }
        current.withLock { $0?.task = task }
        try await agent.start()
    }

    /// The process ends in the middle of whatever it does.
    func kill() async {
        crash.crash()
        network.sever()
        await agent.close()
        await current.withLock { $0?.task }?.value
    }

    /// After ``kill()``: a new process on the same store.
    func restart() async throws {
        crash.recover()
        try await start()
        _ = await agent.subscribeAll()
    }

    /// Ends the process after so many more steps, and begins another when that has happened; see ``CrashPoint/settle(_:)``.
    func killAndRestart(afterSteps steps: Int) -> Task<Void, any Error> {
        crash.restart(afterSteps: steps) { [self] in
            await kill()
            try await restart()
        }
    }

    func close() async {
        await agent.close()
        network.sever()
        await current.withLock { $0?.task }?.value
    }

    private func handle(_ notification: AgentNotification, _ agent: SMPAgent) async {
        await reading.acquire()
        reading.release()
        let id = notification.connection ?? ConnectionID([0])
        memory.withLock { memory in
            memory.events.append(notification)
            switch notification.event {
            case .confirmation(let confirmation, _, _, let info): memory.confirmations[id, default: [:]][confirmation] = info
            case .request(let invitation, _, _, let info): memory.requests[invitation] = info
            case .information(_, let info): memory.information[id] = info
            case .connected(let pq): memory.connected[id] = pq
            case .message(let metadata, _, let body):
                if memory.messages[id, default: [:]].updateValue(body, forKey: metadata.messageID) == nil {
                    memory.order[id, default: []].append(body)
                    memory.metadata[id, default: []].append(metadata)
                }
            case .receipts(_, let receipts):
                for receipt in receipts where memory.receipts[id]?.contains(receipt) != true {
                    memory.receipts[id, default: []].append(receipt)
                }
            case .sent(let message, _): memory.sent[id, default: []].insert(message)
            case .failed(let error):
                if let id = notification.durableID, !memory.durableFailures.insert(id).inserted { break }
                memory.failures.append(error)
            default: break
            }
        }
        do throws(AgentError) {
            try await answer(notification.event, id, agent)
            if let durableID = notification.durableID { agent.confirm(durableID) }
        } catch {
            if !crash.isCrashed, error.code != "INACTIVE" { memory.withLock { $0.failures.append(error) } }
        }
        checkWaiters()
    }

    private func answer(_ event: AgentEvent, _ id: ConnectionID, _ agent: SMPAgent) async throws(AgentError) {
        switch event {
        case .confirmation(let confirmation, _, _, _):
            if let info { try await agent.allowConnection(id, confirmation: confirmation, info: info) }
        case .request(let invitation, let pqSupport, _, _):
            if let info { try await accept(invitation, pqSupport, info, agent) }
        case .message(let metadata, _, _):
            guard acknowledges.withLock({ $0 }) else { return }
            try await agent.acknowledge(id, message: metadata.messageID, receipt: sendsReceipts ? [] : nil, useless: uselessMessages.withLock { $0 })
        case .receipts(let metadata, _): try await agent.acknowledge(id, message: metadata.messageID)
        default: break
        }
    }

    private func accept(_ invitation: InvitationID, _ pqSupport: Bool, _ info: Bytes, _ agent: SMPAgent) async throws(AgentError) {
        let userID = user.withLock { $0 }
        var connection = memory.withLock { $0.requestConnections[invitation] }
        if connection == nil {
            let made = try await agent.prepareToAccept(user: userID, invitation: invitation, pqSupport: pqSupport)
            memory.withLock { $0.requestConnections[invitation] = made }
            connection = made
        }
        guard let connection else { return }
        _ = try await agent.accept(
            user: userID, connection: connection, invitation: invitation, info: info, pqSupport: pqSupport)
    }

    // MARK: Waiting

    /// Waits until what was seen fulfils a condition.
    @discardableResult
    func wait(
        _ what: Comment, within limit: Duration = .seconds(120), sourceLocation: SourceLocation = #_sourceLocation,
        until condition: @escaping @Sendable (Memory) -> Bool
    ) async -> Bool {
        let number = waiters.withLock { waiters in
            waiters.next += 1
            return waiters.next
        }
        let watchdog = Watchdog(limit) { [self] in
            waiters.withLock { waiters in
                guard let index = waiters.list.firstIndex(where: { $0.number == number }) else { return }
                waiters.list.remove(at: index).continuation.resume(returning: false)
            }
        }
        let isFulfilled = await withCheckedContinuation { continuation in
            waiters.withLock { $0.list.append(Waiter(number: number, condition: condition, continuation: continuation)) }
            checkWaiters()
        }
        watchdog.dismiss()
        if !isFulfilled {
            let events = seen.events.suffix(12).map { "\($0.event)".prefix(160) }.joined(separator: "\n")
            Issue.record("\(name) did not see in time: \(what)\nfailures: \(seen.failures)\nlast events:\n\(events)", sourceLocation: sourceLocation)
        }
        return isFulfilled
    }

    private func checkWaiters() {
        let memory = seen
        let fulfilled = waiters.withLock { waiters in
            let fulfilled = waiters.list.filter { $0.condition(memory) }
            waiters.list.removeAll { waiter in fulfilled.contains { $0.number == waiter.number } }
            return fulfilled
        }
        for waiter in fulfilled { waiter.continuation.resume(returning: true) }
    }

    // MARK: Shortcuts

    func invite(pq: PQInitialKeys = .supported, linkData: UserConnectionLinkData? = nil) async throws -> CreatedConnection {
        try await agent.createConnection(user: user.withLock { $0 }, mode: .invitation, linkData: linkData, pq: pq)
    }

    func address(linkData: UserConnectionLinkData? = nil) async throws -> CreatedConnection {
        try await agent.createConnection(user: user.withLock { $0 }, mode: .contact, linkData: linkData)
    }

    /// Prepares and joins.
    func join(_ link: ConnectionRequestURI, pqSupport: Bool = true) async throws -> ConnectionID {
        let userID = user.withLock { $0 }
        let id = try await agent.prepareToJoin(user: userID, link: link, pqSupport: pqSupport)
        _ = try await agent.join(
            user: userID, connection: id, link: link, info: Bytes("info of \(name)".utf8), pqSupport: pqSupport)
        return id
    }

    @discardableResult
    func send(_ text: String, to connection: ConnectionID, pq: Bool = true) async throws -> AcceptedMessage {
        try await agent.send([AgentSendRequest(connection: connection, body: Bytes(text.utf8), pqEncryption: pq)])[0].get()
    }

    func texts(_ connection: ConnectionID) -> [String] {
        seen.order[connection, default: []].map { String(decoding: $0, as: UTF8.self) }
    }
}

extension AgentConfiguration {
    /// Short waits, so that tests of retries are quick.
    static var quick: AgentConfiguration {
        var configuration = AgentConfiguration()
        configuration.fastRetry = RetryInterval(initial: .milliseconds(2), increaseAfter: .milliseconds(10), maximum: .milliseconds(20))
        configuration.slowRetry = RetryInterval(initial: .seconds(300), increaseAfter: .seconds(60), maximum: .seconds(21_600))
        configuration.continuedRetry = RetryInterval(initial: .milliseconds(2), increaseAfter: .zero, maximum: .milliseconds(20))
        configuration.drainRetry = RetryInterval(initial: .milliseconds(2), increaseAfter: .milliseconds(10), maximum: .milliseconds(20))
        configuration.drainGrace = .seconds(5)
        configuration.moveGrace = .milliseconds(20)
        configuration.keyPairPoolSize = 0
        return configuration
    }

    /// An agent of an older version.
    static func version(_ agent: UInt16, client: UInt16? = nil) -> AgentConfiguration {
        var configuration = quick
        configuration.agentVersions = VersionRange(2...agent)
        configuration.clientVersions = VersionRange(1...(client ?? (agent >= 7 ? 4 : agent >= 6 ? 3 : 2)))
        configuration.ratchetVersions = VersionRange(2...(agent >= 5 ? 3 : 2))
        return configuration
    }
}
