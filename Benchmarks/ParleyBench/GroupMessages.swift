import ChatProtocol

/// A group of 20: the host in one program, the others as profiles of another one. Members confirm posts, as is the default; then without.
enum GroupMessages {
    private static let members = 20

    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        let router = try await make.startRouter()
        let host = try await make.startClient("Host", router), guests = try await make.startClient("Guest 1", router)
        var profiles: [Int64] = [1]
        for number in 2..<members { profiles.append(try await guests.createProfile("Guest \(number)")) }
        try await host.send("/_user 1")
        try await host.send(#"/_group 1 {"displayName": "team", "fullName": ""}"#)
        let link = try BenchLink(try await host.send("/_create link #1 member")["groupLink"]?["connLinkContact"])
        var figures = [try await setUp(link, host, guests, profiles)]
        let count = max(5, make.scaled(50, effort))
        for receipts in [true, false] {
            if !receipts { for client in [host, guests] { try await client.send("/set receipts all off") } }
            figures += try await posts(count, host, guests, receipts: receipts)
            figures.append(try await burst(host, guests, receipts: receipts))
        }
        await host.stop()
        await guests.stop()
        await router.stop()
        return figures
    }

    /// The time until everybody is connected to everybody.
    private static func setUp(_ link: BenchLink, _ host: BenchClient, _ guests: BenchClient, _ profiles: [Int64]) async throws -> Figure {
        let start = ContinuousClock.now
        for profile in profiles { try await guests.beginToConnect(link, user: profile) }
        await host.tally.waitForMembers(members - 1)
        await guests.tally.waitForMembers((members - 1) * (members - 1))
        return Figure("group of \(members) by link, all pairs connected", (ContinuousClock.now - start).milliseconds, .milliseconds)
    }

    /// Posts one after another, each when all have the one before, and have confirmed it.
    private static func posts(_ count: Int, _ host: BenchClient, _ guests: BenchClient, receipts: Bool) async throws -> [Figure] {
        var times: [Duration] = []
        let before = Duration(processorTimeOf: [host.process])
        for number in 0..<count {
            let received = guests.tally.received, confirmed = host.tally.confirmed, start = ContinuousClock.now
            try await host.sendText("post \(number)", toGroup: 1)
            await guests.tally.waitForReceived(received + members - 1)
            times.append(ContinuousClock.now - start)
            if receipts { await host.tally.waitForConfirmed(confirmed + 1) }
        }
        let spent = Duration(processorTimeOf: [host.process]) - before
        let median = times.sorted()[times.count / 2]
        let setting = setting(receipts)
        return [
            Figure("post to \(members - 1) members, \(setting), until the last has it (median)", median.milliseconds, .milliseconds),
            Figure("post, \(setting): processor time of the sender per recipient", spent.milliseconds / Double(count * (members - 1)), .milliseconds),
        ]
    }

    /// Fifty posts at once.
    private static func burst(_ host: BenchClient, _ guests: BenchClient, receipts: Bool) async throws -> Figure {
        let count = 50
        let received = guests.tally.received, confirmed = host.tally.confirmed, start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await host.sendText("burst \(number)", toGroup: 1) } }
            try await group.waitForAll()
        }
        await guests.tally.waitForReceived(received + count * (members - 1))
        let seconds = (ContinuousClock.now - start).seconds
        if receipts { await host.tally.waitForConfirmed(confirmed + count) }
        return Figure("\(count) posts at once, \(setting(receipts)), deliveries", Double(count * (members - 1)) / seconds, .perSecond)
    }

    private static func setting(_ receipts: Bool) -> String { receipts ? "receipts on" : "receipts off" }
}
