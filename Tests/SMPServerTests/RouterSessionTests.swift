import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import Testing

@Suite struct RouterSessionTests {
    @Test(arguments: [9, 10, 11, 12, 14, 15, 16, 17, 18] as [UInt16])
    func aMessageGoesFromSenderToRecipientInEveryVersion(_ version: UInt16) async throws {
        try await withRouter { router in
            let recipient = try await TestClient(router.address, versions: VersionRange(version))
            let sender = try await TestClient(router.address, versions: VersionRange(version))
            #expect(recipient.session.version == version)
            let queue = try await TestQueue.create(recipient)
            #expect(try await sender.request([queue.secure()]) == [.ok])
            #expect(try await sender.request([queue.send([1, 2, 3])]) == [.ok])
            let (entity, message) = try await recipient.event()
            #expect(entity == queue.recipient)
            let (received, body) = try queue.open(message)
            guard case .message(_, let flags, let bytes) = body else { throw TestClientError.unexpected(message) }
            #expect(bytes == [1, 2, 3] && !flags.notification)
            #expect(try await recipient.request([queue.acknowledge(received)]) == [.ok])
            await recipient.close()
            await sender.close()
        }
    }

    @Test func theNextMessageComesWhenTheOneBeforeIsAcknowledged() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure()]) == [.ok])
            let sent: [Bytes] = (0..<5).map { [UInt8($0)] }
            #expect(try await client.request(sent.map { queue.send($0) }) == Array(repeating: .ok, count: 5))
            var (received, _) = try queue.open(try await client.event().message)
            #expect(try await client.eventsSoFar().isEmpty)
            for expected in sent.dropFirst() {
                let next = try await client.request([queue.acknowledge(received)])[0]
                #expect(try queue.body(next) == expected)
                received = try queue.open(next).message
            }
            #expect(try await client.request([queue.acknowledge(received)]) == [.ok])
            #expect(try await client.request([queue.acknowledge(received)]) == [.err(.noMessage)])
        }
    }
}
