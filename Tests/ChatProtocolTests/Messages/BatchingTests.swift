import ChatProtocol
import SMPWire
import TestSupport
import Testing

@Suite struct BatchingTests {
    private func message(_ text: String) -> Bytes {
        ChatMessage(event: .newMessage(MessageContainer(content: .text(text)))).body
    }

    private func texts(_ body: Bytes) throws -> [String] {
        try ReceivedChatMessage.parse(body).map { result in
            guard case .newMessage(let container) = try result.get().message.event else { return "?" }
            return container.content.text
        }
    }

    @Test(arguments: [MessageBatching.Mode.json, .binary])
    func everyMessageIsSentOnceInOrderAndNoBodyIsTooLong(mode: MessageBatching.Mode) throws {
        var random = SplitMix64(seed: 77)
        for _ in 0..<50 {
            let count = Int.random(in: 0...40, using: &random)
            let texts = (0..<count).map { "\($0) " + String(repeating: "x", count: Int.random(in: 0...700, using: &random)) }
            let elements = texts.map(message)
            let limit = Int.random(in: 200...2000, using: &random)
            var sent: [String] = []
            var next = 0
            for outcome in MessageBatching.batches(of: elements, mode: mode, limit: limit) {
                switch outcome {
                case .tooLarge(let index):
                    #expect(index == next && elements[index].count > limit)
                    sent.append(texts[index])
                    next += 1
                case .batch(let body, let range):
                    #expect(range.lowerBound == next && !range.isEmpty)
                    #expect(body.count <= limit)
                    sent += try self.texts(body)
                    next = range.upperBound
                }
            }
            #expect(sent == texts)
        }
    }

    @Test func oneMessageThatIsTooLargeFailsAlone() throws {
        let elements = [message("a"), message(String(repeating: "b", count: 500)), message("c"), message("d")]
        let outcomes = MessageBatching.batches(of: elements, mode: .json, limit: 400)
        #expect(outcomes.count == 3)
        #expect(outcomes[0] == .batch(elements[0], 0..<1))
        #expect(outcomes[1] == .tooLarge(1))
        guard case .batch(let body, 2..<4) = outcomes[2] else {
            Issue.record("the messages behind it are batched")
            return
        }
        #expect(try texts(body) == ["c", "d"])
    }

    @Test func nothingMakesNoBody() {
        #expect(MessageBatching.batches(of: [], mode: .json) == [])
        #expect(MessageBatching.batches(of: [], mode: .binary) == [])
        #expect(MessageBatching.binaryBatch(of: []) == [])
    }

    @Test func aBinaryBatchHasNoMoreElementsThanItCanCount() {
        let elements = Array(repeating: Bytes("{}".utf8), count: 600)
        let outcomes = MessageBatching.batches(of: elements, mode: .binary)
        let ranges = outcomes.compactMap { if case .batch(_, let range) = $0 { range } else { nil } }
        #expect(ranges == [0..<90, 90..<345, 345..<600])
        let (body, done, tooLarge) = MessageBatching.delivery(of: elements)
        #expect(done == 255 && tooLarge.isEmpty)
        #expect(body.prefix(2) == [UInt8(ascii: "="), 255])
    }

    @Test func aRelayDeliversTheLongestBeginningThatFits() throws {
        let forward = MessageForward(sender: .channel, brokerTimestamp: UTCTimestamp(seconds: 5))
        let elements = ["a", "b", "c", "d"].map { forward.element(message($0)) }
        let size = elements[0].count
        let all = MessageBatching.delivery(of: elements, limit: 4 * size + 10)
        #expect(all.done == 4)
        #expect(all.body.count == 4 * size + 10)
        #expect(try texts(all.body) == ["a", "b", "c", "d"])
        let three = MessageBatching.delivery(of: elements, limit: 4 * size + 9)
        #expect(three.done == 3)
        #expect(try texts(three.body) == ["a", "b", "c"])
        let rest = MessageBatching.delivery(of: elements.dropFirst(three.done), limit: 4 * size + 9)
        #expect(try texts(rest.body) == ["d"])
        #expect(rest.body.first == UInt8(ascii: "="), "also a single element is in a batch")
    }

    @Test func aRelayLeavesOutWhatFitsNoBody() throws {
        let large = message(String(repeating: "x", count: 1000))
        let elements = [large, message("a"), large, message("b")]
        let result = MessageBatching.delivery(of: elements, limit: 500)
        #expect(result.done == 4)
        #expect(result.tooLarge == [0, 2])
        #expect(try texts(result.body) == ["a", "b"])
        let none = MessageBatching.delivery(of: [large], limit: 500)
        #expect(none.body.isEmpty && none.done == 1 && none.tooLarge == [0])
        // An element may fit the limit but not the batch around it: then it cannot be delivered either, and must not block.
        let tight = MessageBatching.delivery(of: [large], limit: large.count)
        #expect(tight.done == 1 && tight.tooLarge == [0])
        let fits = MessageBatching.delivery(of: [large], limit: large.count + 4)
        #expect(fits.done == 1 && fits.tooLarge.isEmpty && fits.body.count == large.count + 4)
    }
}
