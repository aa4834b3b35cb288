import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

/// Finds, changes and deletes the address of a profile.
struct Addresses: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Addresses of profiles.
    var addresses: Addresses { Addresses(transaction: self) }
}

extension Addresses {
    func find(of user: User) throws -> UserContactLink {
        guard let address = try db.addresses.find(ofUser: user.userID) else { throw Refusal.store(.userContactLinkNotFound) }
        return address
    }

    func delete(user id: UserID?) throws -> ChatResponse {
        let user = try transaction.user(id)
        let address = try find(of: user)
        if let connection = try db.connections.find(ofAddress: address.userContactLinkID) {
            try enqueue(.connection(.delete(connections: [connection.agentConnectionID], after: [])), user: user)
        }
        try db.addresses.delete(address.userContactLinkID)
        var profile = user.profile.published
        profile.contactLink = nil
        _ = try transaction.users.updateProfile(of: user, to: profile, publishesAddress: false)
        return .userContactLinkDeleted(user: try transaction.anyUser(user.userID))
    }

    func set(_ settings: AddressSettings, user id: UserID?) throws -> ChatResponse {
        let user = try transaction.user(id)
        let address = try find(of: user)
        if settings.autoAccept?.acceptIncognito == true {
            if address.shortLinkDataSet { throw Refusal.command("incognito not allowed for address with short link data") }
            if settings.isBusinessAddress { throw Refusal.command("requests to business address cannot be accepted incognito") }
        }
        guard settings != address.addressSettings else { return .userContactLinkUpdated(user: user, contactLink: address) }
        try db.addresses.update(address.userContactLinkID, settings: settings, at: now)
        if address.shortLinkDataSet { try enqueue(.contact(.publishAddress), user: user) }
        return .userContactLinkUpdated(user: user, contactLink: try self.find(of: user))
    }
}
