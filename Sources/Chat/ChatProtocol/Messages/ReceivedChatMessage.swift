public import SMPWire

/// A message out of a received body.
public struct ReceivedChatMessage: Hashable, Sendable {
    /// Whose message it is, if a relay forwards it.
    public var forward: MessageForward?
    /// The bytes that were signed, if it is signed. Nothing has been verified yet.
    public var signed: SignedMessage?
    /// The message itself.
    public var message: ChatMessage

    /// Creates the value from its parts.
    public init(forward: MessageForward? = nil, signed: SignedMessage? = nil, message: ChatMessage) {
        self.forward = forward
        self.signed = signed
        self.message = message
    }

    /// The message as an element of a batch without the mark of forwarding: signed bytes as they came, others encoded anew
    /// with the members that are not known. Members of the same name, which clients may read differently, are not passed on.
    public var element: Bytes { signed?.element ?? message.body }
}

extension ReceivedChatMessage {
    /// One message, or why it could not be read.
    public typealias ParsingResult = Result<ReceivedChatMessage, ChatProtocolError>

    /// Reads the messages of a body that the agent has delivered: one message, a JSON array, a binary batch, or any of them
    /// compressed. A message that cannot be read leaves the others readable.
    ///
    /// - Returns: At most ``ChatLimits/messagesPerBody`` messages. If the body holds more, one failure `tooManyMessages` follows for all of the rest.
    public static func parse(_ body: Bytes) -> [ParsingResult] {
        var batch = MessageBatch()
        guard body.first == UInt8(ascii: "X") else {
            batch.add(body)
            return batch.results
        }
        do throws(ChatProtocolError) {
            for part in try MessageCompression.decompress(body) {
                switch part {
                case .success(let body): batch.add(body)
                case .failure(let error): batch.add { .failure(error) }
                }
            }
        } catch {
            return [.failure(error)]
        }
        return batch.results
    }

    /// Reads an element of a batch: a message, possibly signed, possibly forwarded, but not forwarded twice.
    public static func parseElement(_ element: Bytes) -> ParsingResult {
        Result { () throws(ChatProtocolError) in
            var received = ReceivedChatMessage(message: ChatMessage(event: .ok))
            var body = element
            if body.first == UInt8(ascii: ">") {
                (received.forward, body) = try Self.forward(of: body)
            }
            if body.first == UInt8(ascii: "/") {
                let signed = try Self.signed(body)
                received.signed = signed
                body = signed.body
                guard body.first == UInt8(ascii: "{") else {
                    throw ChatProtocolError(.unknownPrefix, "a signed message is JSON")
                }
            }
            received.message = try ChatMessage(body: body)
            return received
        }
    }

    private static func forward(of element: Bytes) throws(ChatProtocolError) -> (MessageForward, Bytes) {
        do {
            var parser = WireParser(element)
            try parser.expect(UInt8(ascii: ">"))
            return (try parser.read(), parser.rest())
        } catch {
            throw ChatProtocolError(.malformedBinary, "a forwarded message", cause: error)
        }
    }

    private static func signed(_ element: Bytes) throws(ChatProtocolError) -> SignedMessage {
        do {
            var parser = WireParser(element)
            try parser.expect(UInt8(ascii: "/"))
            let binding = try parser.read(ChatBindingTag.self)
            let signatures = try parser.nonEmptyList(of: MessageSignature.self)
            guard let signed = SignedMessage(binding: binding, signatures: signatures, body: parser.rest()) else {
                throw parser.error(.invalidValue, "signatures")
            }
            return signed
        } catch {
            throw ChatProtocolError(.malformedBinary, "a signed message", cause: error)
        }
    }
}
