import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// Commands about the address of a profile, and requests that come by it.

extension CommandRunner {
    func run(_ command: AddressCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .create(let id): try await createAddress(user: id)
        case .delete(let id): try await transaction { try $0.deleteAddress(user: id) }
        case .show(let id):
            try await query { transaction in
                let user = try transaction.user(id)
                return .userContactLink(user: user, contactLink: try transaction.address(of: user))
            }
        case .addShortLink(let id): try await addShortLink(user: id)
        case .setInProfile(let id, let isShown):
            try await transactionThatPublishes { transaction in
                let user = try transaction.user(id)
                var profile = user.profile.published
                profile.contactLink = isShown ? try transaction.address(of: user).published : nil
                return try transaction.updateProfile(of: user, to: profile)
            }
        case .setSettings(let id, let settings): try await transactionThatPublishes { try $0.setAddress(settings, user: id) }
        case .accept(let id, let incognito): try await accept(id, incognito: incognito)
        case .reject(let id): try await answer { try $0.reject(id) }
        }
    }

    // MARK: The address

    private func createAddress(user id: UserID?) async throws(ChatCoreError) -> ChatResponse {
        let named = try await query { try $0.user(id) }
        return try await core.locks.withLock("address \(named.userID)") { () throws(ChatCoreError) in
            let user = try await query { transaction in
                let user = try transaction.user(id)
                if try transaction.db.addresses.find(ofUser: user.userID) != nil { throw Refusal.store(.duplicateContactLink) }
                return user
            }
            guard let data = user.addressData(message: nil, isBusiness: false) else {
                throw ChatCoreError(AgentError(.command(.large, context: "link data")))
            }
            let agentUser = try agentUser(of: user)
            let created = try await core.agent { agent throws(AgentError) in
                try await agent.createConnection(
                    user: agentUser, mode: .contact, linkData: .contact(UserContactData(userData: data)), clientData: nil, pq: .supported,
                    subscription: .subscribe)
            }
            let link = FullLink(created.link, short: user.addressLink(created.shortLink))
            return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
                try await transaction { transaction in
                    let address = try transaction.db.addresses.insert(
                        user: user.userID, link: link.created, linkKey: link.key, hasLinkData: link.short != nil, at: transaction.now)
                    var record = NewConnectionRecord(
                        userID: user.userID, agentConnectionID: created.id.bytes, status: .new, chatVersion: ChatVersions.initial.max)
                    record.addressID = address
                    _ = try transaction.db.connections.insert(record, at: transaction.now)
                    return .userContactLinkCreated(user: user, connectionLink: link.created)
                }
            }
        }
    }

    private func addShortLink(user id: UserID) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { transaction in
            let user = try transaction.user(id)
            _ = try transaction.address(of: user)
            return user
        }
        let published = try await core.addresses.publish(of: user)
        guard let published else { throw ChatCoreError(Refusal.store(.userContactLinkNotFound).error) }
        return .userContactLink(user: user, contactLink: published)
    }

    // MARK: Requests

    private func accept(_ id: UserContactRequestID, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        // The request is gone once its contact is connected.
        if let key, let known = try await query({ try $0.response(to: key) }) { return known }
        let (user, request) = try await query { transaction in
            let user = try transaction.user()
            let request = try transaction.contactRequest(id, of: user)
            if incognito {
                guard let address = try request.request.userContactLinkID.flatMap({ try transaction.db.addresses.find($0) }) else {
                    throw Refusal.command("incognito not allowed when address is not found")
                }
                if address.shortLinkDataSet {
                    throw Refusal.command("incognito not allowed for address with short link data")
                }
            }
            return (user, request)
        }
        return try await core.locks.withLock("request \(id)") { () throws(ChatCoreError) in
            guard let acceptance = try await core.requests.prepareAcceptance(id, announces: false, incognito: incognito) else {
                let invitation = InvitationID(request.agentInvitationID)
                throw ChatCoreError(
                    AgentError(.command(.prohibited, context: "SEInvitationNotFound acceptContact', invitationId = \"\(invitation)\"")))
            }
            let isSecured = try await core.agent { _ throws(AgentError) in try await core.requests.accept(acceptance) }
            return try await answer { transaction in
                let contact = try transaction.completeAcceptance(acceptance, isSecured: isSecured, announces: false)
                return .acceptingContactRequest(user: user, contact: contact)
            }
        }
    }
}

extension UserContactLink {
    /// The link that is shown to others.
    fileprivate var published: String {
        shortLinkDataSet ? connectionLink.shortLink ?? connectionLink.fullLink : connectionLink.fullLink
    }
}

extension ChatTransaction {
    func address(of user: User) throws -> UserContactLink {
        guard let address = try db.addresses.find(ofUser: user.userID) else { throw Refusal.store(.userContactLinkNotFound) }
        return address
    }

    func contactRequest(_ id: UserContactRequestID, of user: User) throws -> ContactRequestRecord {
        guard let request = try db.contactRequests.find(id, user: user.userID) else {
            throw Refusal.store(.contactRequestNotFound(contactRequestID: id))
        }
        return request
    }

    fileprivate func deleteAddress(user id: UserID?) throws -> ChatResponse {
        let user = try user(id)
        let address = try address(of: user)
        if let connection = try db.connections.find(ofAddress: address.userContactLinkID) {
            try enqueue(.delete(connections: [connection.agentConnectionID], after: []), user: user)
        }
        try db.addresses.delete(address.userContactLinkID)
        var profile = user.profile.published
        profile.contactLink = nil
        _ = try updateProfile(of: user, to: profile, publishesAddress: false)
        return .userContactLinkDeleted(user: try anyUser(user.userID))
    }

    fileprivate func setAddress(_ settings: AddressSettings, user id: UserID?) throws -> ChatResponse {
        let user = try user(id)
        let address = try address(of: user)
        if settings.autoAccept?.acceptIncognito == true {
            if address.shortLinkDataSet { throw Refusal.command("incognito not allowed for address with short link data") }
            if settings.isBusinessAddress { throw Refusal.command("requests to business address cannot be accepted incognito") }
        }
        guard settings != address.addressSettings else { return .userContactLinkUpdated(user: user, contactLink: address) }
        try db.addresses.update(address.userContactLinkID, settings: settings, at: now)
        if address.shortLinkDataSet { try enqueue(.publishAddress, user: user) }
        return .userContactLinkUpdated(user: user, contactLink: try self.address(of: user))
    }

    fileprivate func reject(_ id: UserContactRequestID) throws -> ChatResponse {
        let user = try user()
        let request = try contactRequest(id, of: user)
        let contact = try request.request.contactID.flatMap { try db.contacts.find($0, of: user) }
        if let contact {
            // One that was accepted before has a connection.
            try deleteAgentConnections(of: contact, user: user)
            try db.contacts.delete(contact, user: user.userID)
            effects.removesFiles = true
        }
        try db.contactRequests.delete(id)
        try enqueue(.reject(invitation: request.agentInvitationID), user: user)
        return .contactRequestRejected(user: user, contactRequest: request.request, contact: contact)
    }
}
