import SMPProtocol
package import SMPWire

extension AgentMessage: WireCodable {
    package func encode(to writer: inout WireWriter) {
        switch self {
        case .connectionInfo(let info):
            writer.write(byte: UInt8(ascii: "I"))
            writer.write(raw: info)
        case .connectionInfoReply(let queues, let info):
            writer.write(byte: UInt8(ascii: "D"))
            writer.write(list: queues)
            writer.write(raw: info)
        case .ratchetInfo(let info):
            writer.write(byte: UInt8(ascii: "R"))
            writer.write(raw: info)
        case .message(let header, let content):
            writer.write(byte: UInt8(ascii: "M"))
            writer.write(header)
            writer.write(content)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        switch try parser.byte() {
        case UInt8(ascii: "I"): self = .connectionInfo(parser.rest())
        case UInt8(ascii: "D"): self = .connectionInfoReply(try parser.nonEmptyList(), info: parser.rest())
        case UInt8(ascii: "R"): self = .ratchetInfo(parser.rest())
        case UInt8(ascii: "M"): self = .message(try parser.read(), try parser.read())
        default: throw WireError(.invalidValue, "an agent message is I, D, R or M", at: start)
        }
    }

    /// The kind that the message is stored under.
    var kind: AgentMessageKind {
        switch self {
        case .connectionInfo: .connectionInfo
        case .connectionInfoReply: .connectionInfoReply
        case .ratchetInfo: .ratchetInfo
        case .message(_, let content): content.kind
        }
    }
}

extension AgentMessageContent: WireCodable {
    package func encode(to writer: inout WireWriter) {
        writer.write(text: kind.rawValue)
        switch self {
        case .hello: break
        case .message(let body): writer.write(raw: body)
        case .received(let receipts): writer.write(list: receipts)
        case .queueContinue(let queue): writer.write(queue)
        case .queueAdd(let queues): writer.write(list: queues)
        case .queueKey(let keys): writer.write(list: keys)
        case .queueUse(let queues): writer.write(list: queues)
        case .queueTest(let queues): writer.write(list: queues)
        case .ratchetReady(let id): writer.write(id)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        switch try parser.byte() {
        case UInt8(ascii: "H"): self = .hello
        case UInt8(ascii: "M"): self = .message(parser.rest())
        case UInt8(ascii: "V"): self = .received(try parser.nonEmptyList())
        case UInt8(ascii: "E"): self = .ratchetReady(lastReceivedID: try parser.messageID())
        case UInt8(ascii: "Q"):
            switch try parser.byte() {
            case UInt8(ascii: "C"): self = .queueContinue(try parser.read())
            case UInt8(ascii: "A"): self = .queueAdd(try parser.nonEmptyList())
            case UInt8(ascii: "K"): self = .queueKey(try parser.nonEmptyList())
            case UInt8(ascii: "U"): self = .queueUse(try parser.nonEmptyList())
            case UInt8(ascii: "T"): self = .queueTest(try parser.nonEmptyList())
            default: throw WireError(.invalidValue, "a queue message is QC, QA, QK, QU or QT", at: start)
            }
        default: throw WireError(.invalidValue, "a numbered message is H, M, V, E or Q", at: start)
        }
    }

    var kind: AgentMessageKind {
        switch self {
        case .hello: .hello
        case .message: .message
        case .received: .receipt
        case .queueContinue: .queueContinue
        case .queueAdd: .queueAdd
        case .queueKey: .queueKey
        case .queueUse: .queueUse
        case .queueTest: .queueTest
        case .ratchetReady: .ratchetReady
        }
    }
}
