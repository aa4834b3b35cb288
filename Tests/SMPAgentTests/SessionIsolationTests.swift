import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

/// Notes which sessions are used, and for which queues and links.
private final class SessionRecorder: SMPRouting {
    struct Use: Hashable {
        let session: TransportSessionKey
        /// The first word of the command, and what it is about.
        let command: String
        let entity: EntityID
    }

    private let network: any SMPRouting
    private let uses = Mutex<[Use]>([])

    init(_ network: any SMPRouting) { self.network = network }

    var all: [Use] { uses.withLock { $0 } }

    private func note(_ command: String, _ entity: EntityID, _ session: TransportSessionKey) {
        uses.withLock { $0.append(Use(session: session, command: command, entity: entity)) }
    }

    private static func name(_ command: SMPCommand) -> String { String("\(command)".prefix { $0 != "(" }) }

    func send(_ request: SMPRequest, over session: TransportSessionKey) async throws(SMPClientError) -> SMPBrokerMessage {
        note(Self.name(request.command), request.entity, session)
        return try await network.send(request, over: session)
    }

    func send(batch: [SMPRequest], over session: TransportSessionKey) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        for request in batch { note(Self.name(request.command), request.entity, session) }
        return await network.send(batch: batch, over: session)
    }

    func subscribe(_ queues: [QueueSubscription], over session: TransportSessionKey) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        for queue in queues { note("sub", queue.queue, session) }
        return await network.subscribe(queues, over: session)
    }

    func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async {
        for queue in queues { note("unsubscribe", queue, session) }
        await network.unsubscribe(queues, over: session)
    }

    func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo {
        try await network.sessionInfo(session)
    }

    func setNetwork(_ settings: NetworkConfiguration) async throws(SMPClientError) { try await network.setNetwork(settings) }

    func setServices(_ source: (any ServiceCredentialSource)?) async { await network.setServices(source) }

    func reconnect(_ matches: @Sendable (TransportSessionKey) -> Bool) async { await network.reconnect(matches) }

    func sessionStates() async -> [TransportSessionKey: SMPSessionState] { await network.sessionStates() }

    var events: AsyncStream<SMPClientEvent> { network.events }
    func close() async { await network.close() }
}

@Suite struct SessionIsolationTests {
    /// Two connections of one user by two invitations, from making them to deleting them.
    private func uses(_ mode: NetworkConfiguration.SessionMode) async throws -> (uses: [SessionRecorder.Use], connections: [ConnectionID]) {
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let alice = try await TestParty("alice", internet, on: [router.address])
        var configuration = AgentConfiguration.quick
        configuration.network.sessionMode = mode
        let recorder = SessionRecorder(internet.makeClient())
        let agent = SMPAgent(configuration: configuration, store: try AgentStore(path: nil), network: recorder)
        try await agent.start()
        let user = try await agent.createUser(servers: [SMPServerWithAuth(router.address)])
        var connections: [ConnectionID] = []
        for _ in 0..<2 {
            let made = try await alice.invite(pq: .off)
            let id = try await agent.prepareToJoin(user: user, link: made.link, pqSupport: false)
            _ = try await agent.join(user: user, connection: id, link: made.link, info: [1], pqSupport: false)
            connections.append(id)
        }
        var open = Set(connections)
        for await notification in agent.events {
            if case .connected = notification.event, let id = notification.connection { open.remove(id) }
            if open.isEmpty { break }
        }
        for id in connections { _ = try await agent.send([AgentSendRequest(connection: id, body: [7], pqEncryption: false)])[0].get() }
        _ = await agent.subscribeAll()
        try await agent.delete(connections, waitDelivery: false)
        for await notification in agent.events {
            if case .connectionsDeleted(let ids) = notification.event { open.formUnion(ids) }
            if open.count == 2 { break }
        }
        await agent.close()
        await alice.close()
        return (recorder.all, connections)
    }

    @Test func `Without isolation all connections of a user share a session with a router`() async throws {
        let (uses, _) = try await uses(.user)
        #expect(Set(uses.map(\.session)).count == 1)
        #expect(uses.allSatisfy { $0.session.entity == nil })
    }

    @Test func `With isolation no session is used for two connections, nor for two queues of different ones`() async throws {
        let (uses, connections) = try await uses(.entity)
        #expect(Set(uses.map(\.session.entity)) == Set(connections.map { EntityID($0.bytes) }))
        var sessions: [EntityID: Set<TransportSessionKey>] = [:]
        for use in uses where !use.entity.isNone { sessions[use.entity, default: []].insert(use.session) }
        // Our queue and the peer's, of two connections.
        #expect(sessions.count == 4)
        #expect(sessions.values.allSatisfy { $0.count == 1 })
        for command in ["new", "skey", "send", "sub", "ack", "del", "unsubscribe"] {
            #expect(Set(uses.filter { $0.command == command }.map(\.session)).count == 2, "\(command)")
        }
    }
}
