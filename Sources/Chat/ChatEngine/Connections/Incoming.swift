import ChatProtocol
import SMPAgent
import SMPWire
import SystemSupport

/// An event of the agent, with parsed content.
struct Incoming: Sendable {
    let notification: AgentNotification
    /// The messages of a body; empty for other events.
    let messages: [ReceivedChatMessage.ParsingResult]
    /// The event's name, if it comes again.
    let key: InFlightKey?
    /// True if the body was parsed.
    let isRead: Bool
    /// True for a quarantined event that is received on demand.
    let isRetry: Bool
    /// The hash behind the security code of the connection; only read for messages that claim to own a link.
    var securityCodeHash: Bytes?

    /// An event that is not to be parsed.
    init(unread notification: AgentNotification, key: InFlightKey?) {
        self.notification = notification
        self.key = key
        messages = []
        isRead = false
        isRetry = false
    }

    init(_ notification: AgentNotification, key: InFlightKey? = nil, isRetry: Bool = false) {
        self.notification = notification
        self.key = key
        self.isRetry = isRetry
        isRead = true
        messages =
            switch notification.event {
            case .message(_, _, let body): ReceivedChatMessage.parse(body)
            case .confirmation(_, _, _, let info), .request(_, _, _, let info), .information(_, let info):
                ReceivedChatMessage.parse(info)
            default: []
            }
    }

    /// True if a message shares a link with a signature of its owner, which is bound to the connection.
    var claimsLinkOwnership: Bool {
        messages.contains { parsed in
            guard case .success(let received) = parsed, case .newMessage(let container) = received.message.event,
                case .chat(_, _, .some) = container.content.kind
            else { return false }
            return true
        }
    }

    /// True for the steps by which a connection is made.
    var isOfHandshake: Bool {
        switch notification.event {
        case .confirmation, .information, .connected: true
        default: false
        }
    }

    /// The agent's number of the message, if the event must be acknowledged.
    var messageID: AgentMessageID? {
        switch notification.event {
        case .message(let metadata, _, _), .receipts(let metadata, _): metadata.messageID
        default: nil
        }
    }

    /// The agent's number of the event, if its effects would add up when it comes again.
    var countedNumber: Int64? {
        guard case .event(let number)? = notification.durableID else { return nil }
        switch notification.event {
        case .messageFailed, .messagesFailed, .failed, .queueSwitch, .ratchetSync: return number
        default: return nil
        }
    }

    /// The kind of event, for the log.
    var name: String {
        switch notification.event {
        case .confirmation: "confirmation"
        case .request: "request"
        case .information: "information"
        case .connected: "connected"
        case .joined: "joined"
        case .message: "message"
        case .messageDelayed: "messageDelayed"
        case .messageFailed, .messagesFailed: "messageFailed"
        case .receipts: "receipts"
        default: "state"
        }
    }
}
