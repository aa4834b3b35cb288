/// Texts from one client to another: accepted, delivered, and stored by the receiver.
enum OneWayMessages {
    /// Commands that are under way at a time.
    private static let window = 32

    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        let router = try await make.startRouter()
        let sender = try await make.startClient("Sender", router), receiver = try await make.startClient("Receiver", router)
        for client in [sender, receiver] { try await client.send("/set receipts all off") }
        var figures: [Figure] = []
        let before = Duration(processorTimeOf: [router.process])
        var sent = 0

        let one = try await connect(sender, receiver, user: 1)
        let single = make.scaled(2000, effort)
        figures += try await timed("one-way messages, 1 connection", single, sender, receiver) {
            try await send(single, from: sender, to: [one])
        }
        sent += single

        let apart = make.scaled(1000, effort)
        figures += try await timed("one-way messages, each after the answer to the last", apart, sender, receiver) {
            try await send(apart, from: sender, to: [one], window: 1)
        }
        sent += apart

        var contacts = [one]
        for number in 2...20 {
            let user = try await sender.createProfile("Sender \(number)")
            contacts.append(try await connect(sender, receiver, user: user))
        }
        let spread = make.scaled(2000, effort)
        figures += try await timed("one-way messages, 20 connections", spread, sender, receiver) {
            try await send(spread, from: sender, to: contacts)
        }
        sent += spread
        let routerTime = Duration(processorTimeOf: [router.process]) - before

        let batches = make.scaled(40, effort)
        figures += try await timed("one-way messages, batches of 100", batches * 100, sender, receiver) {
            try await sender.send("/user Sender")
            for batch in 0..<batches { try await sender.sendText("batch \(batch)", to: one.contact, copies: 100) }
        }
        figures.append(Figure("router: processor time per message", routerTime.milliseconds / Double(sent), .milliseconds))
        await sender.stop()
        await receiver.stop()
        await router.stop()
        return figures
    }

    private struct Peer {
        let user: Int64
        let contact: Int64
    }

    private static func connect(_ sender: BenchClient, _ receiver: BenchClient, user: Int64) async throws -> Peer {
        let link = try await receiver.createInvitation()
        return Peer(user: user, contact: try await sender.connect(link, user: user))
    }

    private static func send(_ count: Int, from sender: BenchClient, to peers: [Peer], window: Int = window) async throws {
        // A command names a contact of the active profile: profiles take turns, and the texts of one are under way together.
        for (index, peer) in peers.enumerated() {
            let share = count / peers.count + (index < count % peers.count ? 1 : 0)
            if peers.count > 1 { try await sender.send("/_user \(peer.user)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<share {
                    if number >= window { try await group.next() }
                    group.addTask { try await sender.sendText("message \(number)", to: peer.contact) }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func timed(
        _ name: String, _ count: Int, _ sender: BenchClient, _ receiver: BenchClient, _ work: () async throws -> Void
    ) async throws -> [Figure] {
        let received = receiver.tally.received
        let before = Duration(processorTimeOf: [sender.process, receiver.process])
        let start = ContinuousClock.now
        try await work()
        await receiver.tally.waitForReceived(received + count)
        let time = ContinuousClock.now - start
        let spent = Duration(processorTimeOf: [sender.process, receiver.process]) - before
        return [
            Figure(name, Double(count) / time.seconds, .perSecond),
            Figure("\(name): processor time per message, both sides", spent.milliseconds / Double(count), .milliseconds),
        ]
    }
}
