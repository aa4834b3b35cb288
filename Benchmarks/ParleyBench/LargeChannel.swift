import ChatProtocol
import Foundation
import GRDB
import OfficialPeers
import ProcessSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// A relay with very many subscribers.
///
/// One subscriber joins as people do. The others are copies of it in the databases of the relay, each with queues of its own on the router, and this
/// program receives what they get. So the relay and the router do all of their work, and the subscribers only take messages and acknowledge them.
enum LargeChannel {
    private static let posts = 5

    static func measure(_ make: ParleyMake, sizes: [Int]) async throws -> [Figure] {
        let router = try await make.startRouter()
        let owner = try await make.startClient("Owner", router), relay = try await make.startClient("Relay", router, isRelay: true)
        let reader = try await make.startClient("Reader", router)
        let channel = try await ChannelPosts.makeChannel(owner, over: relay)
        try await ChannelPosts.join(channel, reader, [1])
        let address = try SMPServerAddress(wireString: router.address), transport = try SMPTransportClient()
        var audiences: [Audience] = [], count = 1
        var figures: [Figure] = []
        for size in sizes {
            Progress.say("audience: \(size) subscribers join …")
            await relay.stop()
            let joining = try await Audience(size - count, address, transport)
            try SubscriberCopies(of: relay).add(joining.connections)
            audiences.append(joining)
            count = size
            Progress.say("audience: the relay of \(size) starts …")
            try await relay.restart()
            figures += try await start(of: relay, size)
            Progress.say("audience: posts to \(size) …")
            figures += try await measurePosts(owner, relay, router, reader, audiences, size)
        }
        for audience in audiences { await audience.close() }
        for client in [owner, relay, reader] { await client.stop() }
        await router.stop()
        return figures
    }

    /// Waits until the start is over, which no event of the API tells.
    private static func start(of relay: BenchClient, _ size: Int) async throws -> [Figure] {
        var spent = Duration(processorTimeOf: [relay.process])
        while true {
            try await Task.sleep(for: .seconds(2))
            let now = Duration(processorTimeOf: [relay.process])
            if now - spent < .milliseconds(20) { break }
            spent = now
        }
        return [
            Figure("channel of \(size): processor time of the relay's start", spent.milliseconds, .milliseconds),
            Figure("channel of \(size): private memory of the relay at rest", privateMemory(of: relay), .megabytes),
        ]
    }

    private static func measurePosts(
        _ owner: BenchClient, _ relay: BenchClient, _ router: any BenchRouter, _ reader: BenchClient, _ audiences: [Audience], _ size: Int
    ) async throws -> [Figure] {
        let peak = Mutex(privateMemory(of: relay))
        let sampling = Task {
            while !Task.isCancelled {
                peak.withLock { $0 = max($0, privateMemory(of: relay)) }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { sampling.cancel() }
        var times: [Duration] = []
        let before = Duration(processorTimeOf: [relay.process]), routerBefore = Duration(processorTimeOf: [router.process])
        for number in 0..<posts {
            let start = ContinuousClock.now, received = reader.tally.received
            try await owner.sendPost("post \(number) to \(size)")
            await reader.tally.waitForReceived(received + 1)
            for audience in audiences { try await audience.waitForNext() }
            times.append(ContinuousClock.now - start)
        }
        let deliveries = Double(size * posts)
        let spent = Duration(processorTimeOf: [relay.process]) - before, routerSpent = Duration(processorTimeOf: [router.process]) - routerBefore
        return [
            Figure("channel of \(size): a post, until the last has it (median of \(posts))", Samples(times).median.milliseconds, .milliseconds),
            Figure("channel of \(size): processor time of the relay per delivery", spent.milliseconds / deliveries, .milliseconds),
            Figure("channel of \(size): processor time of the router per delivery", routerSpent.milliseconds / deliveries, .milliseconds),
            Figure("channel of \(size): most private memory of the relay", peak.withLock(\.self), .megabytes),
        ]
    }

    private static func privateMemory(of client: BenchClient) -> Double {
        Double(client.process.flatMap { ProcessFigures.privateMemory(of: $0.id) } ?? 0) / 1_048_576
    }
}

/// Subscribers that take messages and acknowledge them, over a few connections.
private final class Audience: Sendable {
    /// The queues of a subscriber and of the relay for each other.
    struct Connection: Sendable {
        let toSubscriber: RouterClient.Queue
        let toRelay: RouterClient.Queue
    }

    private static let lanes = 4

    let connections: [Connection]
    private let clients: [RouterClient]
    private let waiter: Waiter

    /// The posts that all have, counted by one task.
    private actor Waiter {
        private var steps: AsyncStream<Result<Int, any Error>>.Iterator
        private var taken = 0
        private var wanted = 0

        init(_ steps: AsyncStream<Result<Int, any Error>>) { self.steps = steps.makeAsyncIterator() }

        func wait(for more: Int) async throws {
            wanted += more
            while taken < wanted {
                var steps = self.steps
                guard let step = await steps.next(isolation: self) else { throw BenchFault("the router closed the connection") }
                self.steps = steps
                taken += try step.get()
            }
        }
    }

    init(_ count: Int, _ address: SMPServerAddress, _ transport: SMPTransportClient) async throws {
        let relayClient = try await RouterClient(address, over: transport)
        let inward = try await relayClient.createQueues(count, subscription: .onlyCreate)
        await relayClient.close()
        let (progress, sink) = AsyncStream<Result<Int, any Error>>.makeStream()
        var clients: [RouterClient] = [], outward: [RouterClient.Queue] = []
        for lane in 0..<Self.lanes {
            let client = try await RouterClient(address, over: transport)
            let queues = try await client.createQueues((count + lane) / Self.lanes, subscription: .subscribe)
            clients.append(client)
            outward += queues
            Task { await Self.receive(client, Dictionary(uniqueKeysWithValues: queues.map { ($0.recipient, $0) }), sink) }
        }
        self.clients = clients
        connections = zip(outward, inward).map { Connection(toSubscriber: $0, toRelay: $1) }
        waiter = Waiter(progress)
    }

    /// Returns when each subscriber has had one more message.
    func waitForNext() async throws { try await waiter.wait(for: connections.count) }

    func close() async { for client in clients { await client.close() } }

    /// Acknowledges what comes, together what came together.
    private static func receive(
        _ client: RouterClient, _ queues: [EntityID: RouterClient.Queue], _ sink: AsyncStream<Result<Int, any Error>>.Continuation
    ) async {
        let acknowledgements = Mutex<[RouterClient.Command]>([])
        let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let acknowledging = Task {
            for await _ in signals {
                while true {
                    let batch = acknowledgements.withLock { waiting in
                        defer { waiting.removeFirst(min(100, waiting.count)) }
                        return Array(waiting.prefix(100))
                    }
                    if batch.isEmpty { break }
                    for answer in try await client.request(batch) where answer != .ok { sink.yield(.failure(BenchFault("not acknowledged: \(answer)"))) }
                }
            }
        }
        for await (entity, message) in client.events {
            guard case .msg(let received) = message, let queue = queues[entity] else { continue }
            acknowledgements.withLock { $0.append(queue.acknowledge(received.id)) }
            signal.yield()
            sink.yield(.success(1))
        }
        acknowledging.cancel()
        sink.finish()
    }
}

/// Further subscribers in the databases of a relay that is stopped, as copies of the one that joined.
private struct SubscriberCopies {
    private let chat: DatabaseQueue
    private let agent: DatabaseQueue

    init(of relay: BenchClient) throws {
        chat = try DatabaseQueue(path: relay.databasePrefix + "_chat.db")
        agent = try DatabaseQueue(path: relay.databasePrefix + "_agent.db")
    }

    func add(_ connections: [Audience.Connection]) throws {
        let template = try chat.read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT m.group_member_id, cn.connection_id, cn.agent_connection_id FROM group_members m JOIN connections cn USING (group_member_id)
                    WHERE m.role = 'observer' AND m.category <> 'user' ORDER BY m.group_member_id LIMIT 1
                    """)
        }
        guard let template else { throw BenchFault("nobody has joined") }
        let ids = connections.map { _ in Data((0..<24).map { _ in UInt8.random(in: 0...255) }) }
        try addMembers(ids, like: template)
        try addConnections(Array(zip(ids, connections)), like: template["agent_connection_id"])
    }

    private func addMembers(_ ids: [Data], like template: Row) throws {
        let member: Int64 = template["group_member_id"], connection: Int64 = template["connection_id"]
        try chat.write { db in
            var last = try Int64.fetchOne(db, sql: "SELECT max(index_in_group) FROM group_members") ?? 0
            let copyMember = try copy(
                "group_members", by: "group_member_id", replacing: ["index_in_group", "member_id", "local_display_name", "owns_name"], in: db)
            let copyConnection = try copy(
                "connections", by: "connection_id", replacing: ["agent_connection_id", "group_member_id"], in: db)
            for id in ids {
                last += 1
                try copyMember.execute(arguments: [last, id.prefix(12), "subscriber \(last)", false, member])
                try copyConnection.execute(arguments: [id, db.lastInsertedRowID, connection])
            }
        }
    }

    private func addConnections(_ connections: [(id: Data, queues: Audience.Connection)], like template: Data) throws {
        try agent.write { db in
            func number(_ sql: String, _ arguments: StatementArguments) throws -> Int64 {
                guard let number = try Int64.fetchOne(db, sql: sql, arguments: arguments) else { throw BenchFault("the relay has no such connection") }
                return number
            }
            let source = try number("SELECT connection_id FROM connections WHERE public_id = ?", [template])
            let inward = try number("SELECT queue_id FROM receive_queues WHERE connection_id = ?", [source])
            let outward = try number("SELECT queue_id FROM send_queues WHERE connection_id = ?", [source])
            let copyConnection = try copy("connections", by: "connection_id", replacing: ["public_id"], in: db)
            let copyRatchet = try db.makeStatement(sql: "INSERT INTO ratchets (connection_id, state) SELECT ?, state FROM ratchets WHERE connection_id = ?")
            let copyInward = try copy(
                "receive_queues", by: "queue_id", replacing: ["connection_id", "recipient_id", "sender_id", "private_key"], in: db)
            let copyOutward = try copy("send_queues", by: "queue_id", replacing: ["connection_id", "sender_id", "private_key"], in: db)
            for (id, queues) in connections {
                try copyConnection.execute(arguments: [id, source])
                let connection = db.lastInsertedRowID, receiving = queues.toRelay, sending = queues.toSubscriber
                try copyRatchet.execute(arguments: [connection, source])
                try copyInward.execute(
                    arguments: [connection, Data(receiving.recipient.bytes), Data(receiving.sender.bytes), Data(receiving.recipientKey.pkcs8.bytes), inward])
                try copyOutward.execute(arguments: [connection, Data(sending.sender.bytes), Data(sending.senderKey.pkcs8.bytes), outward])
            }
        }
    }

    /// A statement that copies a row; its arguments are the new values, in their order, and the key of the row.
    private func copy(_ table: String, by key: String, replacing new: [String], in db: Database) throws -> Statement {
        let others = try db.columns(in: table).map(\.name).filter { $0 != key && !new.contains($0) }
        return try db.makeStatement(
            sql: """
                INSERT INTO \(table) (\((new + others).joined(separator: ", ")))
                SELECT \((new.map { _ in "?" } + others).joined(separator: ", ")) FROM \(table) WHERE \(key) = ?
                """)
    }
}
