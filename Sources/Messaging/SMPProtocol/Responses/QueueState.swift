import FoundationEssentials
import SMPWire

/// The state of a queue in `INFO`, for a recipient who finds out why messages do not arrive.
public struct QueueState: Hashable, Sendable {
    public enum SubscriptionState: String, Hashable, Sendable, Codable {
        case noSub, subPending, subThread, prohibitSub
    }

    public struct Subscription: Hashable, Sendable, Codable {
        public var state: SubscriptionState
        /// Padded base64 of the id of the delivered message that is not acknowledged.
        public var deliveredMessageID: String?

        public init(state: SubscriptionState, deliveredMessageID: String? = nil) {
            self.state = state
            self.deliveredMessageID = deliveredMessageID
        }

        private enum CodingKeys: String, CodingKey {
            case state = "qSubThread"
            case deliveredMessageID = "qDelivered"
        }
    }

    public enum MessageKind: String, Hashable, Sendable, Codable { case message, quota }

    public struct Message: Hashable, Sendable, Codable {
        /// Padded base64.
        public var id: String
        /// ISO 8601, UTC.
        public var timestamp: String
        public var kind: MessageKind

        public init(id: String, timestamp: String, kind: MessageKind) {
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
    public var isSecured: Bool
    /// True if a notification server may subscribe.
    public var hasNotifier: Bool
    /// The subscription of this connection.
    public var subscription: Subscription?
    /// Messages in the queue.
    public var size: Int
    /// The first message.
    public var firstMessage: Message?

    public init(
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
