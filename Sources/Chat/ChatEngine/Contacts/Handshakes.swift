import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent

// The handshake of contacts: the data that the two sides exchange while they connect (chat protocol, "Establishing a connection").

/// Receives the first messages of connections with contacts.
struct Handshakes: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Connections with contacts that are being made.
    var handshakes: Handshakes { Handshakes(transaction: self) }
}

extension Handshakes {
    /// Receives the introduction of the side that joined our invitation, or accepted our request, and answers with our own profile.
    func receiveConfirmation(
        _ id: ConfirmationID, pqSupport: Bool, _ message: ChatMessage, in context: inout ReceivingContext
    ) throws {
        // Events come again when a crash has kept the agent from hearing that they were stored. What follows from this one was written down
        // when the connection was accepted.
        switch context.connection.status {
        case .accepted, .sendReady, .ready, .deleted: return
        default: try transaction.connectionEvents.setStatus(.requested, in: &context)
        }
        if context.connection.pqSupport, !pqSupport {
            try db.connections.update(context.record.id, pqSupport: false)
            context.record.connection.pqSupport = false
            context.record.connection.pqEncryption = false
        }
        try transaction.connectionEvents.updateVersions(message, in: &context)
        switch (message.event, context.peer) {
        case (.groupLinkInvitation(let invitation), _): return try transaction.groupInvitations.receiveLinkInvitation(invitation, id, in: &context)
        case (.groupLinkRejection(let rejection), .pending): return try transaction.groupInvitations.receiveLinkRejection(rejection, id, in: &context)
        case (.memberInfo, .contact): return try transaction.connectionEvents.allow(id, .ok, context: &context)
        default: break
        }
        guard case .info(let profile) = message.event else {
            transaction.connectionEvents.reportUnsupported(message, in: context)
            return
        }
        try meet(profile, createsItems: false, in: &context)
        if let contact = context.contact, contact.contactGroupMemberID != nil {
            try db.contacts.clearMember(contact.contactID)
            context.contact = try transaction.conversations.contact(contact.contactID, of: context.user)
        }
        let incognito = try transaction.users.incognitoProfile(context.connection)
        let shared = transaction.users.sharedProfile(of: context.user, with: context.contact, incognito: incognito, usesProfileTTL: true)
        let info = try transaction.outbox.connectionInfo(
            .info(shared), pqSupport: context.connection.pqSupport, peerVersion: ChatVersion(clamping: context.connection.chatVersion))
        try enqueue(
            .connection(.allow(confirmation: id.bytes, info: info)), connection: context.record.agentConnectionID, user: context.user)
        try transaction.connectionEvents.setStatus(.accepted, in: &context)
    }

    /// Whom we joined introduces itself.
    func receiveInformation(_ message: ChatMessage, in context: inout ReceivingContext) throws {
        // Once connected, the latest profile of the contact counts, not the first one.
        guard context.connection.status != .ready else { return }
        try transaction.connectionEvents.setStatus(.sendReady, in: &context)
        try transaction.connectionEvents.updateVersions(message, in: &context)
        guard case .info(let profile) = message.event else {
            if case .memberInfo = message.event { return }
            if message.event != .ok { transaction.connectionEvents.reportUnsupported(message, in: context) }
            return
        }
        let isPrepared = context.contact.map { $0.preparedContact != nil || $0.contactRequestID != nil } ?? false
        try meet(profile, createsItems: isPrepared, in: &context)
    }

    /// Makes the contact, or updates the profile of an existing one.
    private func meet(_ profile: Profile, createsItems: Bool, in context: inout ReceivingContext) throws {
        if let contact = context.contact {
            context.contact = try transaction.contacts.updateProfile(of: contact, to: profile, createsItems: createsItems, user: context.user)
            return
        }
        var new = NewContactRecord(profile: profile)
        new.userPreferences = context.user.preferences(forNewContact: profile)
        let id = try db.contacts.insert(new, user: context.user.userID, at: now)
        try db.connections.update(context.record.id, contact: id, at: now)
        if let tag = context.connection.contactRequestTag { try db.contacts.update(id, requestTag: tag) }
        // The alias of a link becomes the alias of the contact who connects by it.
        if !context.connection.localAlias.isEmpty {
            try db.profiles.updateProfileAlias(
                try transaction.conversations.contact(id, of: context.user).profile.profileID, alias: context.connection.localAlias)
        }
        let contact = try transaction.conversations.contact(id, of: context.user)
        context.contact = contact
        context.record.contactID = id
        emit(.contactConnecting(user: context.user, contact: contact))
    }

    /// Both directions work.
    func receiveConnected(pqEncryption: Bool, in context: inout ReceivingContext) throws {
        guard context.connection.status != .ready else { return }
        try transaction.connectionEvents.setStatus(.ready, in: &context)
        if pqEncryption { try db.connections.update(context.record.id, pqEnabled: true) }
        guard let id = context.record.contactID else { return }
        var contact = try transaction.conversations.contact(id, of: context.user)
        contact.activeConnection?.pqSendEnabled = pqEncryption
        contact.activeConnection?.pqReceiveEnabled = pqEncryption
        emit(
            .contactConnected(
                user: context.user, contact: contact, customUserProfile: try transaction.users.incognitoProfile(contact.activeConnection)))
        try addConnectedItems(pqEncryption: pqEncryption, to: &contact, of: context.user)
        if contact.activeConnection?.contactConnectionInitiated == true {
            try transaction.probes.probe(contact, of: context.user)
            try db.connections.update(context.record.id, isInitiated: false)
        }
        context.contact = contact
    }

    /// The head of the chat, unless it is there since the contact was prepared.
    private func addConnectedItems(pqEncryption: Bool, to contact: inout Contact, of user: User) throws {
        let encryption = ItemContent.receivedDirectEncryption(info: EncryptionInfo(pqEnabled: pqEncryption))
        if contact.preparedContact != nil {
            // Invitations without a KEM key, and addresses, did not tell which encryption it would be.
            try transaction.items.addInternal([encryption], isSent: false, to: &contact, of: user)
        } else if let request = contact.contactRequestID {
            let stored = try db.contactRequests.find(request, user: user.userID)
            if stored?.request.pqSupport != pqEncryption {
                try transaction.items.addInternal([encryption], isSent: false, to: &contact, of: user)
            }
        } else {
            try beginChat(with: &contact, of: user)
            try transaction.items.addInternal([encryption], isSent: false, to: &contact, of: user)
            try transaction.items.addInternal(FeatureItems.initial(contact.mergedPreferences), isSent: false, to: &contact, of: user)
        }
    }

    /// The other side may write before the agent says that both directions work.
    func beginChat(in context: inout ReceivingContext) throws {
        guard var contact = context.contact, contact.preparedContact == nil, contact.contactRequestID == nil else { return }
        try beginChat(with: &contact, of: context.user)
        context.contact = contact
    }

    /// The banner is the first item of a chat.
    private func beginChat(with contact: inout Contact, of user: User) throws {
        guard try !db.items.hasItems(contact: contact.contactID) else { return }
        let banner = try transaction.items.addBanner(to: &contact, of: user)
        emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: banner)]))
    }
}
