import ChatProtocol
import SMPCrypto
import SMPWire
import Testing

@Suite struct SigningTests {
    private let random = SeededRandomSource(seed: 21)
    private let chat = ChatBinding.group(publicGroupID: Bytes(repeating: 7, count: 32), member: MemberID([1, 2, 3]))
    private let body = ChatMessage(messageID: SharedMessageID([9]), event: .leaveGroup).body

    @Test func aSignedMessageIsReadAndVerifiesInItsChatOnly() throws {
        let pair = Ed25519.generateKeyPair(random)
        let signed = SignedMessage(signing: body, in: chat, with: pair.privateKey)
        let received = try #require(ReceivedChatMessage.parse(signed.element).first).get()
        let read = try #require(received.signed)
        #expect(read == signed)
        #expect(read.isValid(in: chat, key: pair.publicKey))
        #expect(received.element == signed.element)

        let others: [ChatBinding] = [
            .group(publicGroupID: Bytes(repeating: 7, count: 32), member: MemberID([1, 2, 4])),
            .group(publicGroupID: Bytes(repeating: 8, count: 32), member: MemberID([1, 2, 3])),
            .channel(publicGroupID: Bytes(repeating: 7, count: 32)), .direct(securityCodeHash: Bytes(repeating: 7, count: 32)),
        ]
        for other in others { #expect(!read.isValid(in: other, key: pair.publicKey)) }
        #expect(!read.isValid(in: chat, key: Ed25519.generateKeyPair(random).publicKey))
    }

    @Test func aChangedMessageDoesNotVerify() throws {
        let pair = Ed25519.generateKeyPair(random)
        let signed = SignedMessage(signing: body, in: chat, with: pair.privateKey)
        let other = ChatMessage(messageID: SharedMessageID([9]), event: .deleteGroup).body
        let changed = try #require(SignedMessage(binding: .group, signatures: signed.signatures, body: other))
        #expect(!changed.isValid(in: chat, key: pair.publicKey))
        let spaced = try #require(SignedMessage(binding: .group, signatures: signed.signatures, body: body + [0x20]))
        #expect(!spaced.isValid(in: chat, key: pair.publicKey))
    }

    @Test func allSignaturesMustVerify() throws {
        let pair = Ed25519.generateKeyPair(random)
        let signed = SignedMessage(signing: body, in: chat, with: pair.privateKey)
        let wrong = MessageSignature(ed25519: Bytes(repeating: 1, count: 64))
        let both = try #require(SignedMessage(binding: .group, signatures: signed.signatures + [wrong], body: body))
        #expect(!both.isValid(in: chat, key: pair.publicKey))
        #expect(SignedMessage(binding: .group, signatures: [], body: body) == nil)
        #expect(SignedMessage(binding: .group, signatures: Array(repeating: wrong, count: 256), body: body) == nil)
        let many = try #require(SignedMessage(binding: .group, signatures: Array(repeating: wrong, count: 255), body: body))
        #expect(try ReceivedChatMessage.parse(many.element).first?.get().signed == many)
    }

    @Test func forwardingKeepsSignedBytesAndTheMembersOfOthersEachOnce() throws {
        let pair = Ed25519.generateKeyPair(random)
        let odd = Bytes("{ \"event\":\"x.grp.leave\", \"params\":{\"new\":1},\"v\":\"1-99\",\"more\":2}".utf8)
        let signed = SignedMessage(signing: odd, in: chat, with: pair.privateKey)
        let forward = MessageForward(
            sender: .member(MemberID([1, 2, 3]), name: "bob"), brokerTimestamp: UTCTimestamp(seconds: 1_700_000_000))

        let received = try #require(ReceivedChatMessage.parse(signed.element).first).get()
        let relayed = try #require(ReceivedChatMessage.parse(forward.element(received.element)).first).get()
        #expect(relayed.forward == forward)
        #expect(relayed.signed?.body == odd)
        #expect(relayed.signed?.isValid(in: chat, key: pair.publicKey) == true)

        let unsigned = try #require(ReceivedChatMessage.parse(odd).first).get()
        #expect(String(decoding: unsigned.element, as: UTF8.self) == "{\"v\":\"1-99\",\"event\":\"x.grp.leave\",\"params\":{\"new\":1},\"more\":2}")
        // Of members with one name, which clients may read differently, the first one is passed on.
        let twice = Bytes(#"{"event":"x.grp.leave","event":"x.grp.del","params":{"new":1,"new":2}}"#.utf8)
        let once = try #require(ReceivedChatMessage.parse(twice).first).get()
        #expect(String(decoding: once.element, as: UTF8.self) == #"{"v":"1","event":"x.grp.leave","params":{"new":1}}"#)
    }

    @Test func namesTooLongForForwardingAreCutBetweenCharacters() throws {
        let forward = MessageForward(
            sender: .member(MemberID([1]), name: String(repeating: "é", count: 200)), brokerTimestamp: UTCTimestamp(seconds: 0))
        let read = try MessageForward(wireBytes: forward.wireBytes)
        #expect(read.sender == .member(MemberID([1]), name: String(repeating: "é", count: 127)))
        for truncated in forward.wireBytes.truncations { #expect(throws: WireError.self) { try MessageForward(wireBytes: truncated) } }
    }
}
