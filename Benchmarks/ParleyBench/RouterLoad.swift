import NIOPosix
import OfficialPeers
import ProcessSupport
import SMPProtocol
import SMPTransport
import SMPWire

/// What a router does by itself, with clients that do as little as they can.
enum RouterLoad {
    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        let router = try await make.startRouter()
        defer { Task { await router.stop() } }
        let transport = try SMPTransportClient()
        let address = try SMPServerAddress(wireString: router.address)
        var figures = try await handshakes(router, address, transport, count: make.scaled(400, effort))
        figures += try await messages(router, address, transport, count: make.scaled(4_000, effort))
        let count = make.scaled(10_000, effort)
        let client = try await RouterClient(address, over: transport)
        let (queues, made) = try await creating(router, client, count)
        figures += made
        figures += try await backlog(router, address, transport, Array(queues.prefix(100)))
        await client.close()
        figures += try await restarting(router, transport, queues)
        await router.stop()
        return figures
    }

    private static let body = Bytes(repeating: 7, count: 15_800)

    private static func memory(_ router: any BenchRouter) -> Int { router.process.flatMap { ProcessFigures.privateMemory(of: $0.id) } ?? 0 }

    private static func handshakes(
        _ router: any BenchRouter, _ address: SMPServerAddress, _ transport: SMPTransportClient, count: Int
    ) async throws -> [Figure] {
        // The first connections make what all of them share.
        for _ in 0..<20 { await (try await RouterClient(address, over: transport)).close() }
        let before = memory(router), spent = Duration(processorTimeOf: [router.process])
        let start = ContinuousClock.now
        let clients = try await withThrowingTaskGroup(of: [RouterClient].self) { group in
            for lane in 0..<8 {
                group.addTask {
                    var clients: [RouterClient] = []
                    for _ in 0..<(count + lane) / 8 { clients.append(try await RouterClient(address, over: transport)) }
                    return clients
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let time = ContinuousClock.now - start
        // Each has done a command: what the router has of a client is there.
        for client in clients { _ = try await client.request([.init(command: .ping, entity: .none, key: nil)]) }
        let processor = Duration(processorTimeOf: [router.process]) - spent
        let each = Double(memory(router) - before) / Double(clients.count)
        for client in clients { await client.close() }
        return [
            Figure("router: handshakes (TLS and SMP), 8 at a time", Double(clients.count) / time.seconds, .perSecond),
            Figure("router: processor time per handshake", processor.milliseconds / Double(clients.count), .milliseconds),
            Figure("router: private memory per connected client", each / 1_000, .kilobytes),
        ]
    }

    /// Each message is sent, delivered and acknowledged.
    private static func messages(
        _ router: any BenchRouter, _ address: SMPServerAddress, _ transport: SMPTransportClient, count: Int
    ) async throws -> [Figure] {
        var figures: [Figure] = []
        for lanes in [1, 20] {
            let pairs = try await (0..<lanes).asyncMap { _ in
                let (recipient, sender) = (try await RouterClient(address, over: transport), try await RouterClient(address, over: transport))
                return (recipient, sender, try await recipient.createQueues(1, subscription: .subscribe)[0])
            }
            let each = count / lanes
            let spent = Duration(processorTimeOf: [router.process]), start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (recipient, sender, queue) in pairs {
                    group.addTask {
                        for _ in 0..<each {
                            // A full queue says so, and is tried again when the recipient has caught up.
                            while try await sender.request([queue.send(body)]) != [.ok] { try await Task.sleep(for: .milliseconds(5)) }
                        }
                    }
                    group.addTask { try await receive(each, recipient) { _ in queue } }
                }
                try await group.waitForAll()
            }
            let time = ContinuousClock.now - start, processor = Duration(processorTimeOf: [router.process]) - spent
            let name = "\(lanes) queue\(lanes == 1 ? "" : "s"), each message sent after the one before was accepted"
            figures.append(Figure("router: messages sent, delivered and acknowledged, \(name)", Double(each * lanes) / time.seconds, .perSecond))
            figures.append(
                Figure(
                    "router: processor time per message, \(lanes) queue\(lanes == 1 ? "" : "s")", processor.milliseconds / Double(each * lanes), .milliseconds))
            for (recipient, sender, _) in pairs {
                await recipient.close()
                await sender.close()
            }
        }
        return figures
    }

    /// Acknowledges messages as they come until there were so many.
    private static func receive(_ count: Int, _ client: RouterClient, _ queue: @escaping @Sendable (EntityID) -> RouterClient.Queue?) async throws {
        var left = count
        try await withThrowingTaskGroup(of: Int.self) { group in
            for await (entity, message) in client.events {
                guard case .msg(let first) = message, let queue = queue(entity) else { continue }
                // The answer to an acknowledgement is the next message, if there is one: each queue goes on by itself.
                group.addTask {
                    var received = 1, message = first
                    while case .msg(let next)? = try await client.request([queue.acknowledge(message.id)]).first {
                        message = next
                        received += 1
                    }
                    return received
                }
                // A queue that is empty for the moment is heard of again by an event.
                if let done = try await group.next() { left -= done }
                if left <= 0 { return }
            }
        }
    }

    private static func creating(_ router: any BenchRouter, _ client: RouterClient, _ count: Int) async throws -> ([RouterClient.Queue], [Figure]) {
        // Room for what tables grow by is made before.
        var queues = try await client.createQueues(count / 10, subscription: .onlyCreate)
        let before = memory(router), start = ContinuousClock.now
        queues += try await client.createQueues(count - queues.count, subscription: .onlyCreate)
        let time = ContinuousClock.now - start, made = Double(count - count / 10)
        return (
            queues,
            [
                Figure("router: queues created and secured, batches of 100", made / time.seconds, .perSecond),
                Figure("router: private memory per idle queue", Double(memory(router) - before) / made / 1_000, .kilobytes),
            ]
        )
    }

    private static func backlog(
        _ router: any BenchRouter, _ address: SMPServerAddress, _ transport: SMPTransportClient, _ queues: [RouterClient.Queue]
    ) async throws -> [Figure] {
        let depth = 100
        let sender = try await RouterClient(address, over: transport)
        let filling = ContinuousClock.now
        for _ in 0..<depth {
            let answers = try await sender.request(queues.map { $0.send(body) })
            guard answers.allSatisfy({ $0 == .ok }) else { throw BenchFault("a message was refused") }
        }
        let filled = ContinuousClock.now - filling
        let recipient = try await RouterClient(address, over: transport)
        let byEntity = Dictionary(uniqueKeysWithValues: queues.map { ($0.recipient, $0) })
        let spent = Duration(processorTimeOf: [router.process]), start = ContinuousClock.now
        async let subscribed = recipient.request(queues.map(\.subscribe))
        try await withThrowingTaskGroup(of: Void.self) { group in
            var heard = 0
            for await (entity, message) in recipient.events {
                guard case .msg(var next) = message, let queue = byEntity[entity] else { continue }
                group.addTask {
                    while case .msg(let following)? = try await recipient.request([queue.acknowledge(next.id)]).first { next = following }
                }
                heard += 1
                if heard == queues.count { break }
            }
            try await group.waitForAll()
        }
        _ = try await subscribed
        let time = ContinuousClock.now - start, processor = Duration(processorTimeOf: [router.process]) - spent
        await sender.close()
        await recipient.close()
        let count = Double(queues.count * depth)
        return [
            Figure("router: sends, batches to 100 queues, nobody receiving", count / filled.seconds, .perSecond),
            Figure("router: backlog of \(Int(count)) messages in 100 queues drained by one client", time.milliseconds, .milliseconds),
            Figure("router: processor time per drained message", processor.milliseconds / count, .milliseconds),
        ]
    }

    private static func restarting(
        _ router: any BenchRouter, _ transport: SMPTransportClient, _ queues: [RouterClient.Queue]
    ) async throws -> [Figure] {
        let start = ContinuousClock.now
        try await router.restart()
        let started = ContinuousClock.now - start
        let client = try await RouterClient(try SMPServerAddress(wireString: router.address), over: transport)
        let spent = Duration(processorTimeOf: [router.process]), subscribing = ContinuousClock.now
        for first in stride(from: 0, to: queues.count, by: 1_350) {
            let batch = queues[first..<min(queues.count, first + 1_350)]
            let answers = try await client.request(batch.map(\.subscribe))
            guard answers.allSatisfy({ if case .err = $0 { false } else { true } }) else { throw BenchFault("a subscription was refused") }
        }
        let time = ContinuousClock.now - subscribing, processor = Duration(processorTimeOf: [router.process]) - spent
        await client.close()
        return [
            Figure("router: started again with \(queues.count) queues", started.milliseconds, .milliseconds),
            Figure("router: subscriptions, batches of 1,350", Double(queues.count) / time.seconds, .perSecond),
            Figure("router: processor time per subscription", processor.milliseconds / Double(queues.count), .milliseconds),
            Figure("router: \(queues.count) queues subscribed after a restart, start included", (started + time).milliseconds, .milliseconds),
        ]
    }
}

extension Range<Int> {
    fileprivate func asyncMap<Result>(_ transform: (Int) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
