public import ChatProtocol

extension ItemDirection {
    /// True if this profile sent the item.
    public var isSent: Bool {
        switch self {
        case .directSent, .groupSent, .localSent: true
        case .directReceived, .groupReceived, .channelReceived, .localReceived, .other: false
        }
    }

    /// The member who sent the item. Items of a channel have no author.
    public var member: GroupMember? { if case .groupReceived(let member) = self { member } else { nil } }
}

extension ItemContent {
    /// The message, if the item is one.
    public var messageContent: MessageContent? {
        switch self {
        case .sentMessage(let content), .receivedMessage(let content): content
        default: nil
        }
    }
}

extension ChatItem {
    /// True if it was received and not read.
    public var isUnread: Bool { meta.status == .receivedNew }

    /// True if it is a message, not an event or a call.
    public var isMessage: Bool { content.messageContent != nil }

    /// True if it is a report to the moderators that nobody has dealt with.
    public var isActiveReport: Bool {
        guard content.messageContent?.isReport == true else { return false }
        return meta.deleted == nil && !direction.isSent
    }
}

extension [ChatItem] {
    /// The items in the order in which they were said.
    ///
    /// Routers tell the time of what is received in whole seconds, and the time of what is sent has fractions. Items of the same second are in the
    /// order in which they were stored, so that an answer comes after its question.
    package var inConversationOrder: [ChatItem] {
        sorted { ($0.meta.itemTimestamp.seconds, $0.id.rawValue) < ($1.meta.itemTimestamp.seconds, $1.id.rawValue) }
    }
}
