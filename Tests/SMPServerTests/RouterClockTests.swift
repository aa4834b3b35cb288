import RouterSupport
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import SMPServer

/// The clock of a router's machine is set: forwards and backwards, by more than an hour, a day, to 1970 and to 2100.
@Suite struct RouterClockTests {
    private static let start: Int64 = 1_700_000_000
    private static let jumps: [Int64] = [
        start + 4_000, start - 4_000, start + 90_000, start - 90_000, 0, 4_102_444_800, -86_400, .max / 2, start + 22 * 86_400,
    ]

    @Test(arguments: jumps) func nothingExpiresBecauseTheClockIsSet(_ time: Int64) async throws {
        let clock = TestClock(Self.start)
        try await withRouter(.memory) {
            $0.messageLifetime = .seconds(7_200)
            $0.queueLifetime = .seconds(86_400)
        } now: {
            clock.now
        } _: { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate), unused = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.secure(), unused.secure(), queue.send([1])]) == [.ok, .ok, .ok])
            clock.advance(time - Self.start)
            _ = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.send([2])]) == [.ok])
            await router.expire()
            #expect(router.statistics.queues == 3 && router.statistics.messages == 2)
            // And back again.
            clock.advance(Self.start + 10 - time)
            await router.expire()
            #expect(router.statistics.queues == 3 && router.statistics.messages == 2)
            #expect(try await client.request([queue.send([3])]) == [.ok])
            #expect(try await client.request([queue.sub()]) == [.sok(nil)])
            var message = try await client.event().message
            for expected in 1...3 as ClosedRange<UInt8> {
                #expect(try queue.body(message) == [expected])
                let answer = try await client.request([queue.acknowledge(try queue.open(message).message)])[0]
                if expected < 3 { message = answer }
            }
            #expect(router.statistics.counters.messagesExpired == 0 && router.statistics.counters.queuesExpired == 0)
        }
    }

    @Test(arguments: jumps) func figuresAndReportsBearAnyTime(_ time: Int64) async throws {
        let folder = try TemporaryFolder(isCreated: false), clock = TestClock(Self.start)
        for _ in 0..<2 {
            try await withRouter(.folder(folder.path), now: { clock.now }) { router in
                let client = try await TestClient(router.address)
                _ = try await TestQueue.create(client)
                clock.advance(time - clock.now)
                _ = try await TestQueue.create(client)
                router.core.saveStatistics()
                #expect(!Prometheus.text(router.statistics, at: clock.now).isEmpty)
                #expect(router.core.sessionReports.count == 1)
            }
        }
    }
}
