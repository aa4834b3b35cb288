/// The time from a text's command to the arrival of a bot's answer, one at a time, and what it costs.
enum EchoRoundTrip {
    static func measure(_ make: any Make, count: Int) async throws -> [Figure] {
        let router = try await make.startRouter()
        let bot = try await make.startBot(router)
        let client = try await make.startClient("Client", router)
        let contact = try await client.connect(bot.link)
        var times: [Duration] = []
        let warmUp = 10
        var before = Duration.zero
        for number in 0..<count + warmUp {
            if number == warmUp { before = Duration(processorTimeOf: [client.process, bot.process]) }
            let start = ContinuousClock.now
            let received = client.tally.received
            try await client.sendText("number \(number)", to: contact)
            await client.tally.waitForReceived(received + 1)
            if number >= warmUp { times.append(ContinuousClock.now - start) }
        }
        let spent = Duration(processorTimeOf: [client.process, bot.process]) - before
        await client.stop()
        await bot.stop()
        await router.stop()
        let samples = Samples(times)
        return [
            Figure("echo round trip, p50", samples.median.milliseconds, .milliseconds),
            Figure("echo round trip, p99", samples.percentile(0.99).milliseconds, .milliseconds),
            Figure("processor time per echo, client and bot", spent.milliseconds / Double(count), .milliseconds),
        ]
    }
}
