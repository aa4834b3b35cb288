import SMPClient
import SMPProtocol
import Testing

@testable import SMPAgent

@Suite struct DeliveryScheduleTests {
    private let configuration = AgentConfiguration()

    private func message(_ kind: AgentMessageKind = .message, at time: Int64 = 0) -> SentMessage {
        SentMessage(
            messageID: 1, sentID: 1, kind: kind, flags: MessageFlags(), content: .envelope([]), hash: [], previousHash: [],
            pqEncryption: false, createdAt: time)
    }

    private let away = AgentError(.broker(address: "", .timeout))
    private let full = AgentError(.smp(server: "", .quota))
    private let refused = AgentError(.smp(server: "", .auth))

    private func delays(_ error: AgentError, count: Int, restored: DeliveryRetryState? = nil) -> [Duration] {
        var schedule = DeliverySchedule(configuration, restored: restored)
        return (0..<count).compactMap { _ in
            if case .retry(let delay, _, _) = schedule.failed(message(), with: error, now: 0, configuration) { delay } else { nil }
        }
    }

    @Test func `Retries begin at two seconds, grow after ten and end at two minutes`() {
        let delays = delays(away, count: 30)
        #expect(delays.prefix(6).map(\.wholeMilliseconds) == [2000, 2000, 2000, 2000, 2000, 3000])
        #expect(delays.last == .seconds(120))
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `Retries for a full queue begin at five minutes, grow at once and end at six hours`() {
        let delays = delays(full, count: 30)
        #expect(delays.prefix(3) == [.seconds(300), .seconds(450), .seconds(675)])
        #expect(delays.last == .seconds(21_600))
    }

    @Test func `After the peer's word that its queue is read, refusals are retried soon, then as those of a full queue`() {
        var schedule = DeliverySchedule(configuration, restored: nil)
        func next() -> (delay: Duration, isWarned: Bool)? {
            guard case .retry(let delay, _, let isWarned) = schedule.failed(message(), with: full, now: 0, configuration) else { return nil }
            return (delay, isWarned)
        }
        #expect(next()?.delay == .seconds(300))
        schedule.continued(configuration)
        var soon: [Duration] = []
        while let retry = next(), retry.delay <= .seconds(10) {
            soon.append(retry.delay)
            #expect(!retry.isWarned)
        }
        #expect(soon.prefix(3) == [.milliseconds(100), .milliseconds(150), .milliseconds(225)])
        #expect(soon.last == .seconds(10))
        #expect(soon.count < 20)
        #expect(next()?.isWarned == true)
        // The delays of full queues have not begun anew.
        schedule.continued(configuration)
        _ = next()
        if case .retry(_, let state, _) = schedule.failed(message(), with: full, now: 0, configuration) { #expect(state.slow > .seconds(450)) }
    }

    @Test func `A restart goes on from the stored delays`() {
        let restored = DeliveryRetryState(slow: .seconds(1000), fast: .seconds(20))
        #expect(delays(away, count: 2, restored: restored) == [.seconds(20), .seconds(30)])
        #expect(delays(full, count: 2, restored: restored) == [.seconds(1000), .seconds(1500)])
    }

    @Test func `Messages are given up after two days, or seven for a full queue, with those as old`() {
        let day: Int64 = 86_400_000
        func decide(_ error: AgentError, after time: Int64, _ kind: AgentMessageKind = .message) -> DeliveryDecision {
            var schedule = DeliverySchedule(configuration, restored: nil)
            return schedule.failed(message(kind), with: error, now: time, configuration)
        }
        #expect(decide(away, after: 2 * day + 1) == .giveUp(expireOthers: 1))
        #expect(decide(full, after: 7 * day + 1) == .giveUp(expireOthers: 1))
        #expect(decide(refused, after: 0) == .giveUp(expireOthers: nil))
        #expect(decide(full, after: 0, .connectionInfo) == .giveUp(expireOthers: nil))
        if case .giveUp = decide(away, after: 2 * day) { Issue.record("given up too early") }
        if case .giveUp = decide(full, after: 7 * day) { Issue.record("given up too early") }
        if case .giveUp = decide(AgentError(.broker(address: "", .host)), after: 0) { Issue.record("a router that moved may come back") }
    }

    @Test func `What a proxy says is retried if the router behind it may answer later`() {
        func proxied(_ error: SMPErrorType) -> AgentError { AgentError(.proxy(server: "one", relay: "two", .protocol(error))) }
        for temporary in [BrokerErrorType.timeout, .network(.failed), .host, .transport(.version)] {
            #expect(delays(proxied(.proxy(.broker(temporary))), count: 1) == [.seconds(2)])
        }
        #expect(delays(proxied(.proxy(.noSession)), count: 1) == [.seconds(2)])
        for lasting in [SMPErrorType.proxy(.basicAuth), .proxy(.broker(.unexpected("OK"))), .auth] {
            #expect(delays(proxied(lasting), count: 1) == [])
        }
        #expect(proxied(.auth).code == "PROXY")
    }

    @Test func `Only warnings that a person can act on are given`() {
        func isWarned(_ error: AgentError) -> Bool {
            var schedule = DeliverySchedule(configuration, restored: nil)
            if case .retry(_, _, let isWarned) = schedule.failed(message(), with: error, now: 0, configuration) { return isWarned }
            return false
        }
        #expect(!isWarned(away))
        #expect(isWarned(full))
        #expect(isWarned(AgentError(.broker(address: "", .host))))
    }
}
