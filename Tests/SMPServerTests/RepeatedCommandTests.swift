import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPServer

/// What is asked for again after a lost answer, while the first may still wait for the disk.
@Suite struct RepeatedCommandTests {
    private let router = BareRouter(seed: 61)

    /// The answer promises that the change is there: it must not be sent before the journal has it.
    @Test(arguments: ["SKEY", "KEY", "LDEL", "NDEL", "OFF"])
    func aRepetitionWaitsForWhatTheFirstHasChanged(_ name: String) throws {
        let session = router.open()
        let queue = try router.create(.messaging(link: nil), from: session, notifies: true)
        let slot = try #require(router.state.store.slot(recipient: queue.recipient))
        if name == "LDEL" {
            let link = LinkID(router.random.bytes(24))
            #expect(try router.own(.lset(link, QueueLinkData(fixedData: [1], userData: [2])), queue, from: session).word == "OK")
        }
        func ask() throws -> BareRouter.Content {
            switch name {
            case "SKEY": try router.secure(queue, from: session)
            case "KEY": try router.own(.key(queue.senderKey.publicKey), queue, from: session)
            case "LDEL": try router.own(.ldel, queue, from: session)
            case "NDEL": try router.own(.ndel, queue, from: session)
            default: try router.own(.off, queue, from: session)
            }
        }
        for repetition in 0..<3 {
            #expect(try ask().word == "OK")
            let position = try #require(router.state.store.queue(slot)?.position)
            #expect(router.needsSynchronized == position.end && position.end > 0, "\(repetition)")
        }
    }

    /// Turning it off changes nothing that the operator has blocked: the promise that it takes nothing rests on the block.
    @Test func turningOffABlockedQueueWaitsForTheBlock() throws {
        let session = router.open()
        let queue = try router.create(from: session)
        try router.block(queue, BlockingInfo(reason: .spam))
        let slot = try #require(router.state.store.slot(recipient: queue.recipient))
        #expect(try router.own(.off, queue, from: session).word == "OK")
        #expect(router.needsSynchronized == router.state.store.queue(slot)?.position.end)
    }

    /// Whose a queue is stands in the journal: a service that is told that it is its own subscribes to all of them from then on.
    @Test(arguments: [SMPClientService.Role.messaging, .notifier])
    func aSubscriptionThatIsRepeatedWaitsForWhatTheFirstHasSaidOfTheService(_ role: SMPClientService.Role) throws {
        let sessions = (0..<2).map { _ in router.open() }
        let queue = try router.create(from: sessions[0], notifies: true)
        let service = SessionService(
            role, key: Ed25519.generateKeyPair(router.random).publicKey, certificateHash: router.random.bytes(32), router: KeyHash([1]))
        for session in sessions { router.state.identify(session, as: service) }
        let slot = try #require(router.state.store.slot(recipient: queue.recipient)), created = try #require(router.state.store.queue(slot)?.position)
        for session in sessions {
            let answer = try role == .messaging ? router.own(.sub, queue, from: session) : router.subscribeNotifier(queue, from: session)
            #expect(answer.word == "SOK")
            #expect(router.needsSynchronized == router.state.store.queue(slot)?.position.end)
            #expect(router.needsSynchronized > created.end)
        }
    }
}
