import OfficialPeers
import ProcessSupport

/// Messages that were sent while the recipient did not run: from its start until it has stored and shown all.
enum Backlog {
    private static let queues = 20

    static func measure(_ make: any Make, count: Int) async throws -> [Figure] {
        let router = try await make.startRouter()
        let sender = try await make.startClient("Sender", router), receiver = try await make.startClient("Receiver", router)
        for client in [sender, receiver] { try await client.send("/set receipts all off") }
        let users = try await Connecting.profiles(queues, of: sender)
        var contacts: [(user: Int64, contact: Int64)] = []
        for user in users { contacts.append((user, try await sender.connect(try await receiver.createInvitation(), user: user))) }
        await receiver.stop()

        let each = max(1, count / queues), all = each * queues
        let sent = sender.tally.sent
        for (user, contact) in contacts {
            try await sender.send("/_user \(user)")
            for number in 0..<each { try await sender.sendText("message \(number)", to: contact) }
        }
        await sender.tally.waitForSent(sent + all)

        let received = receiver.tally.received, start = ContinuousClock.now
        try await receiver.restart()
        await receiver.tally.waitForReceived(received + all)
        let time = ContinuousClock.now - start, processor = Duration(processorTimeOf: [receiver.process])
        await sender.stop()
        await receiver.stop()
        await router.stop()
        let name = "backlog of \(all) messages in \(queues) queues drained"
        return [
            Figure("\(name), from the start of the process", time.milliseconds, .milliseconds),
            Figure("\(name): rate", Double(all) / time.seconds, .perSecond),
            Figure("backlog: processor time per message, recipient", processor.milliseconds / Double(all), .milliseconds),
        ]
    }
}
