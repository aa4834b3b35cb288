import SMPClient
import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// The decisions of the sender of a queue that moves.
@Suite struct FollowingQueueTests {
    private let random = SeededRandomSource(seed: 3)

    private func queue(_ row: RowID, replaces: RowID? = nil, _ status: QueueStatus = .active, _ switchStatus: SendSwitchStatus? = nil) throws -> SendQueue {
        var queue = SendQueue(
            row: row, server: SMPServerAddress(host: .domain("one.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32))),
            senderID: EntityID(random.bytes(24)), privateKey: .x25519(X25519.generateKeyPair(random).privateKey),
            peerSecret: try BoxSecret(random.secret(32)), encryptionKey: X25519.generateKeyPair(random).publicKey, mode: .messaging,
            clientVersion: 4)
        (queue.status, queue.replaces, queue.isPrimary, queue.switchStatus) = (status, replaces, replaces == nil, switchStatus)
        return queue
    }

    private func state(_ queues: [SendQueue]) -> ConnectionState {
        var state = ConnectionState(
            ConnectionRecord(row: 1, id: ConnectionID([1]), user: 1, mode: .invitation, agentVersion: 7, pqSupport: true))
        state.sendQueues = queues
        return state
    }

    private func message(_ kind: AgentMessageKind, _ number: Int64 = 5) -> SentMessage {
        SentMessage(
            messageID: number, sentID: number, kind: kind, flags: MessageFlags(), content: .envelope([]), hash: [], previousHash: [],
            pqEncryption: false, createdAt: 0)
    }

    private let refused = AgentError(.smp(server: "", .auth))

    private var context: AgentContext {
        AgentContext(configuration: AgentConfiguration(), random: random, ratchetKeys: KEMKeyPairPool(capacity: 0, random: random), now: 0)
    }

    @Test func `Messages are kept for a queue that is offered, and not sent to it before it may be used`() throws {
        let offered = try queue(20, replaces: 10, .new)
        var transition = Transition(state([try queue(10, .active, .sendingQKEY), offered]))
        #expect(transition.state.deliveryQueues == [10, 20])
        transition.add(message(.message, 15), to: transition.state.deliveryQueues)
        transition.add(message(.message, 16), to: transition.state.deliveryQueues)
        #expect(transition.deliveries.map(\.queue) == [10, 10])
        // Now and then those that the recipient must have read are forgotten.
        let forgotten = transition.storeChanges.compactMap { if case .forgetCopies(let queue, let of, let count) = $0 { [queue, of, count] } else { nil } }
        #expect(forgotten == [[20, 10, 128]])
    }

    @Test func `A refusal of the old queue loses nothing that the new one has, one before that loses the copy, too`() throws {
        for (status, failures, queues) in [(QueueStatus.secured, 0, [10]), (.new, 1, [10, 20])] as [(QueueStatus, Int, [RowID])] {
            var transition = Transition(state([try queue(10, .active, .sendingQTEST), try queue(20, replaces: 10, status)]))
            // What is only kept for a queue is not counted as being there.
            let elsewhere: Set<AgentMessageID> = status == .secured ? [5, 6, 7] : []
            transition.gaveUp(PendingDelivery(message: message(.message)), to: 10, because: refused, elsewhere: elsewhere)
            #expect(transition.notifications.count == failures)
            let done = transition.storeChanges.compactMap { if case .deliveryDone(let queue, _, 5, _) = $0 { queue } else { nil } }
            #expect(done == queues)
            transition.gaveUp([6, 7], to: 10, because: refused, elsewhere: elsewhere)
            #expect(transition.notifications.count == 2 * failures)
        }
    }

    @Test func `Only the router of a queue can say that it is gone`() throws {
        let queue = try queue(10)
        for fault in [SMPErrorType.auth, .blocked(BlockingInfo(reason: .spam))] {
            #expect(AgentError(.smp(server: queue.server.wireString, fault)).saysIsGone(queue))
            #expect(!AgentError(.smp(server: "smp://proxy.example", fault)).saysIsGone(queue))
        }
        #expect(!AgentError(.smp(server: queue.server.wireString, .quota)).saysIsGone(queue))
    }

    @Test func `What becomes of a copy is not told, and nothing of a queue that is gone`() throws {
        var transition = Transition(state([try queue(10, .active, .sendingQTEST), try queue(20, replaces: 10, .secured)]))
        transition.gaveUp(PendingDelivery(message: message(.message), isCopy: true), to: 20, because: refused, elsewhere: [5])
        transition.gaveUp(PendingDelivery(message: message(.message)), to: 30, because: refused, elsewhere: [])
        transition.gaveUp(PendingDelivery(message: message(.queueTest)), to: 10, because: refused, elsewhere: [5])
        #expect(transition.notifications.isEmpty)
        transition.gaveUp(PendingDelivery(message: message(.queueTest), isCopy: true), to: 20, because: refused, elsewhere: [5])
        #expect(transition.notifications.count == 1)
    }

    @Test func `The test message in the new queue ends the use of all before it, in the old one of none`() throws {
        let queues = [
            try queue(10, .active, .sendingQTEST), try queue(20, replaces: 10, .secured, .sendingQTEST), try queue(30, replaces: 20, .secured),
        ]
        var transition = Transition(state(queues))
        transition.delivered(message(.queueTest), to: 10, context)
        #expect(transition.state.sendQueues.map(\.row) == [10, 20, 30])
        transition.delivered(message(.queueTest), to: 30, context)
        #expect(transition.state.sendQueues.map(\.row) == [30])
        #expect(transition.removedSendQueues == [20, 10])
        #expect(transition.state.sendQueues[0].isPrimary)
        #expect(transition.notifications.count == 1)
    }
}
