import FoundationEssentials
import SMPWire

/// The state of a queue in `INFO`, for a recipient who finds out why messages do not arrive.
package struct QueueState: Hashable, Sendable {
    package enum SubscriptionState: String, Hashable, Sendable, Codable {
        case noSub, subPending, subThread, prohibitSub
    }

    package struct Subscription: Hashable, Sendable, Codable {
        package var state: SubscriptionState
        /// Padded base64 of the id of the delivered message that is not acknowledged.
        package var deliveredMessageID: String?

        package init(state: SubscriptionState, deliveredMessageID: String? = nil) {
            self.state = state
            self.deliveredMessageID = deliveredMessageID
        }

        private enum CodingKeys: String, CodingKey {
            case state = "qSubThread"
            case deliveredMessageID = "qDelivered"
        }
    }

    package enum MessageKind: String, Hashable, Sendable, Codable { case message, quota }

    package struct Message: Hashable, Sendable, Codable {
        /// Padded base64.
        package var id: String
        /// ISO 8601, UTC.
        package var timestamp: String
        package var kind: MessageKind

        package init(id: String, timestamp: String, kind: MessageKind) {
            self.id = id
            self.timestamp = timestamp
            self.kind = kind
        }

        private enum CodingKeys: String, CodingKey {
            case id = "msgId"
            case timestamp = "msgTs"
            case kind = "msgType"
        }
    }

    /// True if the queue is secured.
    package var isSecured: Bool
    /// True if a notification server may subscribe.
    package var hasNotifier: Bool
    /// The subscription of this connection.
    package var subscription: Subscription?
    /// Messages in the queue.
    package var size: Int
    /// The first message.
    package var firstMessage: Message?

    package init(
        isSecured: Bool, hasNotifier: Bool, subscription: Subscription? = nil, size: Int, firstMessage: Message? = nil
    ) {
        self.isSecured = isSecured
        self.hasNotifier = hasNotifier
        self.subscription = subscription
        self.size = size
        self.firstMessage = firstMessage
    }

    /// Members in the order that routers write them: every text here is base64, a date or a word, as routers write it.
    var json: String {
        var members = ["\"qiSnd\":\(isSecured)", "\"qiNtf\":\(hasNotifier)"]
        if let subscription {
            let delivered = subscription.deliveredMessageID.map { ",\"qDelivered\":\"\(Self.escaped($0))\"" } ?? ""
            members.append("\"qiSub\":{\"qSubThread\":\"\(subscription.state.rawValue)\"\(delivered)}")
        }
        members.append("\"qiSize\":\(size)")
        if let message = firstMessage {
            let id = Self.escaped(message.id)
            let time = Self.escaped(message.timestamp)
            members.append("\"qiMsg\":{\"msgId\":\"\(id)\",\"msgTs\":\"\(time)\",\"msgType\":\"\(message.kind.rawValue)\"}")
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// By scalars: a backslash and a mark that combines with it are one character.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case "\0"..<" ": escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    init(json parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        do {
            self = try JSONDecoder().decode(QueueState.self, from: Data(parser.rest()))
        } catch {
            throw WireError(.invalidValue, "queue information in JSON", at: start)
        }
    }
}

extension QueueState: Codable {
    private enum CodingKeys: String, CodingKey {
        case isSecured = "qiSnd"
        case hasNotifier = "qiNtf"
        case subscription = "qiSub"
        case size = "qiSize"
        case firstMessage = "qiMsg"
    }
}
