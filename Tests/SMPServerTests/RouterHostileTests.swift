import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import Testing

/// What clients must not be able to do to a router or to each other.
@Suite struct RouterHostileTests {
    /// A session that works, to see that it still does after what others did.
    private func expectWorking(_ client: TestClient, _ queue: TestQueue) async throws {
        #expect(try await client.request([queue.send([1, 2])]) == [.ok])
        let (message, _) = try queue.open(try await client.event().message)
        #expect(try await client.request([queue.acknowledge(message)]) == [.ok])
    }

    @Test func hostileBlocksEndNoOtherSession() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure()]) == [.ok])
            let random = SeededRandomSource(seed: 1)
            for round in 0..<20 {
                // A block that is not encrypted as it should be ends its own session.
                let hostile = try await TestClient(router.address)
                try await hostile.connection.send(random.bytes(16_384))
                await #expect(throws: (any Error).self) { try await hostile.request(.ping) }
                if round % 5 == 0 { try await expectWorking(client, queue) }
            }
            try await expectWorking(client, queue)
        }
    }

    @Test func garbageInsideABlockIsAnsweredWithErrorsAndTheSessionGoesOn() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure()]) == [.ok])
            let random = SeededRandomSource(seed: 2)
            // It reads now and then: a router that is slow answers in many blocks, and reads no more from who takes none of them.
            for number in 1...50 {
                try await client.sendContent(random.bytes(Int(random.bytes(1)[0]) * 60))
                if number.isMultiple(of: 5) { #expect(try await client.request(.ping) == .pong) }
            }
            for content: Bytes in [[], [0], [255], [1, 0, 0], [1, 0xFF, 0xFF]] { try await client.sendContent(content) }
            #expect(try await client.request(.ping) == .pong)
            let valid = try client.transmission(queue.send([1]), .random(random))
            for count in stride(from: 0, to: valid.count, by: 5) {
                try await client.sendContent([1] + LargeBytes(Bytes(valid.prefix(count))).wireBytes)
                if count.isMultiple(of: 25) { #expect(try await client.request(.ping) == .pong) }
            }
            #expect(try await client.request(.ping) == .pong)
            let messages = client.events.map(\.message)
            #expect(messages.contains(.err(.block)))
            #expect(try await client.eventsSoFar().count >= 55)
            try await expectWorking(client, queue)
        }
    }

    @Test func aReplayedCommandIsTheSameCommandOnceMoreAndNoOther() async throws {
        try await withRouter { router in
            let (first, second) = (try await TestClient(router.address), try await TestClient(router.address))
            let queue = try await TestQueue.create(first, subscription: .onlyCreate)
            #expect(try await first.request([queue.secure()]) == [.ok])
            let id = CorrelationID.random(SystemRandomSource())
            let recorded = try first.transmission(queue.send([1]), id)
            let batch = try #require(TransmissionBatcher.pack(one: recorded))
            // In another session the authorisation is worth nothing: it is bound to the session.
            try await second.sendContent(batch)
            #expect(try await second.response(to: id) == .err(.auth))
            try await first.sendContent(batch)
            #expect(try await first.response(to: id) == .ok)
            #expect(router.statistics.messages == 1)
        }
    }

    @Test func clientsThatGetTheHandshakeWrongAreSentAway() async throws {
        try await withRouter { router in
            let address = router.address
            let random = SeededRandomSource(seed: 3)
            func connect() async throws -> (SMPConnection, BlockSequence.Iterator, Bytes) {
                let connection = try await SMPTransportClient().connect(
                    host: "127.0.0.1", port: router.port, keyHash: address.keyHash.bytes)
                var blocks = connection.blocks.makeAsyncIterator()
                let hello = try BlockCipher().opening(try #require(try await blocks.next()))
                return (connection, blocks, hello)
            }
            func hellos(_ key: X25519.PublicKey) -> [Bytes] {
                [
                    SMPClientHello(version: 18, keyHash: KeyHash(random.bytes(32)), key: key).wireBytes,
                    SMPClientHello(version: 8, keyHash: address.keyHash, key: key).wireBytes,
                    SMPClientHello(version: 21, keyHash: address.keyHash, key: key).wireBytes,
                    SMPClientHello(version: 65_535, keyHash: address.keyHash, key: key).wireBytes, [], random.bytes(500),
                ]
            }
            for content in hellos(X25519.generateKeyPair(random).publicKey) {
                var (connection, blocks, _) = try await connect()
                var plain = BlockCipher()
                try await connection.send(try plain.seal(content))
                #expect(try await blocks.nextOrEnd() == nil)
                await connection.close()
            }
            let small = try X25519.PublicKey(raw: Bytes(repeating: 0, count: 32))
            var (connection, blocks, _) = try await connect()
            var plain = BlockCipher()
            try await connection.send(try plain.seal(SMPClientHello(version: 18, keyHash: address.keyHash, key: small).wireBytes))
            #expect(try await blocks.nextOrEnd() == nil)
            await connection.close()
            #expect(try await TestClient(address).request(.ping) == .pong)
        }
    }

    /// Tries a limit of time, and longer ones where the machine stood still so long that clients were sent away before they were where `prepare`
    /// has them. What is behind that happens whatever the machine does.
    private func withLimit<Prepared>(
        _ change: @Sendable (inout RouterConfiguration, Duration) -> Void, prepare: (SMPRouter) async throws -> Prepared,
        _ body: (Prepared) async throws -> Void
    ) async throws {
        for limit in [Duration.seconds(1), .seconds(5), .seconds(30)] {
            let isDone = try await withRouter(.memory) {
                change(&$0, limit)
            } _: { router in
                let prepared: Prepared
                do { prepared = try await prepare(router) } catch {
                    if limit == .seconds(30) { throw error }
                    return false
                }
                try await body(prepared)
                return true
            }
            if isDone { return }
        }
    }

    @Test func aSilentClientIsSentAwayAfterTheHandshakeTimeout() async throws {
        try await withLimit {
            $0.handshakeTimeout = $1
        } prepare: { router in
            let connection = try await SMPTransportClient().connect(
                host: "127.0.0.1", port: router.port, keyHash: router.address.keyHash.bytes)
            var blocks = connection.blocks.makeAsyncIterator()
            _ = try #require(try await blocks.next())
            return (connection, blocks)
        } _: { connection, blocks in
            var blocks = blocks
            let end = try await blocks.nextOrEnd()
            #expect(end == nil)
            await connection.close()
        }
    }

    @Test func anIdleSessionIsClosedUnlessItIsSubscribed() async throws {
        try await withLimit {
            $0.idleTimeout = $1
        } prepare: { router in
            let subscribed = try await TestClient(router.address)
            let queue = try await TestQueue.create(subscribed)
            return (queue, subscribed, try await TestClient(router.address))
        } _: { queue, subscribed, idle in
            await #expect(throws: (any Error).self) { try await idle.event() }
            let answers = try await subscribed.request([queue.secure()])
            #expect(answers == [.ok])
        }
    }

    @Test func aSubscriberThatDoesNotReadHoldsNobodyUp() async throws {
        try await withRouter { router in
            let (slow, sender) = (try await TestClient(router.address), try await TestClient(router.address))
            // More than the socket and the router's buffers hold.
            var queues: [TestQueue] = []
            for _ in 0..<100 { queues.append(try await TestQueue.create(slow)) }
            let body = Bytes(repeating: 1, count: 16_000)
            for queue in queues {
                #expect(try await sender.request([queue.secure(), queue.send(body)]) == [.ok, .ok])
            }
            #expect(router.statistics.messages == queues.count)
            for _ in queues { #expect(try await slow.event().message.isMessage) }
        }
    }

    @Test func manyCommandsInOneBatchAreAllAnswered() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.secure()]) == [.ok])
            let answers = try await client.request((0..<300).map { _ in Request(.ping) })
            #expect(answers == Array(repeating: .pong, count: 300))
            let sends = try await client.request((0..<100).map { queue.send([$0]) })
            #expect(sends == Array(repeating: .ok, count: 100))
            #expect(router.statistics.messages == 100)
        }
    }
}

extension SMPBrokerMessage {
    var isMessage: Bool { if case .msg = self { true } else { false } }
}

extension BlockCipher {
    /// The content of a block that is not encrypted.
    func opening(_ block: Bytes) throws -> Bytes {
        var cipher = self
        return try cipher.open(block)
    }
}

extension BlockSequence.Iterator {
    /// The next block; nil when the connection has ended in whatever way.
    mutating func nextOrEnd() async throws -> Bytes? {
        do {
            return try await next()
        } catch {
            return nil
        }
    }
}
