import ChatAPI
import ChatProtocol
import SMPCrypto
import SMPWire
import Testing

@testable import ChatRules

@Suite("Decisions about signatures")
struct SignatureDecisionTests {
    private static let body = Bytes("{}".utf8)
    private static func key(_ seed: UInt64) -> Ed25519.PrivateKey { Ed25519.generateKeyPair(SeededRandomSource(seed: seed)).privateKey }

    private func author(_ role: GroupMemberRole = .owner, keySeed: UInt64? = 5) -> GroupMember {
        var member = RuleFixtures.member(2, role)
        member.publicKey = keySeed.map { Ed25519.generateKeyPair(SeededRandomSource(seed: $0)).publicKey.wireString }
        return member
    }

    private func signed(by seed: UInt64 = 5, as member: UInt8 = 2, in group: Bytes = RuleFixtures.publicGroupID) -> SignedMessage {
        SignedMessage(signing: Self.body, in: .group(publicGroupID: group, member: MemberID([member])), with: Self.key(seed))
    }

    private static let free: [ChatEventTag] = [.newMessage, .updateMessage, .react]
    private static let bound: [ChatEventTag] = [.deleteGroup, .groupInfo, .removeMember, .memberRole, .leaveGroup, .info]

    @Test("without a signature, a channel takes messages and no changes; a group takes both")
    func unsigned() {
        for tag in Self.free + Self.bound { #expect(SignatureDecision(nil, tag, by: author(), in: RuleFixtures.group()) == .accept(nil), "\(tag)") }
        for tag in Self.free { #expect(SignatureDecision(nil, tag, by: author(), in: RuleFixtures.channel()) == .accept(nil), "\(tag)") }
        for tag in Self.bound { #expect(SignatureDecision(nil, tag, by: author(), in: RuleFixtures.channel()) == .refuse, "\(tag)") }
    }

    @Test("a signature counts by the key of the author, in this channel and in its name", arguments: free + bound)
    func verified(tag: ChatEventTag) {
        let channel = RuleFixtures.channel()
        #expect(SignatureDecision(signed(), tag, by: author(), in: channel) == .accept(.verified))
        #expect(SignatureDecision(signed(by: 6), tag, by: author(), in: channel) == .refuse, "the key of somebody else")
        #expect(SignatureDecision(signed(as: 3), tag, by: author(), in: channel) == .refuse, "in the name of somebody else")
        #expect(SignatureDecision(signed(in: Bytes(repeating: 8, count: 32)), tag, by: author(), in: channel) == .refuse, "from another channel")
        let text = SignedMessage(binding: .group, signatures: signed().signatures, body: Bytes("{ }".utf8))
        #expect(SignatureDecision(text, tag, by: author(), in: channel) == .refuse, "over another text")
    }

    @Test("of an author without a key, a channel takes messages unchecked, and changes not")
    func withoutKey() {
        let channel = RuleFixtures.channel(), author = author(keySeed: nil)
        for tag in Self.free { #expect(SignatureDecision(signed(), tag, by: author, in: channel) == .accept(.signedNoKey), "\(tag)") }
        for tag in Self.bound { #expect(SignatureDecision(signed(), tag, by: author, in: channel) == .refuse, "\(tag)") }
    }

    @Test("subscribers take from each other unchecked that one leaves or has a new profile; moderators do not, nor does anybody from one")
    func subscribers() {
        func decision(_ tag: ChatEventTag, by role: GroupMemberRole, for me: GroupMemberRole) -> SignatureDecision {
            SignatureDecision(signed(), tag, by: author(role, keySeed: nil), in: RuleFixtures.channel(RuleFixtures.me(me)))
        }
        for tag in [ChatEventTag.leaveGroup, .info] {
            for role in [GroupMemberRole.observer, .member] {
                #expect(decision(tag, by: role, for: .observer) == .accept(.signedNoKey) && decision(tag, by: .observer, for: role) == .accept(.signedNoKey))
            }
            for role in [GroupMemberRole.moderator, .admin, .owner] {
                #expect(decision(tag, by: role, for: .observer) == .refuse && decision(tag, by: .observer, for: role) == .refuse, "\(tag), \(role)")
            }
        }
        for tag in [ChatEventTag.memberRole, .removeMember, .groupInfo] { #expect(decision(tag, by: .observer, for: .observer) == .refuse, "\(tag)") }
    }

    @Test("without the identity of the channel nothing can be checked: messages count unchecked, changes not")
    func withoutIdentity() {
        var keyless = RuleFixtures.channel(), unnamed = RuleFixtures.channel()
        keyless.groupKeys = nil
        unnamed.groupProfile.publicGroup = nil
        for channel in [keyless, unnamed] {
            for tag in Self.free { #expect(SignatureDecision(signed(), tag, by: author(), in: channel) == .accept(.signedNoKey), "\(tag)") }
            for tag in Self.bound { #expect(SignatureDecision(signed(), tag, by: author(), in: channel) == .refuse, "\(tag)") }
        }
    }

    // MARK: Signing

    @Test("this profile signs changes and no messages, so that others can check them")
    func signer() throws {
        let channel = RuleFixtures.channel(RuleFixtures.me(.owner), keySeed: 5)
        let signer = try #require(ChannelSigner(channel))
        for tag in Self.free { #expect(signer.element(of: Self.body, tag: tag) == nil, "\(tag)") }
        let expected = signed(as: 1).element
        for tag in Self.bound { #expect(signer.element(of: Self.body, tag: tag) == expected, "\(tag)") }
    }

    @Test("this profile signs nothing in a group, nor in a channel without its key or its identity")
    func noSigner() {
        var group = RuleFixtures.channel()
        group.usesRelays = false
        var keyless = RuleFixtures.channel(), unnamed = RuleFixtures.channel(), damaged = RuleFixtures.channel()
        keyless.groupKeys = nil
        unnamed.groupProfile.publicGroup = nil
        damaged.groupKeys?.memberPrivateKey = "AAAA"
        for group in [group, keyless, unnamed, damaged] { #expect(ChannelSigner(group) == nil) }
    }

    @Test("only the creator of a channel has the key that authorizes owners")
    func rootKey() {
        let text = GroupKeys.text(Self.key(9))
        func root(_ key: GroupRootKey) -> Bytes? { GroupKeys(publicGroupID: "", rootKey: key, memberPrivateKey: "").rootSigningKey?.pkcs8.bytes }
        #expect(root(.private(rootPrivateKey: text)) == Self.key(9).pkcs8.bytes)
        #expect(root(.public(rootPublicKey: text)) == nil && root(.private(rootPrivateKey: "?")) == nil && root(.private(rootPrivateKey: "")) == nil)
    }
}
