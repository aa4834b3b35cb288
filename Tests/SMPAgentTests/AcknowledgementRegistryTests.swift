import SMPClient
import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

@Suite struct AcknowledgementRegistryTests {
    private let session = TransportSessionKey(userID: 1, server: SMPServerAddress(host: .domain("one.example"), keyHash: .none))
    private let other = TransportSessionKey(userID: 2, server: SMPServerAddress(host: .domain("one.example"), keyHash: .none))

    private func item(_ number: UInt8) throws -> AcknowledgementRegistry.Item {
        let random = SeededRandomSource(seed: 3)
        let queue = ReceiveQueue(
            row: 1, server: session.server, recipientID: EntityID([number]), privateKey: QueueKeyAlgorithm.x25519.generateKey(random),
            routerSecret: try BoxSecret(random.secret(32)), encryptionKey: X25519.generateKeyPair(random).privateKey,
            senderID: EntityID([9]), mode: .messaging, clientVersion: 4)
        return .init(queue: queue, messageID: MessageID(Bytes(repeating: number, count: 24)))
    }

    @Test func `What comes while something is sent goes with the next batch, one batch at a time`() throws {
        let registry = AcknowledgementRegistry()
        #expect(registry.add(try item(1), over: session))
        #expect(!registry.add(try item(2), over: session))
        #expect(registry.add(try item(3), over: other))
        #expect(registry.take(session)?.map(\.messageID.bytes[0]) == [1, 2])
        #expect(!registry.add(try item(4), over: session))
        #expect(registry.take(session)?.map(\.messageID.bytes[0]) == [4])
        #expect(registry.take(session) == nil)
        #expect(registry.add(try item(5), over: session))
        registry.forget(session)
        #expect(registry.take(session) == nil)
    }

    @Test func `Who waits for idleness is told when the last session has nothing left, or when waiting ends`() async throws {
        let registry = AcknowledgementRegistry()
        await registry.waitUntilIdle { Issue.record("nothing is being sent") }

        #expect(registry.add(try item(1), over: session))
        #expect(registry.add(try item(2), over: other))
        await registry.waitUntilIdle {
            #expect(registry.take(session) != nil)
            #expect(registry.take(session) == nil)
            #expect(registry.take(other) != nil)
            #expect(registry.take(other) == nil)
        }

        #expect(registry.add(try item(3), over: session))
        await registry.waitUntilIdle { registry.stopWaiting() }
    }

    @Test func `An acknowledgement that failed is not for the session's next connection, in which its message comes again`() throws {
        let registry = AcknowledgementRegistry()
        #expect(registry.add(try item(1), over: session))
        let failed = try #require(registry.take(session)?.first)
        #expect(registry.take(session) == nil)
        #expect(registry.addAgain(failed, over: session))
        #expect(registry.take(session)?.count == 1)
        #expect(registry.take(session) == nil)
        registry.forget(session)
        #expect(!registry.addAgain(failed, over: session))
        #expect(registry.take(session) == nil)
    }

    @Test func `What may succeed is tried again, however often`() {
        typealias Outcome = AcknowledgementRegistry.Outcome
        #expect(Outcome(SMPClientError(.protocol(.noMessage), "")) == .done)
        let again: [SMPClientError.Code] = [
            .timeout, .network(.failed), .overloaded, .protocol(.internal), .protocol(.store("full")), .unexpectedResponse("PONG"),
        ]
        for code in again { #expect(Outcome(SMPClientError(code, "")) == .retry) }
        #expect(Outcome(SMPClientError(.protocol(.auth), "")) == .deleted)
        for code in [SMPClientError.Code.protocol(.service), .closed, .cancelled] { #expect(Outcome(SMPClientError(code, "")) == .giveUp) }
    }

    @Test func `A router that loses many acknowledgements delivers the next message when one reaches it`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let lost = Mutex(12)
        pair.bob.network.setFault { request, _ in
            guard case .ack = request.command else { return nil }
            return lost.withLock { count in
                count -= 1
                return count >= 0 ? .lostRequest : nil
            }
        }
        for text in ["one", "two", "three"] { try await pair.alice.send(text, to: alice) }
        await pair.bob.wait("all") { $0.order[bob]?.count == 3 }
        #expect(pair.bob.texts(bob) == ["one", "two", "three"])
        #expect(lost.withLock { $0 } < 0)
        await pair.close()
    }

    @Test func `Suspending waits no longer than it may`() async throws {
        let pair = try await Pair()
        let (_, bob) = try await pair.connect()
        #expect(pair.bob.agent.core.acknowledgements.add(try item(1), over: session))
        await pair.bob.agent.suspend(timeout: .milliseconds(20))
        await pair.bob.wait("suspended") { $0.events.contains { $0.event == .suspended } }
        #expect(try await pair.bob.agent.stats(of: bob).receiveQueues.count == 1)
        await pair.close()
    }
}
