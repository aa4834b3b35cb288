import ChatProtocol
import SMPCrypto
import SMPWire
import TestSupport
import Testing

/// What is signed with a message, so that it cannot be shown in another chat; and what stands for the signatures on the wire.
@Suite struct BindingTests {
    private let random = SeededRandomSource(seed: 5)
    private let body = ChatMessage(event: .leaveGroup).body

    @Test(
        arguments: [
            (ChatBinding.group(publicGroupID: [1, 2], member: MemberID([3])), [0x47, 2, 1, 2, 1, 3]),
            (.group(publicGroupID: [], member: MemberID([])), [0x47, 0, 0]),
            (.channel(publicGroupID: [1, 2]), [0x43, 2, 1, 2]), (.direct(securityCodeHash: [1, 2]), [0x44, 1, 2]),
        ] as [(ChatBinding, Bytes)]) func theKindOfChatAndItsIdentityAreSigned(chat: ChatBinding, bytes: Bytes)
    {
        #expect(chat.bytes == bytes)
        #expect(chat.tag.wireBytes == [bytes[0]])
    }

    /// Where one identifier ends and the next begins is signed too.
    @Test func identifiersCannotBeShiftedIntoEachOther() {
        let pair = Ed25519.generateKeyPair(random)
        let signed = SignedMessage(signing: body, in: .group(publicGroupID: [1, 2], member: MemberID([3, 4])), with: pair.privateKey)
        for other in [
            ChatBinding.group(publicGroupID: [1], member: MemberID([2, 3, 4])), .group(publicGroupID: [1, 2, 3], member: MemberID([4])),
            .group(publicGroupID: [1, 2, 3, 4], member: MemberID([])), .channel(publicGroupID: [1, 2]),
        ] { #expect(!signed.isValid(in: other, key: pair.publicKey)) }
    }

    /// A binding is cut where its length cannot be told: two such groups would be one, and no group is.
    @Test func identifiersOfAnyLengthHaveABinding() {
        for count in [254, 255, 256, 1_000] {
            let bytes = ChatBinding.channel(publicGroupID: Bytes(repeating: 9, count: count)).bytes
            #expect(bytes.count == 2 + min(count, 255) && Int(bytes[1]) == min(count, 255))
        }
    }

    /// Ed25519 and Ed448 have signatures of 64 and 114 bytes.
    @Test(arguments: [(0, false), (1, false), (63, false), (64, true), (65, false), (113, false), (114, true), (115, false), (255, false)])
    func aSignatureHasTheLengthOfItsKind(count: Int, isRead: Bool) throws {
        let element = Bytes("/G\u{1}M".utf8) + [UInt8(count)] + Bytes(repeating: 1, count: count) + body
        let result = try #require(ReceivedChatMessage.parse(element).first)
        switch result {
        case .success(let received):
            #expect(isRead && received.signed?.signatures.map(\.bytes.count) == [count])
            #expect(received.signed?.isValid(in: .group(publicGroupID: [], member: MemberID([])), key: Ed25519.generateKeyPair(random).publicKey) == false)
        case .failure(let error): #expect(!isRead && error.code == .malformedBinary)
        }
    }

    @Test(arguments: ["/", "/G", "/G\u{1}", "/G\u{1}M", "/G\u{1}M\u{40}", "/G\u{1}K\u{40}", "/g\u{1}M\u{40}", "/X\u{1}M\u{40}"])
    func anElementThatEndsInItsSignaturesIsRefused(beginning: String) throws {
        let result = try #require(ReceivedChatMessage.parse(Bytes(beginning.utf8)).first)
        let error = #expect(throws: ChatProtocolError.self) { try result.get() }
        #expect(error?.code == .malformedBinary)
    }

    /// Marks inside each other: a forwarded message may be signed, and nothing else stands inside of anything.
    @Test func onlyAForwardedMessageMayBeSigned() throws {
        let pair = Ed25519.generateKeyPair(random)
        let signed = SignedMessage(signing: body, in: .channel(publicGroupID: [1]), with: pair.privateKey).element
        let forward = MessageForward(sender: .channel, brokerTimestamp: UTCTimestamp(seconds: 1))
        func code(_ element: Bytes) -> ChatProtocolError.Code? {
            for case .failure(let error) in ReceivedChatMessage.parse(MessageBatching.binaryBatch(of: [element, body])) { return error.code }
            return nil
        }
        #expect(code(signed) == nil && code(forward.element(body)) == nil && code(forward.element(signed)) == nil)
        let batches = [Bytes("[".utf8) + body + Bytes("]".utf8), MessageBatching.binaryBatch(of: [body]), try MessageCompression.compress(body)]
        for batch in batches { #expect(code(batch) == .unknownPrefix && code(forward.element(batch)) == .unknownPrefix) }
        #expect(code(forward.element(forward.element(body))) == .unknownPrefix)
        let inner = try #require(
            SignedMessage(binding: .channel, signatures: [MessageSignature(ed25519: Bytes(repeating: 1, count: 64))], body: forward.element(body)))
        #expect(code(inner.element) == .unknownPrefix)
        // The message behind a bad one is read.
        let results = ReceivedChatMessage.parse(MessageBatching.binaryBatch(of: [batches[0], body]))
        #expect(results.count == 2)
        #expect(try results.last?.get().message.event == .leaveGroup)
    }

    /// The binary event has no place for an id of its own, and tells its end by the number 0.
    @Test func piecesOfFilesAreNumberedFromOne() throws {
        let id = SharedMessageID([1, 2, 3])
        for chunk in [FileChunk.cancel, .piece(number: 1, []), .piece(number: 255, Bytes("F/>[={X".utf8))] {
            let message = ChatMessage(messageID: SharedMessageID([9]), event: .fileChunk(messageID: id, chunk))
            let read = try ChatMessage(body: message.body)
            #expect(read.event == message.event && read.messageID == nil && read.versions == ChatVersions.initial)
            #expect(read.tag == .fileChunk)
        }
        // Piece 256 has the number of the end, which has no bytes behind it.
        let wrapped = ChatMessage(event: .fileChunk(messageID: id, .piece(number: 0, [1]))).body
        #expect(throws: ChatProtocolError.self) { try ChatMessage(body: wrapped) }
        // A message in JSON cannot call itself one.
        #expect(throws: ChatProtocolError.self) { try ChatMessage(body: Bytes(#"{"event":"F","params":{}}"#.utf8)) }
    }
}
