/// Profiles that connect to a bot's address, all at once, and one contact by a one-time link.
enum Connecting {
    static func measure(_ make: any Make, count: Int) async throws -> [Figure] {
        let router = try await make.startRouter()
        let bot = try await make.startBot(router)
        let client = try await make.startClient("Client", router)
        let users = try await Connecting.profiles(count, of: client)
        let start = ContinuousClock.now
        for user in users { try await client.beginToConnect(bot.link, user: user) }
        await client.tally.waitForConnected(users.count)
        let together = ContinuousClock.now - start
        await bot.stop()

        let other = try await make.startClient("Other", router)
        var times: [Duration] = []
        for number in 0..<max(5, count / 4) {
            let user = try await client.createProfile("By link \(number)")
            let connected = other.tally.connected
            let start = ContinuousClock.now
            let link = try await other.createInvitation()
            _ = try await client.connect(link, user: user)
            await other.tally.waitForConnected(connected + 1)
            times.append(ContinuousClock.now - start)
        }
        await client.stop()
        await other.stop()
        await router.stop()
        return [
            Figure("contacts connecting to one address", Double(count) / together.seconds, .perSecond),
            Figure("one contact by a one-time link, both connected", Samples(times).median.milliseconds, .milliseconds),
        ]
    }

    /// The client's first profile and more.
    static func profiles(_ count: Int, of client: BenchClient) async throws -> [Int64] {
        var users: [Int64] = [1]
        while users.count < count { users.append(try await client.createProfile("Profile \(users.count)")) }
        return users
    }
}
