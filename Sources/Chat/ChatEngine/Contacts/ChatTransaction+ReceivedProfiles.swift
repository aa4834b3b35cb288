import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// What contacts publish, and their going.

extension ChatTransaction {
    /// Stores what a contact publishes now, and tells of it if it changed.
    ///
    /// - Parameter createsItems: Whether the chat shows the change; before anybody is connected it does not.
    func updateProfile(of contact: Contact, to profile: Profile, createsItems: Bool, user: User) throws -> Contact {
        let old = contact.profile.published
        guard old != profile else { return contact }
        if let preferences = followedTTL(of: contact, offered: profile.preferences, user: user) {
            try db.contacts.update(contact.contactID, userPreferences: preferences, at: now)
        }
        try db.contacts.update(contact, user: user.userID, profile: profile, at: now)
        var updated = try self.contact(contact.contactID, of: user)
        if createsItems, updated.contactUsed {
            if profile.differsVisibly(from: old) {
                try addInternalItems(
                    [.receivedDirectEvent(event: .profileUpdated(fromProfile: old, toProfile: profile))], isSent: false, to: &updated, of: user)
            }
            try addInternalItems(
                FeatureItems.changedByContact(from: contact.mergedPreferences, to: updated.mergedPreferences), isSent: false,
                to: &updated, of: user)
        }
        emit(.contactUpdated(user: user, fromContact: contact, toContact: updated))
        return updated
    }

    /// Both sides of a chat have one time to live: the one that was set last counts for both.
    ///
    /// - Returns: what this profile sets for the contact from now on; nil if that does not change.
    private func followedTTL(of contact: Contact, offered: ChatPreferences?, user: User) -> ChatPreferences? {
        let offeredTTL = offered?.timedMessages?.ttl
        guard contact.userPreferences.timedMessages?.ttl != offeredTTL else { return nil }
        var preferences = contact.userPreferences
        let general = user.fullPreferences.timedMessages
        if var own = preferences.timedMessages {
            own.ttl = offeredTTL
            preferences.timedMessages = own
        } else if offeredTTL != general.ttl {
            preferences.timedMessages = TimedMessagesPreference(allow: general.allow, ttl: offeredTTL)
        } else {
            return nil
        }
        return preferences
    }

    /// The contact has deleted us: the chat stays, nothing can be sent any more.
    func receiveContactDeletion(id: SharedMessageID?, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        guard var contact = context.contact else { return }
        try deleteAgentConnections(of: contact, user: context.user)
        guard contact.contactUsed else {
            try db.contacts.delete(contact, user: context.user.userID)
            effects.removesFiles = true
            context.contact = nil
            return
        }
        try db.contacts.update(contact.contactID, status: .deleted, at: now)
        for record in try db.connections.connections(ofContact: contact.contactID) {
            try db.connections.update(record.id, status: .deleted, at: now)
        }
        contact = try self.contact(contact.contactID, of: context.user)
        var draft = ItemDraft(.receivedDirectEvent(event: .contactDeleted), isSent: false)
        draft.timestamp = brokerTime
        draft.sharedMessageID = id
        let item = try addItem(draft, to: &contact, of: context.user)
        emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        emit(.contactDeletedByContact(user: context.user, contact: contact))
        context.contact = contact
    }
}
