import ChatProtocol

/// A group of 20: the host in one program, the others as profiles of another one.
enum GroupMessages {
    private static let members = 20

    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        let router = try await make.startRouter()
        let host = try await make.startClient("Host", router), guests = try await make.startClient("Guest 1", router)
        var profiles: [Int64] = [1]
        for number in 2..<members { profiles.append(try await guests.createProfile("Guest \(number)")) }
        for client in [host, guests] { try await client.send("/set receipts all off") }
        try await host.send("/_user 1")
        try await host.send(#"/_group 1 {"displayName": "team", "fullName": ""}"#)
        let link = try BenchLink(try await host.send("/_create link #1 member")["groupLink"]?["connLinkContact"])
        var figures = [try await setUp(link, host, guests, profiles)]
        figures += try await posts(max(5, make.scaled(50, effort)), host, guests)
        figures.append(try await burst(host, guests))
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

    /// Posts one after another, each when all have the one before.
    private static func posts(_ count: Int, _ host: BenchClient, _ guests: BenchClient) async throws -> [Figure] {
        var times: [Duration] = []
        let before = Duration(processorTimeOf: [host.process])
        for number in 0..<count {
            let received = guests.tally.received, start = ContinuousClock.now
            try await host.sendText("post \(number)", toGroup: 1)
            await guests.tally.waitForReceived(received + members - 1)
            times.append(ContinuousClock.now - start)
        }
        let spent = Duration(processorTimeOf: [host.process]) - before
        let median = times.sorted()[times.count / 2]
        return [
            Figure("post to \(members - 1) members, until the last has it (median)", median.milliseconds, .milliseconds),
            Figure("post: processor time of the sender per recipient", spent.milliseconds / Double(count * (members - 1)), .milliseconds),
        ]
    }

    /// Fifty posts at once.
    private static func burst(_ host: BenchClient, _ guests: BenchClient) async throws -> Figure {
        let count = 50
        let received = guests.tally.received, start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await host.sendText("burst \(number)", toGroup: 1) } }
            try await group.waitForAll()
        }
        await guests.tally.waitForReceived(received + count * (members - 1))
        let seconds = (ContinuousClock.now - start).seconds
        return Figure("\(count) posts at once, deliveries", Double(count * (members - 1)) / seconds, .perSecond)
    }
}
