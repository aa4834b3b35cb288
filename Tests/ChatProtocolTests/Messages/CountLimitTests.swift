import SMPWire
import Testing

@testable import ChatProtocol

/// The counts that a peer chooses: messages of a body, parts of a compressed one, elements of lists.
@Suite("Counts that a peer chooses")
struct CountLimitTests {
    private static let message = ChatMessage(event: .ok).body

    private static func array(_ count: Int, of element: Bytes) -> Bytes {
        Bytes("[".utf8) + Bytes(Array(repeating: element, count: count).joined(separator: Bytes(",".utf8))) + Bytes("]".utf8)
    }

    private static func compressed(_ parts: [Bytes]) throws -> Bytes {
        var writer = WireWriter()
        writer.write(text: "X")
        writer.write(byte: UInt8(parts.count))
        for part in parts {
            writer.write(text: "1")
            writer.write(large: try Zstandard.compress(part))
        }
        return writer.bytes
    }

    private static func count(_ body: Bytes) -> (read: Int, errors: [ChatProtocolError.Code]) {
        var read = 0, errors: [ChatProtocolError.Code] = []
        for result in ReceivedChatMessage.parse(body) {
            switch result {
            case .success: read += 1
            case .failure(let error): errors.append(error.code)
            }
        }
        return (read, errors)
    }

    @Test("of a body 255 messages are read, and one error tells of the rest", arguments: [(255, 0), (256, 1), (390, 1), (936, 1)])
    func messages(_ count: Int, _ errors: Int) throws {
        let body = Self.array(count, of: Self.message)
        for body in [body, try Self.compressed([body])] {
            let result = Self.count(body)
            #expect(result.read == 255 && result.errors == Array(repeating: .tooManyMessages, count: errors))
        }
    }

    @Test("the parts of a compressed body count together, whatever they hold")
    func parts() throws {
        let element = Self.message, batch = MessageBatching.binaryBatch(of: Array(repeating: element, count: 200))
        let bodies = [
            try Self.compressed(Array(repeating: element, count: 200) + [Self.array(100, of: element)]), try Self.compressed([batch, batch, batch]),
            try Self.compressed([Self.array(300, of: element), batch]),
        ]
        for body in bodies {
            let result = Self.count(body)
            #expect(result.read == 255 && result.errors == [.tooManyMessages])
        }
    }

    @Test("27 bytes that become 32,765 elements are 255 errors, and one for the rest")
    func bomb() throws {
        let body = try Self.compressed([Self.array(32_765, of: [UInt8(ascii: "0")])])
        #expect(body.count < 40)
        let result = Self.count(body)
        #expect(result.read == 0 && result.errors.count == 256)
    }

    @Test("we put no more messages into a body than are read of one", arguments: [MessageBatching.Mode.json, .binary])
    func sending(_ mode: MessageBatching.Mode) {
        let bodies = MessageBatching.batches(of: Array(repeating: Bytes("{}".utf8), count: 1_000), mode: mode)
        for case .batch(_, let range) in bodies { #expect(range.count <= ChatLimits.messagesPerBody) }
    }

    /// A message with a list where the format has one, and where it has none.
    private static func lists(_ count: Int) -> [String] {
        let members = (0..<count).map { #""m\#($0)":{"memberId":"AAAA"}"# }.joined(separator: ",")
        let numbers = Array(repeating: "0", count: count).joined(separator: ",")
        let command = #"{"type":"command","keyword":"k","label":"l"}"#
        let commands = Array(repeating: command, count: count).joined(separator: ",")
        let content = #""content":{"type":"text","text":"x"}"#
        return [
            #"{"event":"x.msg.new","params":{\#(content),"mentions":{\#(members)}}}"#,
            #"{"event":"x.msg.new","params":{"content":{"type":"new","text":"x","list":[\#(numbers)]}}}"#,
            #"{"event":"x.msg.new","params":{"content":{"type":"new","text":"x","deep":[{"list":[[\#(numbers)]]}]}}}"#,
            #"{"event":"x.info","params":{"profile":{"displayName":"x","fullName":"","preferences":{"commands":[\#(commands)]}}}}"#,
            #"{"event":"x.new","params":{\#(members)}}"#, #"{"event":"x.ok","params":{},"unknown":[\#(numbers)]}"#,
        ]
    }

    @Test("a list of 1,024 elements is read wherever it is, and a message with a longer one is not", arguments: [(1_024, true), (1_025, false)])
    func elements(_ count: Int, _ isRead: Bool) {
        for message in Self.lists(count) {
            let result = Self.count(Bytes(message.utf8))
            #expect(result.read == (isRead ? 1 : 0) && result.errors == (isRead ? [] : [.malformedJSON]))
            // The other messages of its batch are read all the same.
            let batch = Self.count(Bytes("[".utf8) + Self.message + Bytes(",\(message)]".utf8))
            #expect(batch.read == (isRead ? 2 : 1))
        }
    }
}
