import ChatAPI
import ChatProtocol
import ChatRules

// Forwarding messages of one chat into another.

/// A message that is to be forwarded.
struct ForwardedMessage: Sendable {
    var composition: Composition
    /// The file that the message came with; nil if it had none, or its content is not here.
    var file: ItemFile?
}

/// Forwards messages from one chat to another.
struct ForwardedMessages: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages that are forwarded from one chat to another.
    var forwardedMessages: ForwardedMessages { ForwardedMessages(transaction: self) }
}

extension ForwardedMessages {
    func plan(_ ids: [ChatItemID], from chat: ChatReference) throws -> ChatResponse {
        let user = try transaction.user()
        let items = try transaction.conversations.items(ids, in: try transaction.conversations.conversation(chat, of: user))
        var forwardable: [ChatItemID] = []
        var obstacles: [(obstacle: ForwardObstacle, file: FileID)] = []
        for stored in items where stored.item.meta.deleted == nil {
            guard let message = stored.message else { throw Refusal.chat(.invalidForward) }
            guard let file = stored.item.file, let obstacle = ForwardObstacle(file, exists: isOnDisk(file)) else {
                forwardable.append(stored.id)
                continue
            }
            obstacles.append((obstacle, file.fileID))
            if message.hasContentWithoutFile { forwardable.append(stored.id) }
        }
        return .forwardPlan(user: user, itemsCount: ids.count, chatItemIDs: forwardable, confirmation: Self.confirmation(obstacles))
    }

    /// The question that a person is asked before messages are forwarded without their files.
    private static func confirmation(_ obstacles: [(obstacle: ForwardObstacle, file: FileID)]) -> ForwardConfirmation? {
        guard let first = obstacles.map(\.obstacle).min() else { return nil }
        let same = obstacles.filter { $0.obstacle == first }
        return switch first {
        case .notAccepted: .filesNotAccepted(fileIDs: same.map(\.file))
        case .inProgress: .filesInProgress(filesCount: same.count)
        case .missing: .filesMissing(filesCount: same.count)
        case .failed: .filesFailed(filesCount: same.count)
        }
    }

    private func isOnDisk(_ file: ItemFile) -> Bool {
        guard let path = file.fileSource?.filePath, let full = try? folders.fullPath(path) else { return false }
        return FileFolders.isRegularFile(full)
    }

    /// The messages of a chat as they are forwarded. Of those whose files are not here, the text is.
    func messages(_ ids: [ChatItemID], from source: ChatReference, to target: ChatReference) throws -> [ForwardedMessage] {
        let origin = try transaction.conversations.conversation(source, of: try transaction.user())
        let isSameChat = source.type == target.type && source.id == target.id
        switch target.type {
        case .direct, .local, .group: break
        default: throw Refusal.command("not supported")
        }
        return try transaction.conversations.items(ids, in: origin).compactMap { stored in
            guard stored.item.meta.deleted == nil else { return nil }
            guard let message = stored.message else { throw Refusal.chat(.invalidForward) }
            var (content, mentions) = MentionRules.renamed(message, mentions: stored.item.mentions)
            var file = stored.item.file
            if let known = file, !(known.status.isLoaded && isOnDisk(known)) {
                guard let rest = content.withoutFile else { return nil }
                (content, file) = (rest, nil)
            }
            if !(isSameChat && stored.isSent) { content = content.withoutOwnerSignature }
            let composition = Composition(
                ComposedMessage(content: content), forwarded: stored.forwarded(from: origin), mentions: isSameChat ? mentions : [:])
            return ForwardedMessage(composition: composition, file: file)
        }
    }

    /// Sends messages that were prepared to be forwarded.
    func forward(_ messages: [Composition], to target: ChatReference, asGroup: Bool, ttl: Int?) throws -> ChatResponse {
        let user = try transaction.user()
        guard !messages.isEmpty else { return .newChatItems(user: user, chatItems: []) }
        return try transaction.sentMessages.send(messages, to: target, isLive: false, ttl: ttl, asGroup: asGroup, of: user)
    }
}

extension MessageContent {
    /// True if the message still says something without its file.
    fileprivate var hasContentWithoutFile: Bool {
        switch kind {
        case .video, .voice, .file: !text.isEmpty
        default: true
        }
    }

    /// The message without its file; nil if it says nothing then.
    fileprivate var withoutFile: MessageContent? {
        switch kind {
        case .image, .link: self
        default: text.isEmpty ? nil : .text(text)
        }
    }
}

extension StoredItem {
    /// The origin that a forwarded message names: the first one, if it was forwarded before.
    fileprivate func forwarded(from conversation: Conversation) -> ForwardedFrom? {
        if let known = item.meta.forwarded, known != .unknown { return known }
        switch conversation {
        case .contact(let contact):
            let alias = contact.profile.localAlias
            return .contact(
                chatName: alias.isEmpty ? contact.profile.displayName : alias, messageDirection: isSent ? .sent : .received,
                contactID: contact.contactID, chatItemID: id)
        case .group(let chat):
            return .group(
                chatName: chat.group.groupProfile.displayName, messageDirection: isSent ? .sent : .received, groupID: chat.group.groupID,
                chatItemID: id)
        case .notes: return item.meta.forwarded
        }
    }
}
