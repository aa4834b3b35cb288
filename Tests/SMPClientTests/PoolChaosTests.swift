import AsyncPrimitives
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import Testing

@testable import SMPClient

@Suite("The pool of sessions in bad weather")
struct PoolChaosTests {
    @Test("Whatever the connections do, every command is answered and every subscription comes back")
    func droppedConnections() async throws {
        let random = SeededRandomSource(seed: 7)
        let isStormy = Mutex(true)
        let router = try await ScriptedRouter { command, client in
            let chance = random.bytes(1)[0]
            guard isStormy.withLock({ $0 }) else { return ScriptedRouter.obliging(command, client) }
            switch chance {
            case 0..<10:
                client.drop()
                return nil
            case 10..<15: return message(chance)
            case 15..<20: return .err(.internal)
            default: return ScriptedRouter.obliging(command, client)
            }
        }
        var configuration = SMPClientConfiguration()
        configuration.retry = RetryInterval(initial: .milliseconds(1), increaseAfter: .milliseconds(5), maximum: .milliseconds(5))
        configuration.failureMemory = .zero
        let pool = try SMPClientPool(configuration: configuration)
        let session = TransportSessionKey(userID: 1, server: router.address)
        let key = PrivateAuthKey.x25519(X25519.generateKeyPair(random).privateKey)
        let subscriptions = (1...40 as ClosedRange<UInt8>).map { QueueSubscription(queue: queueID($0), authKey: key) }

        // What the events say is subscribed to, and who waits for it to be everything.
        let active = Mutex<(queues: Set<RecipientID>, isCalm: Bool)>(([], false))
        let watching = Task {
            for await event in pool.events {
                let isDone = active.withLock { active in
                    switch event {
                    case .disconnected(_, let queues): active.queues.subtract(queues)
                    case .subscribed(_, let queues): active.queues.formUnion(queues)
                    case .subscriptionFailed(_, let queue, _): active.queues.insert(queue)
                    default: break
                    }
                    return active.isCalm && active.queues.count == 40
                }
                if isDone { return }
            }
        }
        let results = await pool.subscribe(subscriptions, over: session)
        for (queue, result) in zip(subscriptions, results) {
            switch code(result) {
            // Failed for good, or subscribed to: both are settled.
            case nil, .protocol, .unexpectedResponse: active.withLock { _ = $0.queues.insert(queue.queue) }
            default: break
            }
        }
        let answers = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var count = 0
                    for _ in 0..<25 {
                        let batch = [SMPRequest(command: .ping), SMPRequest(entity: queueID(200), command: .off, authKey: key)]
                        count += await pool.send(batch: batch, over: session).count
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(answers == 1_000)
        isStormy.withLock { $0 = false }
        active.withLock { $0.isCalm = true }
        // One more change makes the watcher look again.
        for client in router.clients { client.drop() }
        _ = await pool.send(batch: [SMPRequest(command: .ping)], over: session)
        _ = await pool.subscribe([QueueSubscription(queue: queueID(41), authKey: key)], over: session)
        await pool.unsubscribe([queueID(41)], over: session)
        await watching.value
        await pool.close()
        await router.stop()
    }
}
