internal import SMPWire

/// The messages of a received body, counted while they are read: those beyond ``ChatLimits/messagesPerBody`` are not read.
struct MessageBatch {
    private var read: [ReceivedChatMessage.ParsingResult] = []
    /// The number of messages that were not read.
    private var excess = 0

    /// The messages that were read, and one failure for all that were not.
    var results: [ReceivedChatMessage.ParsingResult] {
        guard excess > 0 else { return read }
        let reason = "\(excess) messages after the first \(ChatLimits.messagesPerBody) of a body"
        return read + [.failure(ChatProtocolError(.tooManyMessages, reason))]
    }

    /// Adds the messages of an uncompressed body.
    mutating func add(_ body: Bytes) {
        switch body.first {
        case UInt8(ascii: "["): addArray(body)
        case UInt8(ascii: "="): addBinaryBatch(body)
        default: add { ReceivedChatMessage.parseElement(body) }
        }
    }

    /// Adds one message, which is parsed only if there is room for it.
    mutating func add(_ message: () -> ReceivedChatMessage.ParsingResult) {
        guard read.count < ChatLimits.messagesPerBody else {
            excess += 1
            return
        }
        read.append(message())
    }

    private mutating func addArray(_ body: Bytes) {
        let elements: [JSONValue]
        do {
            elements = try [JSONValue](parsing: body)
        } catch {
            return add { .failure(ChatProtocolError(.malformedJSON, "a batch of messages", cause: error)) }
        }
        for element in elements {
            add {
                Result { () throws(ChatProtocolError) in
                    do {
                        return ReceivedChatMessage(message: try ChatMessage(received: element))
                    } catch {
                        throw ChatProtocolError(.malformedJSON, "a message of a batch", cause: error)
                    }
                }
            }
        }
    }

    private mutating func addBinaryBatch(_ body: Bytes) {
        let elements: [Bytes]
        do {
            var parser = WireParser(body)
            try parser.expect(UInt8(ascii: "="))
            elements = try parser.list { parser throws(WireError) in try parser.large() }
            try parser.finish()
        } catch {
            return add { .failure(ChatProtocolError(.malformedBinary, "a batch of messages", cause: error)) }
        }
        for element in elements { add { ReceivedChatMessage.parseElement(element) } }
    }
}
