import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// What contacts publish, and their going.

/// Changes contacts: their profiles, preferences and end.
struct Contacts: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Contacts.
    var contacts: Contacts { Contacts(transaction: self) }
}

extension Contacts {
    /// Stores the present profile of a contact, and reports it if it changed.
    ///
    /// - Parameter createsItems: Whether the chat shows the change; before anybody is connected it does not.
    func updateProfile(of contact: Contact, to profile: Profile, createsItems: Bool, user: User) throws -> Contact {
        let old = contact.profile.published
        guard old != profile else { return contact }
        if let preferences = followedTTL(of: contact, offered: profile.preferences, user: user) {
            try db.contacts.update(contact.contactID, userPreferences: preferences, at: now)
        }
        try db.contacts.update(contact, user: user.userID, profile: profile, at: now)
        var updated = try transaction.conversations.contact(contact.contactID, of: user)
        if createsItems, updated.contactUsed {
            if profile.differsVisibly(from: old) {
                try transaction.items.addInternal(
                    [.receivedDirectEvent(event: .profileUpdated(fromProfile: old, toProfile: profile))], isSent: false, to: &updated, of: user)
            }
            try transaction.items.addInternal(
                FeatureItems.changedByContact(from: contact.mergedPreferences, to: updated.mergedPreferences), isSent: false,
                to: &updated, of: user)
        }
        emit(.contactUpdated(user: user, fromContact: contact, toContact: updated))
        return updated
    }

    /// Both sides of a chat have one time to live: the last setting counts for both.
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
    func receiveDeletion(id: SharedMessageID?, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        guard var contact = context.contact else { return }
        try transaction.outbox.deleteAgentConnections(of: contact, user: context.user)
        guard contact.contactUsed else {
            try db.contacts.delete(contact, user: context.user.userID)
            transaction.effects.removesFiles = true
            context.contact = nil
            return
        }
        try db.contacts.update(contact.contactID, status: .deleted, at: now)
        for record in try db.connections.connections(ofContact: contact.contactID) {
            try db.connections.update(record.id, status: .deleted, at: now)
        }
        contact = try transaction.conversations.contact(contact.contactID, of: context.user)
        var draft = ItemDraft(.receivedDirectEvent(event: .contactDeleted), isSent: false)
        draft.timestamp = brokerTime
        draft.sharedMessageID = id
        let item = try transaction.items.add(draft, to: &contact, of: context.user)
        emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        emit(.contactDeletedByContact(user: context.user, contact: contact))
        context.contact = contact
    }
}

extension Contacts {
    /// Makes a contact from a link, before anybody is connected.
    ///
    /// - Parameter domain: The domain that was resolved to the link; nil for none.
    func prepare(_ link: CreatedConnectionLink, _ data: ContactShortLinkData, user id: UserID, domain: String? = nil) throws -> ChatResponse {
        let user = try transaction.user(id)
        let full = try FullLink(link)
        if full.kind == .contact, data.business { return try transaction.preparedGroups.prepareBusinessChat(link, data, of: user, domain: domain) }
        var new = NewContactRecord(profile: data.profile)
        new.preparedLink = full.created
        new.preparedLinkType = full.kind
        new.welcomeSharedMessageID = data.message == nil ? nil : newSharedMessageID()
        new.userPreferences = user.preferences(forNewContact: data.profile)
        let contactID = try db.contacts.insert(new, user: user.userID, at: now)
        if let domain { try db.resolvedDomains.set(domain, of: contactID) }
        var contact = try transaction.conversations.contact(contactID, of: user)
        try transaction.items.addOpening(to: &contact, pqEnabled: full.offersPostQuantum, of: user)
        var items: [ChatItem] = []
        if let message = data.message {
            var draft = ItemDraft(.receivedMessage(content: message), isSent: false)
            draft.sharedMessageID = new.welcomeSharedMessageID
            var item = try transaction.items.add(draft, to: &contact, of: user)
            // Official cores show the id only when the item is read again.
            item.meta.sharedMessageID = nil
            items = [item]
        }
        contact = try transaction.conversations.contact(contactID, of: user)
        let stats = items.first.map { ChatStats(unreadCount: 1, minUnreadItemID: $0.meta.itemID) } ?? ChatStats()
        return .newPreparedChat(user: user, chat: Chat(chatInfo: .direct(contact: contact), chatItems: items, chatStats: stats))
    }

    /// Sets the preferences for a contact, and sends them to the contact.
    func setPreferences(_ preferences: ChatPreferences, of id: ContactID) throws -> ChatResponse {
        let user = try transaction.user()
        let contact = try transaction.conversations.contact(id, of: user)
        guard let connection = contact.activeConnection else { throw Refusal.chat(.contactNotActive(contact: contact)) }
        guard contact.userPreferences != preferences else {
            return .contactPrefsUpdated(user: user, fromContact: contact, toContact: contact)
        }
        _ = try transaction.outbox.sendingConnection(contact)
        try db.contacts.update(id, userPreferences: preferences, at: now)
        var updated = try transaction.conversations.contact(id, of: user)
        let incognito = try transaction.users.incognitoProfile(connection)
        let before = transaction.users.sharedProfile(of: user, with: contact, incognito: incognito, usesProfileTTL: false)
        let after = transaction.users.sharedProfile(of: user, with: updated, incognito: incognito, usesProfileTTL: false)
        if before != after {
            try transaction.outbox.send(.info(after), to: updated)
            if updated.contactUsed {
                let result = updated
                try transaction.items.addInternal(
                    FeatureItems.changedByUser(from: contact.mergedPreferences, to: updated.mergedPreferences), isSent: true,
                    to: &updated, of: user)
                return .contactPrefsUpdated(user: user, fromContact: contact, toContact: result)
            }
        }
        return .contactPrefsUpdated(user: user, fromContact: contact, toContact: updated)
    }

    /// Gives a prepared contact to another profile.
    func move(_ id: ContactID, to newUserID: UserID) throws -> ChatResponse {
        let user = try transaction.user()
        let contact = try transaction.conversations.contact(id, of: user)
        guard contact.preparedContact != nil else { throw Refusal.command("contact doesn't have link to connect") }
        guard contact.activeConnection == nil else { throw Refusal.command("contact already has connection") }
        let newUser = try transaction.anyUser(newUserID)
        try db.contacts.move(contact, from: user.userID, to: newUserID, at: now)
        try db.contacts.update(id, userPreferences: newUser.preferences(forNewContact: contact.profile.published), at: now)
        var moved = try transaction.conversations.contact(id, of: newUser)
        try addItems(changedFrom: contact, to: &moved, of: newUser)
        return .contactUserChanged(user: user, fromContact: contact, newUser: newUser, toContact: moved)
    }

    /// Shows the changes of preferences before anybody is connected.
    func addItems(changedFrom old: Contact, to contact: inout Contact, of user: User) throws {
        let contents = FeatureItems.changedBeforeConnecting(from: old.mergedPreferences, to: contact.mergedPreferences)
        try transaction.items.addInternal(contents, isSent: false, to: &contact, of: user)
    }
}
