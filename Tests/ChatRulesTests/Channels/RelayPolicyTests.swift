import ChatAPI
import ChatProtocol
import SMPCrypto
import SMPWire
import Testing

@testable import ChatRules

@Suite("The policy of a relay")
struct RelayPolicyTests {
    private static let channel = Base64URL.encode(Bytes(repeating: 1, count: 32))
    private static let owner = Ed25519.generateKeyPair(SeededRandomSource(seed: 1)).publicKey
    private static let other = Ed25519.generateKeyPair(SeededRandomSource(seed: 2)).publicKey

    private func refusal(_ policy: RelayPolicy, served: Int = 0) -> RelayRefusal? {
        policy.refusal(channel: Self.channel, owners: [Self.owner], served: served)
    }

    @Test("a relay serves everybody unless it is told otherwise")
    func open() {
        #expect(refusal(RelayPolicy(), served: 1_000_000) == nil && RelayPolicy().refusal(members: 1_000_000) == nil)
        #expect(!RelayPolicy().hasQuota)
    }

    @Test("a list of allowed channels and owners closes a relay to all others, and a denial counts more")
    func lists() {
        var policy = RelayPolicy()
        policy.allowed = [Self.other.wireString]
        #expect(refusal(policy) == .notAllowed)
        for name in [Self.channel, Self.owner.wireString] {
            policy.allowed = [Self.other.wireString, name]
            #expect(refusal(policy) == nil)
            policy.denied = [name]
            #expect(refusal(policy) == .denied)
            policy.denied = []
        }
        policy.allowed = [Self.channel]
        policy.denied = [Self.owner.wireString]
        #expect(refusal(policy) == .denied, "the owner is denied whatever its channel")
    }

    @Test("a full relay takes no further channel, and a full channel no further subscriber")
    func limits() {
        var policy = RelayPolicy()
        (policy.maximumChannels, policy.maximumMembers) = (2, 10)
        #expect(refusal(policy, served: 1) == nil && refusal(policy, served: 2) == .full && refusal(policy, served: 3) == .full)
        #expect(policy.refusal(members: 9) == nil && policy.refusal(members: 10) == .full)
    }

    @Test("a drained relay takes nothing new, whoever drains it")
    func drained() {
        for (configured, byOperator) in [(true, false), (false, true), (true, true)] {
            var policy = RelayPolicy()
            policy.isDraining = configured
            let drained = policy.drained(byOperator)
            #expect(refusal(drained) == .draining && drained.refusal(members: 0) == .draining)
        }
        #expect(refusal(RelayPolicy().drained(false)) == nil)
    }

    @Test("channels and owners are compared in one form, with or without padding, and other texts name neither")
    func names() {
        #expect(RelayPolicy.comparable(Self.channel) == Self.channel)
        #expect(RelayPolicy.comparable(Self.channel + "=") == Self.channel || RelayPolicy.comparable(Self.channel + "=") == nil)
        #expect(RelayPolicy.comparable(Self.owner.wireString) == Self.owner.wireString)
        for text in ["", "news", "a b", Base64URL.encode(Bytes(repeating: 1, count: 31)), Base64URL.encode(Bytes(repeating: 1, count: 44))] {
            #expect(RelayPolicy.comparable(text) == nil, "\(text)")
        }
    }

    @Test("owners learn the reason of a refusal")
    func reasons() {
        let reasons = [RelayRefusal.draining, .full, .denied, .notAllowed, .declined, .left].map(\.reason)
        #expect(Set(reasons.map { "\($0.json)" }).count == reasons.count)
        #expect(RelayRefusal.left.reason == .rejoinRejected, "the only one that official owners know")
    }
}
