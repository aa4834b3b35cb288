import ChatAPI
import ChatProtocol
import SMPCrypto
import SMPWire
import Testing

@testable import ChatRules

@Suite("Authors whom a relay shows, and those who ask it to join")
struct RelayIntroductionRuleTests {
    private static let keys = Ed25519.generateKeyPair(SeededRandomSource(seed: 5))
    private let here = RuleFixtures.channel(RuleFixtures.me(.relay))

    private func member(_ role: GroupMemberRole = .observer, _ status: GroupMemberStatus = .connected, hasKey: Bool = true) -> GroupMember {
        var member = RuleFixtures.member(2, role, status)
        member.publicKey = hasKey ? Self.keys.publicKey.wireString : nil
        return member
    }

    private func request(as member: UInt8 = 2, in channel: Bytes = RuleFixtures.publicGroupID, by seed: UInt64 = 5) -> SignedMessage {
        SignedMessage(
            signing: Bytes("{}".utf8), in: .group(publicGroupID: channel, member: MemberID([member])),
            with: Ed25519.generateKeyPair(SeededRandomSource(seed: seed)).privateKey)
    }

    @Test("a relay shows subscribers, and writers and moderators only if the owner has listed them")
    func introduced() {
        for role in [GroupMemberRole.observer, .commenter, .author] { #expect(RelayIntroductionRules.introduces(member(role), isListed: false), "\(role)") }
        for role in [GroupMemberRole.member, .moderator, .admin] {
            #expect(!RelayIntroductionRules.introduces(member(role), isListed: false), "\(role)")
            #expect(RelayIntroductionRules.introduces(member(role), isListed: true), "\(role)")
        }
        for isListed in [false, true] {
            #expect(!RelayIntroductionRules.introduces(member(.owner), isListed: isListed), "the link names owners")
            #expect(!RelayIntroductionRules.introduces(member(.relay), isListed: isListed))
            #expect(!RelayIntroductionRules.introduces(member(.observer, .removed), isListed: isListed))
        }
    }

    @Test("messages that are read as somebody's words make the author known, and reactions do not")
    func known() {
        let id = SharedMessageID([1])
        #expect(RelayIntroductionRules.makesKnown(.newMessage(MessageContainer(content: .text("a")))))
        #expect(RelayIntroductionRules.makesKnown(.updateMessage(MessageUpdate(messageID: id, content: .text("a")))))
        #expect(!RelayIntroductionRules.makesKnown(.leaveGroup))
    }

    @Test("a known member comes back with the proof of its key, for this relay, this channel and its own name")
    func proof() {
        let relay = here.membership.memberID, key = Self.keys.publicKey
        func isValid(_ request: SignedMessage?, key: Ed25519.PublicKey = key, relay: MemberID? = relay, of member: GroupMember) -> Bool {
            JoinProof.isValid(request, key: key, relay: relay, of: member, in: here)
        }
        #expect(isValid(request(), of: member()) && isValid(request(), of: member(.member, .unknown)))
        #expect(!isValid(nil, of: member()), "without a signature")
        #expect(!isValid(request(by: 6), of: member()), "signed with another key")
        #expect(!isValid(request(as: 3), of: member()), "in the name of another")
        #expect(!isValid(request(in: Bytes(repeating: 8, count: 32)), of: member()), "for another channel")
        #expect(!isValid(request(), relay: MemberID([9]), of: member()), "for another relay")
        #expect(!isValid(request(), relay: nil, of: member()), "for no relay")
        #expect(!isValid(request(), of: member(hasKey: false)), "the member has no key here")
        #expect(!isValid(request(by: 6), key: Ed25519.generateKeyPair(SeededRandomSource(seed: 6)).publicKey, of: member()), "another key than the known one")
        for status in [GroupMemberStatus.left, .removed, .rejected] { #expect(!isValid(request(), of: member(.observer, status)), "\(status)") }
        for role in [GroupMemberRole.owner, .relay] { #expect(!isValid(request(), of: member(role)), "\(role)") }
    }

    @Test("clients that know rosters prove their key, and so do those whose identifier is bound to one")
    func required() {
        let short = MemberID(Bytes(repeating: 1, count: 12)), bound = MemberID(Bytes(repeating: 1, count: BoundMemberID.length))
        #expect(!JoinProof.isRequired(of: short, versions: VersionRange(1...18)) && JoinProof.isRequired(of: short, versions: VersionRange(1...19)))
        #expect(JoinProof.isRequired(of: bound, versions: VersionRange(1...18)))
    }

    @Test("an invitation is tried for a day while its channel cannot be reached, and given up at once otherwise")
    func invitations() {
        let invited = RuleFixtures.time
        #expect(!RelayInvitationRules.givesUp(isTemporary: true, invitedAt: invited, at: invited.adding(seconds: 86_400)))
        #expect(RelayInvitationRules.givesUp(isTemporary: true, invitedAt: invited, at: invited.adding(seconds: 86_401)))
        #expect(RelayInvitationRules.givesUp(isTemporary: false, invitedAt: invited, at: invited))
    }
}
