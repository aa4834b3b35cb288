import ChatAPI
import ChatRules
import SMPCrypto
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Rules of relays")
struct RelayRuleTests {
    private func task(_ id: Int64, _ scope: RelayScope = .all, sender: GroupMemberID = 1, size: Int = 100, ends: Bool = false) -> RelayTask {
        RelayTask(id: id, scope: scope, sender: sender, element: Bytes(repeating: 1, count: size), endsService: ends)
    }

    @Test("a batch takes tasks for the same receivers, in order, until the body is full")
    func batches() throws {
        #expect(RelayBatch([]) == nil)
        let same = try #require(RelayBatch([task(1), task(2), task(3, .support(7)), task(4)]))
        #expect(same.delivered == [1, 2] && same.scope == .all && same.singleSender == 1)
        let mixed = try #require(RelayBatch([task(1), task(2, sender: 2)]))
        #expect(mixed.delivered == [1, 2] && mixed.singleSender == nil)
        let full = try #require(RelayBatch((1...10).map { task($0, size: 4_000) }))
        #expect(full.delivered == [1, 2, 3] && full.body.count <= ChatLimits.encodedMessage)
        let support = try #require(RelayBatch([task(1, .support(7)), task(2, .support(8))]))
        #expect(support.delivered == [1] && support.scope == .support(7))
    }

    @Test("what fits in no body is passed over, and told")
    func tooLarge() throws {
        let batch = try #require(RelayBatch([task(1), task(2, size: ChatLimits.encodedMessage + 1), task(3)]))
        #expect(batch.delivered == [1, 3] && batch.tooLarge == [2])
        let alone = try #require(RelayBatch([task(1, size: ChatLimits.encodedMessage + 1)]))
        #expect(alone.delivered.isEmpty && alone.tooLarge == [1] && alone.body.isEmpty)
    }

    @Test("what ends the service is delivered by itself, after all before it")
    func ending() throws {
        let before = try #require(RelayBatch([task(1), task(2, ends: true)]))
        #expect(before.delivered == [1] && !before.endsService)
        let last = try #require(RelayBatch([task(2, ends: true), task(3)]))
        #expect(last.delivered == [2] && last.endsService)
    }

    @Test("a relay passes its test with a signature of the address's key over the challenge, and no other way")
    func relayTest() {
        let keys = Ed25519.generateKeyPair(SystemRandomSource()), other = Ed25519.generateKeyPair(SystemRandomSource())
        let challenge = Bytes(repeating: 5, count: 32)
        func decision(_ answer: ChatMessageEvent?) -> RelayTestDecision { RelayTestDecision(answer, challenge: challenge, key: keys.publicKey) }
        func answer(_ signature: Bytes?) -> ChatMessageEvent {
            .testGroupRelay(challenge: Base64URLBytes(challenge), signature: signature.map { Base64URLBytes($0) })
        }
        #expect(decision(answer(keys.privateKey.signature(for: challenge))) == .passed)
        #expect(decision(answer(other.privateKey.signature(for: challenge))) == .failed(step: "verify", message: "invalid signature"))
        #expect(decision(answer(keys.privateKey.signature(for: [1]))) == .failed(step: "verify", message: "invalid signature"))
        #expect(decision(answer(nil)) == .failed(step: "verify", message: "no signature in response"))
        #expect(decision(.ok) == .failed(step: "waitResponse", message: "unexpected message type"))
        #expect(decision(nil) == .failed(step: "waitResponse", message: "timeout"))
    }

    @Test("an invitation is given up when it cannot be served, or could not be for a day")
    func givingUp() {
        let invited = UTCTimestamp(seconds: 1_700_000_000)
        func givesUp(isTemporary: Bool, after seconds: Int64) -> Bool {
            RelayInvitationRules.givesUp(isTemporary: isTemporary, invitedAt: invited, at: invited.adding(seconds: seconds))
        }
        #expect(givesUp(isTemporary: false, after: 0))
        #expect(!givesUp(isTemporary: true, after: 86_400))
        #expect(givesUp(isTemporary: true, after: 86_401))
    }

    @Test("a policy refuses denied channels and owners, those that are not allowed, and what is too much")
    func policy() {
        let owner = Ed25519.generateKeyPair(SystemRandomSource()).publicKey
        func refusal(served: Int = 0, _ change: (inout RelayPolicy) -> Void) -> RelayRefusal? {
            var policy = RelayPolicy()
            change(&policy)
            return policy.refusal(channel: "news", owners: [owner], served: served)
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.denied = ["news"] } == .denied)
        #expect(refusal { $0.denied = [owner.wireString] } == .denied)
        #expect(refusal { ($0.allowed, $0.denied) = (["news"], ["news"]) } == .denied)
        #expect(refusal { $0.allowed = ["other"] } == .notAllowed)
        #expect(refusal { $0.allowed = ["other", owner.wireString] } == nil)
        #expect(refusal(served: 2) { $0.maximumChannels = 3 } == nil)
        #expect(refusal(served: 3) { $0.maximumChannels = 3 } == .full)
        #expect(refusal { $0.isDraining = true } == .draining)
        #expect(RelayRefusal.left.reason == .rejoinRejected && RelayRefusal.notAllowed.reason == .unknown("not_allowed"))
        var policy = RelayPolicy()
        policy.maximumMembers = 4
        #expect(policy.refusal(members: 3) == nil)
        #expect(policy.refusal(members: 4) == .full)
    }
}
