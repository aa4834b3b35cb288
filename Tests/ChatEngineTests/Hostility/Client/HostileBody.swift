import ChatAPI
import ChatRules
import SMPWire

@testable import ChatEngine
@testable import ChatProtocol

/// A body of a hostile client.
struct HostileBody: Sendable, CustomStringConvertible {
    /// How the messages are put together.
    enum Form: CaseIterable, Sendable {
        case json, binary
    }

    var description: String
    var bytes: Bytes
    /// The messages that a receiver reads of it.
    var messages: Int
    /// The length before compression.
    var plainLength: Int

    /// - Parameters:
    ///   - signer: The key of the sender, with which it signs what channels take with a signature only.
    ///   - isRelay: True if what is passed on has the binary form of relays.
    init(
        _ messages: [HostileMessage], form: Form = .json, isCompressed: Bool = false, signer: ChannelSigner? = nil, isRelay: Bool = false
    ) throws {
        let elements = messages.map { Self.element(of: $0, signer: signer, isRelay: isRelay) }
        var body: Bytes
        switch form {
        case .json where elements.count == 1 && elements.first?.first != UInt8(ascii: ">"): body = elements.first ?? []
        case .json: body = Bytes("[".utf8) + Bytes(elements.joined(separator: Bytes(",".utf8))) + Bytes("]".utf8)
        case .binary: body = MessageBatching.binaryBatch(of: elements.prefix(ChatLimits.binaryBatchElements))
        }
        plainLength = body.count
        if isCompressed { body = try MessageCompression.compress(body) }
        bytes = body
        self.messages = min(messages.count, ChatLimits.messagesPerBody)
        let names = Set(messages.map(\.name)).sorted()
        description = "\(messages.count) × \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")\(isCompressed ? ", compressed" : "")"
    }

    /// A compressed body of elements that are no messages.
    init(unreadable count: Int) throws {
        let body = Bytes(("[" + Array(repeating: "0", count: count).joined(separator: ",") + "]").utf8)
        (bytes, plainLength, messages) = (try MessageCompression.compress(body), body.count, min(count, ChatLimits.messagesPerBody))
        description = "\(count) elements that cannot be read, compressed"
    }

    private static func element(of message: HostileMessage, signer: ChannelSigner?, isRelay: Bool) -> Bytes {
        if isRelay, case .forwardMessage(let forward, let inner) = message.event {
            return forward.element(signer?.element(of: inner.body, tag: inner.tag) ?? inner.body)
        }
        let element = message.element
        return signer?.element(of: element, tag: message.event.tag) ?? element
    }
}
