import Logging
import RouterSupport
import SMPProtocol
import SMPServer
import SMPWire
import Testing

@testable import SMPClient

/// The client and the router of this package with each other.
@Suite("With this package's router")
struct RouterTests {
    private func withRouter(
        versions: VersionRange = SMPVersion.offered, _ body: (SMPRouter, SMPClientPool) async throws -> Void
    ) async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        configuration.versions = versions
        let router = try await SMPRouter.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let pool = try SMPClientPool()
        do {
            try await body(router, pool)
        } catch {
            await pool.close()
            await router.stop()
            throw error
        }
        await pool.close()
        await router.stop()
    }

    @Test("Queues are created, secured, sent to, received from and acknowledged at every version", arguments: 9...20 as ClosedRange<UInt16>)
    func conversation(_ version: UInt16) async throws {
        try await withRouter(versions: VersionRange(version)) { router, pool in
            try await converse(pool, router.address, version: version)
        }
    }

    @Test("The router's errors are told apart")
    func errors() async throws {
        try await withRouter { router, pool in
            try await provokeErrors(pool, TransportSessionKey(userID: 1, server: router.address))
        }
    }

    @Test("Many queues between two users: everything arrives once and in order")
    func manyQueues() async throws {
        try await withRouter { router, pool in
            let recipient = TransportSessionKey(userID: 1, server: router.address)
            let sender = TransportSessionKey(userID: 2, server: router.address)
            var queues: [RecipientID: Queue] = [:]
            for _ in 0..<10 {
                let queue = try await Queue(pool, recipient, keys: { newKeys()[0] })
                _ = try await pool.send(queue.secure(), over: sender)
                queues[queue.ids.recipientID] = queue
            }
            let all = queues
            let sending = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for queue in all.values {
                        group.addTask {
                            for number in 0..<30 { _ = try await pool.send(queue.send("\(number)"), over: sender) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            var received: [RecipientID: [String]] = [:]
            var events = pool.events.makeAsyncIterator()
            for _ in 0..<300 {
                let (id, message) = try await nextMessage(&events)
                let queue = try #require(queues[id])
                received[id, default: []].append(try queue.open(message))
                let acknowledged = try await pool.send(queue.acknowledge(message), over: recipient)
                #expect(acknowledged == .ok)
            }
            try await sending.value
            #expect(received.count == 10)
            #expect(received.values.allSatisfy { $0 == (0..<30).map(String.init) })
        }
    }
}
