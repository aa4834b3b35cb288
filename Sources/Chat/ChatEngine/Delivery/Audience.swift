import ChatAPI
import ChatStore

/// The receivers of the messages of a conversation.
enum Audience: Sendable {
    case nobody
    case contact(ConnectionRecord)
    case members([GroupMember])
}
