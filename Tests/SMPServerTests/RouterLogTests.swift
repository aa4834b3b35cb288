import Logging
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import Testing

@testable import SMPServer

/// The records of a router at the default level name neither the clients nor their queues.
@Suite struct RouterLogTests {
    @Test func clientsAndQueuesAreNotNamed() async throws {
        let records = LogRecords()
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let router = try await SMPRouter.start(configuration, logger: records.logger)
        let client = try await TestClient(router.address), hostile = try await TestClient(router.address)
        let queue = try await TestQueue.create(client)
        #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
        #expect(try await hostile.request(.send(MessageFlags(notification: false), [2]), queue.sender, TestQueue.key()) == .err(.auth))
        try await hostile.connection.send(Bytes(repeating: 7, count: 16_384))
        await #expect(throws: (any Error).self) { try await hostile.request(.ping) }
        #expect(try await client.request(.del, queue.recipient, queue.recipientKey) == .ok)
        router.core.logger.notice("the log is read")
        await router.stop()

        let lines = records.lines.withLock(\.self)
        #expect(lines.contains { $0.hasPrefix("the log is read") })
        for name in [queue.recipient, queue.sender].map({ Base64URL.encode($0.bytes) }) + ["127.0.0.1"] {
            #expect(!lines.contains { $0.contains(name) }, "\(name): \(lines)")
        }
    }
}
