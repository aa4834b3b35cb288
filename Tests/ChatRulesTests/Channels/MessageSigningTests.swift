import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("Signatures of messages in channels")
struct MessageSigningTests {
    private let quiet = RuleFixtures.channel(RuleFixtures.me(.member))

    private var signing: GroupInfo {
        var group = quiet
        var preferences = GroupPreferences()
        preferences.signMessages = GroupPreference(enable: .on)
        group.fullGroupPreferences = FullGroupPreferences(preferences)
        return group
    }

    private func decide(_ isRequested: Bool, asGroup: Bool = false, in group: GroupInfo) throws -> MessageSigning {
        try MessageSigning(isRequested, asGroup: asGroup, in: .group(GroupConversation(group)))
    }

    @Test("a message is signed where the channel wants it or the command asks for it")
    func signed() throws {
        #expect(try decide(false, in: quiet).signer == nil)
        #expect(try decide(true, in: quiet).signer != nil && decide(true, in: quiet).isRequired)
        #expect(try decide(false, in: signing).signer != nil && !decide(false, in: signing).isRequired)
    }

    @Test("a signature that is asked for and cannot be made is an error")
    func impossible() throws {
        for group in [quiet, signing] {
            #expect(throws: Refusal.self) { try decide(true, asGroup: true, in: group) }
            #expect(try decide(false, asGroup: true, in: group).signer == nil, "the channel does not say who has written")
        }
        #expect(throws: Refusal.self) { try decide(true, in: RuleFixtures.group()) }
        #expect(try decide(false, in: RuleFixtures.group()).signer == nil)
        #expect(throws: Refusal.self) { try decide(true, in: RuleFixtures.group(channel: true)) }
    }

    @Test("a message that leaves no room for a signature goes without, unless the signature was asked for")
    func room() throws {
        func message(_ bytes: Int) -> OutgoingMessage {
            OutgoingMessage(encoded: Bytes(repeating: UInt8(ascii: "a"), count: bytes), id: SharedMessageID([1]), itemID: nil)
        }
        var short = message(100)
        try short.sign(try decide(false, in: signing))
        #expect(short.isSigned && short.signature == .verified && short.body.count > 100)
        let signed = short
        try short.sign(try decide(true, in: signing))
        #expect(short.body == signed.body, "a signed message is signed once")
        var long = message(MessageSigning.limit)
        try long.sign(try decide(false, in: signing))
        #expect(!long.isSigned && long.body.count == MessageSigning.limit)
        #expect(throws: Refusal.store(.largeMessage)) { try long.sign(try decide(true, in: signing)) }
    }

    @Test("a missing signature shows where the channel wants signatures, and of members only")
    func verification() {
        let author = RuleFixtures.member(2, .member), relay = RuleFixtures.member(3, .relay)
        #expect(MessageVerification(nil, of: author, in: signing) == .signatureMissing)
        #expect(MessageVerification(nil, of: author, in: quiet) != .signatureMissing)
        #expect(MessageVerification(nil, of: relay, in: signing) != .signatureMissing)
        #expect(MessageVerification(.verified, of: author, in: signing) == MessageVerification(.verified))
        var group = signing
        group.usesRelays = false
        #expect(MessageVerification(nil, of: author, in: group) != .signatureMissing)
    }
}
