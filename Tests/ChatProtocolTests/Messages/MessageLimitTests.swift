import ChatProtocol
import SMPCrypto
import SMPWire
import Testing

/// What messages of peers are taken at their limits, and what is made of more.
@Suite struct MessageLimitTests {
    private func message(_ json: String) throws -> ChatMessage { try ChatMessage(body: Bytes(json.utf8)) }

    @Test(arguments: [(0, true), (1, false)])
    func aDescriptionOfTheLargestSizeIsTakenAndOneByteMoreIsNot(_ more: Int, _ isTaken: Bool) throws {
        let size = ChatLimits.fileDescriptionPart
        var whole = FileDescription.pending
        while whole.text.utf8.count + size < ChatLimits.fileDescription {
            try whole.append(FileDescription(text: String(repeating: "a", count: size), partNumber: whole.partNumber + 1, isComplete: false))
        }
        let rest = String(repeating: "b", count: ChatLimits.fileDescription - whole.text.utf8.count + more)
        let before = whole, last = FileDescription(text: rest, partNumber: whole.partNumber + 1, isComplete: true)
        guard isTaken else {
            let error = #expect(throws: ChatProtocolError.self) { try whole.append(last) }
            #expect(error?.code == .tooLarge && whole == before)
            return
        }
        try whole.append(last)
        #expect(whole.isComplete && whole.text.utf8.count == ChatLimits.fileDescription)
    }

    @Test(arguments: [(31, true), (32, false)])
    func ofManyCapabilitiesTheFirstAreLookedAt(_ others: Int, _ isKnown: Bool) throws {
        let names = (0..<others).map { #""other\#($0)""# } + [#""comments""#]
        let read = try message(#"{"v":"1-17","event":"x.ok","params":{},"caps":[\#(names.joined(separator: ","))]}"#)
        #expect(read.capabilities.contains(.comments) == isKnown)
        #expect(read.event == .ok)
    }

    @Test(arguments: [#""comments""#, "null", "7", #"{"comments":true}"#, #"[["comments"]]"#, "[1,null]"])
    func whatIsNoListOfCapabilitiesNamesNone(_ json: String) throws {
        let read = try message(#"{"v":"1-17","event":"x.ok","params":{},"caps":\#(json)}"#)
        #expect(read.capabilities.isEmpty && read.event == .ok)
    }

    @Test(arguments: [("-1", 0), ("0", 0), ("60", 60), ("3155760000", 3_155_760_000), ("3155760001", 3_155_760_000)])
    func theTimeOfAMessageIsBoundedAsThatOfAPreference(_ text: String, _ seconds: Int) throws {
        let content = #""content":{"type":"text","text":"x"},"ttl":\#(text)"#
        guard case .newMessage(let container) = try message(#"{"event":"x.msg.new","params":{\#(content)}}"#).event,
            case .updateMessage(let update) = try message(#"{"event":"x.msg.update","params":{"msgId":"AQ==",\#(content)}}"#).event
        else {
            Issue.record("the messages are read as others")
            return
        }
        #expect(container.ttl == seconds && update.ttl == seconds)
    }

    @Test func aSignatureDoesNotCountUnderTheNameOfAnotherKindOfChat() throws {
        let pair = Ed25519.generateKeyPair(SeededRandomSource(seed: 22)), body = ChatMessage(event: .leaveGroup).body
        let chats: [ChatBinding] = [
            .group(publicGroupID: Bytes(repeating: 7, count: 32), member: MemberID([1])), .channel(publicGroupID: Bytes(repeating: 7, count: 32)),
            .direct(securityCodeHash: Bytes(repeating: 7, count: 32)),
        ]
        for chat in chats {
            let signed = SignedMessage(signing: body, in: chat, with: pair.privateKey)
            #expect(signed.isValid(in: chat, key: pair.publicKey))
            for other in chats where other != chat {
                let renamed = try #require(SignedMessage(binding: other.tag, signatures: signed.signatures, body: body))
                #expect(!renamed.isValid(in: chat, key: pair.publicKey) && !renamed.isValid(in: other, key: pair.publicKey))
            }
        }
    }
}
