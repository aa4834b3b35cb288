import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

/// Sends earlier messages of a group to a new member.
struct GroupHistory: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Earlier messages of groups for new members.
    var groupHistory: GroupHistory { GroupHistory(transaction: self) }
}

extension GroupHistory {
    /// Messages that a joining member gets at most.
    static let length = 100

    /// Sends the newest messages of a group to a member who joins, if its preferences say so, and the welcome message.
    func send(to member: GroupMember, in group: GroupInfo) throws {
        guard group.allows(.history), member.supports(ChatVersions.batching) else { return }
        let isChannel = group.usesRelays
        var items = try db.items.history(of: group.groupID, for: member.groupMemberID, limit: Self.length, at: now)
        let posts = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
        if isChannel, group.allows(.comments), try transaction.conversations.knowsComments(member) {
            items += try db.items.comments(on: Array(posts.keys), limit: Self.length, at: now)
            items.sort { ($0.item.meta.itemTimestamp, $0.id) < ($1.item.meta.itemTimestamp, $1.id) }
        }
        var events = try items.flatMap { item in
            try historyEvents(item, in: GroupConversation(group, post: item.item.meta.parentItemID.flatMap { posts[$0] }))
        }
        // A relay writes nothing of its own: the welcome message of a channel is shown by its link.
        if !isChannel, member.supports(ChatVersions.groupHistoryWelcome), let welcome = group.groupProfile.description,
            try db.members.joinRequest(member: member.groupMemberID).welcome == nil
        {
            events.append(.newMessage(MessageContainer(content: .text(welcome))))
        }
        try transaction.outbox.sendDirectly(events, to: member, in: group)
    }

    /// A message of the history in the forwarded form, with the description of its file. If the file cannot be fetched any more, only the text is forwarded.
    private func historyEvents(_ stored: StoredItem, in chat: GroupConversation) throws -> [ChatMessageEvent] {
        let group = chat.group
        let author: GroupMember?
        switch stored.item.direction {
        case .groupSent: author = group.membership
        case .groupReceived(let member) where !member.blockedByAdmin: author = member
        case .channelReceived where group.usesRelays: author = nil
        default: return []
        }
        let file = try file(of: stored)
        guard let message = stored.message, file != nil || !message.text.isEmpty || stored.item.file == nil else { return [] }
        let (content, mentions) = MentionRules.renamed(
            stored.item.file == nil || file != nil ? message : .text(message.text), mentions: stored.item.mentions)
        var container = MessageContainer(content: content, mentions: MessageMentions(mentions))
        container.file = file?.invitation
        container.ttl = stored.item.meta.timed?.ttl
        if author == nil { container.asGroup = true }
        container.parent = chat.postReference
        container.unknownMembers = try db.keptMembers.members(ofItem: stored.id)
        if let quote = stored.item.quotedItem {
            let quoted: MemberID? =
                switch quote.direction {
                case .groupSent: group.membership.memberID
                case .groupReceived(let member): member.memberID
                default: nil
                }
            container.quote = QuotedMessage(
                reference: MessageReference(
                    messageID: quote.sharedMessageID, sentAt: quote.sentAt, sent: quote.direction == .groupSent, memberID: quoted),
                content: quote.content)
        }
        let forward = MessageForward(
            sender: author.map { .member($0.memberID, name: $0.shortName) } ?? .channel, brokerTimestamp: stored.item.meta.itemTimestamp)
        let versions = (author ?? group.membership).versionRange
        let shared = stored.item.meta.sharedMessageID
        let parts = file.flatMap { file in shared.map { shared in file.parts.map { ChatMessageEvent.fileDescription(messageID: shared, $0) } } } ?? []
        return [.forwardMessage(forward, ChatMessage(versions: versions, messageID: shared, event: .newMessage(container)))]
            + parts.map { .forwardMessage(forward, ChatMessage(versions: versions, event: $0)) }
    }

    /// The file of a message, if routers still have it and its description is complete.
    private func file(of stored: StoredItem) throws -> (invitation: FileInvitation, parts: [FileDescriptionPart])? {
        guard let shown = stored.item.file, shown.fileProtocol == .xftp, stored.item.meta.sharedMessageID != nil,
            stored.item.meta.itemTimestamp > now.adding(seconds: -FileLimits.routerPeriod), let file = try db.files.find(shown.fileID), !file.isCancelled,
            let description = file.description, description.isComplete
        else { return nil }
        return (FileInvitation(name: file.name, size: file.size, fileDescription: .pending), FileDescriptionPart.parts(of: description.text))
    }
}
