import ChatProtocol
import SMPWire
import TestSupport
import Testing
import VectorSupport

@Suite struct BodyAttackTests {
    /// Bodies of all kinds, as recorded.
    private static func recordedBodies() throws -> [Bytes] {
        try Vectors.cases("chat_messages").compactMap { item in
            switch item.kind {
            case "parse": item["input_hex"].hex ?? item["input"].string.map { Bytes($0.utf8) }
            case "signed-element", "forward-element": item["element"].hex
            case "binary-batch": item["batch"].hex
            case "compressed": item["compressed"].hex
            default: nil
            }
        }
    }

    private static func firstError(_ body: Bytes) -> ChatProtocolError.Code? {
        for case .failure(let error) in ReceivedChatMessage.parse(body) { return error.code }
        return nil
    }

    private static func large(_ elements: [Bytes], count: UInt8? = nil) -> Bytes {
        var writer = WireWriter()
        writer.write(text: "=")
        writer.write(byte: count ?? UInt8(elements.count))
        for element in elements { writer.write(large: element) }
        return writer.bytes
    }

    @Test func truncatedBodiesAreAnsweredWithErrorsOnly() throws {
        for body in try Self.recordedBodies() where body.count < 4000 {
            for truncated in body.truncations {
                let results = ReceivedChatMessage.parse(truncated)
                // A cut batch of whole messages would be worse than an error. Only white space and the bytes of an inline
                // file can be cut off unseen.
                if body.first != UInt8(ascii: "F"), body.last != 0x0A {
                    #expect(results.contains { if case .failure = $0 { true } else { false } })
                }
            }
        }
    }

    @Test func garbledBodiesNeverDoHarmAndWhatIsReadIsWrittenAgain() throws {
        var random = SplitMix64(seed: 42)
        for body in try Self.recordedBodies() where body.count < 4000 {
            for _ in 0..<20 {
                for case .success(let received) in ReceivedChatMessage.parse(body.garbled(&random)) {
                    #expect(try ChatMessage(body: received.message.body).event == received.message.event)
                }
            }
        }
    }

    @Test func arbitraryBytesBehindEveryPrefixNeverDoHarm() {
        var random = SplitMix64(seed: 3)
        for prefix in "X=/>{[FMZ\0".utf8 {
            for _ in 0..<300 {
                let body = [prefix] + random.bytes(Int.random(in: 0...80, using: &random))
                #expect(!ReceivedChatMessage.parse(body).isEmpty || prefix == UInt8(ascii: "="))
            }
        }
    }

    @Test func faultsAreTold() {
        let ok = ChatMessage(event: .ok).body
        #expect(Self.firstError([]) == .emptyBody)
        #expect(Self.firstError([0x5A]) == .unknownPrefix)
        #expect(Self.firstError(Bytes(" {}".utf8)) == .unknownPrefix)
        #expect(Self.firstError(Bytes("{".utf8)) == .malformedJSON)
        #expect(Self.firstError(Bytes("{}".utf8)) == .malformedJSON)
        #expect(Self.firstError(Bytes("[{}]".utf8)) == .malformedJSON)
        #expect(Self.firstError(Bytes("[".utf8)) == .malformedJSON)
        #expect(Self.firstError(Self.large([ok], count: 2)) == .malformedBinary)
        #expect(Self.firstError(Self.large([ok]) + [0]) == .malformedBinary)
        #expect(Self.firstError(Self.large([[]])) == .emptyBody)
        #expect(Self.firstError(Bytes("/".utf8)) == .malformedBinary)
        #expect(Self.firstError(Bytes("/G\0".utf8) + ok) == .malformedBinary)
        #expect(Self.firstError(Bytes("/G\u{1}M\u{3}abc".utf8) + ok) == .malformedBinary)
        #expect(Self.firstError(Bytes("/Q".utf8) + ok) == .malformedBinary)
        #expect(Self.firstError(Bytes(">".utf8)) == .malformedBinary)
        #expect(Self.firstError(Bytes(">Q".utf8)) == .malformedBinary)
        #expect(Self.firstError(Bytes(">C".utf8) + Bytes(repeating: 0, count: 8)) == .emptyBody)
        #expect(Self.firstError(Bytes("F".utf8)) == .malformedBinary)
        #expect(Self.firstError([0x46, 0, 1, 1, 0, 7]) == .malformedBinary)
        #expect(Self.firstError(Bytes("X".utf8)) == .malformedBinary)
        #expect(Self.firstError(Bytes("X\0".utf8)) == .malformedBinary)
    }

    @Test func signaturesAreForMessagesOnly() throws {
        let signature = Bytes("/G\u{1}M\u{40}".utf8) + Bytes(repeating: 1, count: 64)
        for inner in [Bytes("F\0\u{1}a\u{1}x".utf8), Bytes(">C".utf8) + Bytes(repeating: 0, count: 8), signature, [], Bytes("[]".utf8)] {
            let result = try #require(ReceivedChatMessage.parse(signature + inner).first)
            #expect(throws: ChatProtocolError.self) { try result.get() }
        }
        let message = ChatMessage(event: .leaveGroup)
        let received = try #require(ReceivedChatMessage.parse(signature + message.body).first).get()
        #expect(received.message == message)
        #expect(received.signed?.body == message.body)
    }

    @Test func aBatchMayHoldAsManyElementsAsItsCountCanTell() throws {
        let element = ChatMessage(event: .ok).body
        let body = MessageBatching.binaryBatch(of: Array(repeating: element, count: 255))
        let results = ReceivedChatMessage.parse(body)
        #expect(results.count == 255)
        #expect(try results.allSatisfy { try $0.get().message.event == .ok })
    }

    @Test func compressionIsNotTakenTwice() throws {
        let inner = try MessageCompression.compress(ChatMessage(event: .ok).body)
        #expect(Self.firstError(try MessageCompression.compress(inner)) == .unknownPrefix)
    }

    @Test func eventsForwardedInsideEachOtherAreBounded() throws {
        var message = ChatMessage(event: .ok)
        let forward = MessageForward(sender: .channel, brokerTimestamp: UTCTimestamp(seconds: 1))
        for _ in 0..<30 { message = ChatMessage(event: .forwardMessage(forward, message)) }
        #expect(try ChatMessage(body: message.body) == message)
        for _ in 0..<300 { message = ChatMessage(event: .forwardMessage(forward, message)) }
        #expect(Self.firstError(message.body) == .malformedJSON)
    }

    @Test func identifiersThatNoBinaryFormCanHoldAreRefused() throws {
        let id = Base64URL.encode(Bytes(repeating: 1, count: 256))
        let body = Bytes("{\"event\":\"x.msg.del\",\"params\":{\"msgId\":\"\(id)\"}}".utf8)
        #expect(Self.firstError(body) == .malformedJSON)
        let longest = Base64URL.encode(Bytes(repeating: 1, count: 255))
        #expect(Self.firstError(Bytes("{\"event\":\"x.msg.del\",\"params\":{\"msgId\":\"\(longest)\"}}".utf8)) == nil)
        for id in ["", "!", "A", "====", "QUJD\\n"] {
            #expect(Self.firstError(Bytes("{\"event\":\"x.msg.del\",\"params\":{\"msgId\":\"\(id)\"}}".utf8)) == .malformedJSON)
        }
    }

    @Test func errorsDoNotRepeatWhatAMessageSays() throws {
        let texts = [
            "{\"event\":\"x.msg.new\",\"params\":{\"content\":{\"type\":\"image\",\"text\":\"my secret\"}}}",
            "{\"event\":\"x.msg.new\",\"params\":{\"content\":{\"type\":\"text\",\"text\":\"my secret\"},\"mentions\":{\"my secret\":5}}}",
            "{\"event\":\"x.msg.new\",\"params\":{\"content\":{\"type\":\"text\",\"text\":\"my secret",
            "{\"event\":\"my secret\",\"params\":{}}",
        ]
        for text in texts {
            for case .failure(let error) in ReceivedChatMessage.parse(Bytes(text.utf8)) {
                #expect(!error.description.contains("secret"))
            }
            #expect(Self.firstError(Bytes(text.utf8)) == .malformedJSON)
        }
    }
}
