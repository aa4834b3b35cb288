import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPWire

// Requests that come by the address of a profile.

/// Receives and answers requests to an address.
struct ContactRequests: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Requests to an address.
    var contactRequests: ContactRequests { ContactRequests(transaction: self) }
}

extension ContactRequests {
    /// Somebody asks to be a contact.
    func receive(
        _ id: InvitationID, pqSupport: Bool, _ message: ChatMessage, forAddress addressID: UserContactLinkID, in context: ReceivingContext
    ) throws {
        guard let address = try db.addresses.find(addressID) else { return }
        let asked: ContactRequest
        switch message.event {
        case .contact(let request): asked = request
        case .info(let profile): asked = ContactRequest(profile: profile)
        case .groupRelayInvitation(let invitation):
            return try transaction.relayRequests.receive(invitation, id, versions: message.versions, in: context)
        case .testGroupRelay(let challenge, _): return try transaction.relayRequests.receiveTest(challenge, id, in: context)
        default:
            transaction.connectionEvents.reportUnsupported(message, in: context)
            return
        }
        if address.addressSettings.isBusinessAddress {
            return try transaction.businessChats.receive(id, asked, message, address: address, user: context.user)
        }
        if let known = try db.contactRequests.find(agentInvitationID: id.bytes) {
            // The same event again, after a crash, or the same request sent again.
            if try !known.isAccepted && isChanged(known, by: asked, of: context.user) {
                try repeatRequest(known, id, pqSupport: pqSupport, asked, message, address: address, user: context.user)
            }
            return
        }
        if let tag = asked.requestID {
            if let contact = try db.contacts.find(of: context.user, requestTag: tag), contact.status == .active,
                contact.activeConnection != nil
            {
                emit(.contactRequestAlreadyAccepted(user: context.user, contact: contact))
                return
            }
            if let known = try db.contactRequests.find(user: context.user.userID, tag: tag), !known.isAccepted {
                try repeatRequest(known, id, pqSupport: pqSupport, asked, message, address: address, user: context.user)
                return
            }
        }
        try add(id, pqSupport: pqSupport, asked, message, address: address, user: context.user)
    }

    private func add(
        _ id: InvitationID, pqSupport: Bool, _ asked: ContactRequest, _ message: ChatMessage, address: UserContactLink, user: User
    ) throws {
        var new = NewContactRecord(profile: asked.profile)
        new.userPreferences = user.preferences(forNewContact: asked.profile)
        let contactID = try db.contacts.insert(new, user: user.userID, at: now)
        var contact = try transaction.conversations.contact(contactID, of: user)
        let requestID = try db.contactRequests.insert(
            NewContactRequestRecord(
                userID: user.userID, addressID: address.userContactLinkID, agentInvitationID: id.bytes, contactID: contactID,
                profileID: contact.profile.profileID, localDisplayName: contact.localDisplayName, tag: asked.requestID,
                peerVersions: ChatVersionRange(minVersion: Int(message.versions.min), maxVersion: Int(message.versions.max)),
                pqSupport: pqSupport, welcomeSharedMessageID: asked.welcomeMessageID, requestSharedMessageID: asked.message?.messageID),
            at: now)
        try db.contacts.update(contactID, requestID: requestID)
        contact.contactRequestID = requestID

        try transaction.items.addOpening(to: &contact, pqEnabled: pqSupport, of: user)
        if let reply = address.addressSettings.autoReply, let welcome = asked.welcomeMessageID {
            // The requester has seen the welcome message before.
            var draft = ItemDraft(.sentMessage(content: reply), isSent: true)
            draft.sharedMessageID = welcome
            _ = try transaction.items.add(draft, to: &contact, of: user)
        }
        let item = try asked.message.map { try addItem($0, to: &contact, of: user) }
        try answer(requestID, item: item, contact: contact, address: address, user: user)
    }

    private func addItem(_ message: ContactRequest.Message, to contact: inout Contact, of user: User) throws -> ChatItem {
        var draft = ItemDraft(.receivedMessage(content: message.content), isSent: false)
        draft.sharedMessageID = message.messageID
        let timestamp = contact.chatTimestamp
        var item = try transaction.items.add(draft, to: &contact, of: user)
        contact.chatTimestamp = timestamp
        // Official cores show the id only when the item is read again.
        item.meta.sharedMessageID = nil
        emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        return item
    }

    /// True if a request has another profile or message than before.
    private func isChanged(_ known: ContactRequestRecord, by asked: ContactRequest, of user: User) throws -> Bool {
        guard let contactID = known.request.contactID, let contact = try db.contacts.find(contactID, of: user) else { return false }
        if contact.profile.published != asked.profile || known.request.requestSharedMessageID != asked.message?.messageID { return true }
        guard let message = asked.message, let item = try db.items.find(contact: contactID, sharedMessageID: message.messageID, at: now) else {
            return false
        }
        return item.message != message.content
    }

    /// The same person asks again: only the newer request, with its message, can be answered.
    private func repeatRequest(
        _ known: ContactRequestRecord, _ id: InvitationID, pqSupport: Bool, _ asked: ContactRequest, _ message: ChatMessage,
        address: UserContactLink, user: User
    ) throws {
        let requestID = known.request.contactRequestID
        // Nobody can answer the earlier one any more.
        if known.agentInvitationID != id.bytes { try enqueue(.connection(.reject(invitation: known.agentInvitationID)), user: user) }
        try db.contactRequests.update(
            requestID, agentInvitationID: id.bytes,
            peerVersions: ChatVersionRange(minVersion: Int(message.versions.min), maxVersion: Int(message.versions.max)),
            pqSupport: pqSupport, welcomeSharedMessageID: asked.welcomeMessageID, requestSharedMessageID: asked.message?.messageID, at: now)
        guard let contactID = known.request.contactID, var contact = try db.contacts.find(contactID, of: user) else { return }
        if contact.profile.published != asked.profile {
            try db.contacts.update(contact, user: user.userID, profile: asked.profile, at: now)
            contact = try transaction.conversations.contact(contactID, of: user)
        }
        var item: ChatItem?
        let previous = try known.request.requestSharedMessageID.flatMap {
            try db.items.find(contact: contactID, sharedMessageID: $0, at: now)
        }
        if let asked = asked.message {
            if let previous, previous.item.meta.sharedMessageID == asked.messageID {
                item = previous.item
                if previous.message != asked.content {
                    let updated = try transaction.items.update(previous, message: asked.content, versionAt: now, isEdited: true, isLive: false)
                    emit(.chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: .direct(contact: contact), chatItem: updated)))
                    item = updated
                }
            } else {
                item = try addItem(asked, to: &contact, of: user)
            }
        } else if let previous {
            let deletions = try transaction.items.markDeleted([previous], at: now, in: .contact(contact))
            emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: false, timed: false))
        }
        try answer(requestID, item: item, contact: contact, address: address, user: user)
    }

    /// Accepts the request if the address says so; otherwise reports it.
    private func answer(
        _ id: UserContactRequestID, item: ChatItem?, contact: Contact, address: UserContactLink, user: User
    ) throws {
        if address.addressSettings.autoAccept != nil {
            try enqueue(.contact(.accept(request: id)), user: user)
            return
        }
        guard let record = try db.contactRequests.find(id, user: user.userID) else { return }
        let stats = item.map { ChatStats(unreadCount: 1, minUnreadItemID: $0.meta.itemID) } ?? ChatStats()
        let chat = Chat(chatInfo: .direct(contact: contact), chatItems: item.map { [$0] } ?? [], chatStats: stats)
        emit(.receivedContactRequest(user: user, contactRequest: record.request, chat: chat))
    }

    // MARK: Accepting

    /// Stores the connection by which a request is accepted, before the agent uses it.
    ///
    /// - Parameter incognito: whether the contact is shown a random profile made for it; nil for the setting of the address.
    func addAcceptedConnection(_ agentID: Bytes, request: ContactRequestRecord, incognito: Bool?, user: User) throws -> Contact {
        guard let contactID = request.request.contactID else {
            throw Refusal.store(.contactRequestNotFound(contactRequestID: request.request.contactRequestID))
        }
        let peer = request.request.peerChatVersions
        let version = ChatVersions.connectionVersion(
            local: ChatVersions.supported,
            peer: VersionRange(ChatVersion(clamping: peer.minVersion)...ChatVersion(clamping: max(peer.minVersion, peer.maxVersion))))
        var new = NewConnectionRecord(userID: user.userID, agentConnectionID: agentID, status: .new, chatVersion: version)
        new.contactID = contactID
        new.viaAddress = request.request.userContactLinkID
        new.peerVersions = peer
        new.pqSupport = request.request.pqSupport
        if try incognito ?? acceptsIncognito(request) {
            new.incognitoProfileID = try db.profiles.insert(RandomProfile.make(random), user: user.userID, incognito: true, at: now)
        }
        _ = try db.connections.insert(new, at: now)
        if let tag = request.request.contactRequestTag { try db.contacts.update(contactID, requestTag: tag) }
        return try transaction.conversations.contact(contactID, of: user)
    }

    /// Tells whether the address of a request hides the profile from those who come by it. One whose link shows the profile cannot.
    private func acceptsIncognito(_ request: ContactRequestRecord) throws -> Bool {
        guard let address = try request.request.userContactLinkID.flatMap({ try db.addresses.find($0) }), !address.shortLinkDataSet else { return false }
        return address.addressSettings.autoAccept?.acceptIncognito ?? false
    }

    /// Sends the welcome message of the address by which a contact came; a message that was shown before is only repeated, under its id.
    func sendWelcome(to contact: inout Contact, request: ContactRequestRecord, of user: User) throws {
        guard let addressID = request.request.userContactLinkID, let reply = try db.addresses.find(addressID)?.addressSettings.autoReply else {
            return
        }
        if let welcome = request.request.welcomeSharedMessageID {
            try transaction.outbox.send(.updateMessage(MessageUpdate(messageID: welcome, content: reply)), to: contact)
        } else {
            let item = try sendMessage(MessageContainer(content: reply), to: &contact, of: user)
            emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        }
    }

    /// Adds an item for a message and writes the message.
    func sendMessage(_ container: MessageContainer, to contact: inout Contact, of user: User) throws -> ChatItem {
        var draft = ItemDraft(.sentMessage(content: container.content), isSent: true)
        let id = newSharedMessageID()
        draft.sharedMessageID = id
        let item = try transaction.items.add(draft, to: &contact, of: user)
        try transaction.outbox.send([OutgoingMessage(.newMessage(container), id: id, itemID: item.meta.itemID)], to: contact)
        return item
    }
}

extension ContactRequests {
    func find(_ id: UserContactRequestID, of user: User) throws -> ContactRequestRecord {
        guard let request = try db.contactRequests.find(id, user: user.userID) else {
            throw Refusal.store(.contactRequestNotFound(contactRequestID: id))
        }
        return request
    }

    func reject(_ id: UserContactRequestID) throws -> ChatResponse {
        let user = try transaction.user()
        let request = try find(id, of: user)
        let contact = try request.request.contactID.flatMap { try db.contacts.find($0, of: user) }
        if let contact {
            // An accepted request has a connection.
            try transaction.outbox.deleteAgentConnections(of: contact, user: user)
            try db.contacts.delete(contact, user: user.userID)
            transaction.effects.removesFiles = true
        }
        try db.contactRequests.delete(id)
        try enqueue(.connection(.reject(invitation: request.agentInvitationID)), user: user)
        return .contactRequestRejected(user: user, contactRequest: request.request, contact: contact)
    }
}
