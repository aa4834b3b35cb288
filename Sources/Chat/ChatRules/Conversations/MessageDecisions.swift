package import ChatAPI
package import ChatProtocol

// The decisions about messages: pure functions from a stored item, the conversation's rules and a time to an action.

/// The decision about an edit by this profile.
package enum EditDecision: Hashable {
    /// The text is as it was, and the message is not live.
    case unchanged
    /// Replaces the text.
    ///
    /// - Parameters:
    ///   - isEdited: Whether the item is marked as edited: finishing a live message is no edit.
    ///   - isLive: Whether the message is still being typed.
    case replace(isEdited: Bool, isLive: Bool)
    case refuse

    /// - Parameters:
    ///   - content: The new content.
    ///   - isLive: True if the command continues typing a live message.
    package init(_ stored: StoredItem, to content: MessageContent, isLive: Bool, in conversation: Conversation) {
        guard stored.isSent, let old = stored.message else {
            self = .refuse
            return
        }
        let meta = stored.item.meta
        if conversation.hasRecipients, meta.sharedMessageID == nil || !meta.isEditable {
            self = .refuse
            return
        }
        let wasLive = meta.isLive == true
        self = old == content && !wasLive ? .unchanged : .replace(isEdited: !wasLive, isLive: wasLive && isLive)
    }
}

/// The decision about a deletion by this profile.
package enum DeletionDecision: Hashable {
    /// Removes the items here.
    case remove
    /// Marks the items as deleted here.
    case mark
    /// Asks the recipients to delete the messages, and removes the items here or marks them.
    case broadcast(removes: Bool)
    /// Refuses a mode that the conversation does not have.
    case unsupported
    /// Refuses items that cannot be deleted for everyone any more, or never could.
    case refuse

    package init(_ items: [StoredItem], _ mode: DeleteMode, in conversation: Conversation, at now: UTCTimestamp) {
        guard conversation.hasRecipients else {
            self = .remove
            return
        }
        switch mode {
        case .internal: self = .remove
        case .internalMark: self = .mark
        case .broadcast:
            self =
                items.allSatisfy { ItemRules.canDeleteForBoth($0.item, at: now) }
                ? .broadcast(removes: conversation.isAllowedForUser(.fullDelete)) : .refuse
        case .history: self = .refuse
        default: self = .unsupported
        }
    }
}

/// The decision about an edit by the other side.
package enum ReceivedEditDecision: Hashable {
    /// The message was deleted here, or never came: its new text is a new message.
    case insert
    case unchanged
    /// Replaces the text; see ``EditDecision/replace(isEdited:isLive:)``.
    case replace(isEdited: Bool, isLive: Bool)
    case refuse

    package init(_ update: MessageUpdate, of stored: StoredItem?) {
        guard let stored else {
            self = .insert
            return
        }
        guard !stored.isSent, let old = stored.message, stored.item.meta.forwarded == nil else {
            self = .refuse
            return
        }
        let wasLive = stored.item.meta.isLive == true
        self = old == update.content && !wasLive ? .unchanged : .replace(isEdited: !wasLive, isLive: update.live == true)
    }
}

/// The decision about a deletion by the other side.
package enum ReceivedDeletionDecision: Hashable {
    case notFound
    case remove
    case mark
    case refuse

    /// - Parameter time: When the router got the deletion.
    package init(of stored: StoredItem?, in conversation: Conversation, at time: UTCTimestamp) {
        guard let stored else {
            self = .notFound
            return
        }
        guard !stored.isSent, ItemRules.acceptsDeletion(of: stored.item, at: time) else {
            self = .refuse
            return
        }
        self = conversation.isAllowedForPeer(.fullDelete) ? .remove : .mark
    }
}

/// The decision about a reaction by the other side.
package enum ReceivedReactionDecision: Hashable {
    /// Stores the reaction and reports it.
    case apply
    /// Stores the reaction to a message that is not there: the message may still come.
    case keep
    case ignore

    /// - Parameter earlier: The reactions of the other side to this message so far.
    package init(_ change: MessageReactionChange, to stored: StoredItem?, after earlier: [MessageReaction], in conversation: Conversation) {
        guard conversation.isAllowedForPeer(.reactions), ReactionRules.isAllowed(change.reaction, isAdded: change.add, after: earlier) else {
            self = .ignore
            return
        }
        guard let stored else {
            self = .keep
            return
        }
        self = ItemRules.acceptsReaction(stored.item) ? .apply : .ignore
    }
}
