import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// Commands about the address of a profile, and requests that come by it.

/// Commands about addresses and requests to them.
struct AddressCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about addresses and requests to them.
    var addressCommands: AddressCommands { AddressCommands(runner: self) }
}

extension AddressCommands {
    func run(_ command: AddressCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .create(let id): try await create(user: id)
        case .delete(let id): try await transaction { try $0.addresses.delete(user: id) }
        case .show(let id):
            try await query { transaction in
                let user = try transaction.user(id)
                return .userContactLink(user: user, contactLink: try transaction.addresses.find(of: user))
            }
        case .addShortLink(let id): try await addShortLink(user: id)
        case .setInProfile(let id, let isShown):
            try await transactionThatPublishes { transaction in
                let user = try transaction.user(id)
                var profile = user.profile.published
                profile.contactLink = isShown ? try transaction.addresses.find(of: user).published : nil
                return try transaction.users.updateProfile(of: user, to: profile)
            }
        case .setSettings(let id, let settings): try await transactionThatPublishes { try $0.addresses.set(settings, user: id) }
        case .accept(let id, let incognito): try await accept(id, incognito: incognito)
        case .reject(let id): try await answer { try $0.contactRequests.reject(id) }
        }
    }

    // MARK: The address

    private func create(user id: UserID?) async throws(ChatCoreError) -> ChatResponse {
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
            let agentUser = try runner.agentUser(of: user)
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
            _ = try transaction.addresses.find(of: user)
            return user
        }
        let published = try await core.addresses.publish(of: user)
        guard let published else { throw ChatCoreError(Refusal.store(.userContactLinkNotFound).error) }
        return .userContactLink(user: user, contactLink: published)
    }

    // MARK: Requests

    private func accept(_ id: UserContactRequestID, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        // The request is gone once its contact is connected.
        if let key = runner.key, let known = try await query({ try $0.onceCommands.response(to: key) }) { return known }
        let (user, request) = try await query { transaction in
            let user = try transaction.user()
            let request = try transaction.contactRequests.find(id, of: user)
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
                let contact = try transaction.contactRequests.completeAcceptance(acceptance, isSecured: isSecured, announces: false)
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
