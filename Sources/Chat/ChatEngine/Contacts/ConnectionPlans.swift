import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPProtocol
import SMPWire

/// Finds the target of a link, as far as the store knows it.
struct ConnectionPlans: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Plans for links: where a link leads, before anything is done.
    var connectionPlans: ConnectionPlans { ConnectionPlans(transaction: self) }
}

extension ConnectionPlans {
    /// The plan for a short link that is known here, so that nobody has to be asked.
    func known(_ short: ConnectionShortLink, user: User) throws -> (FullLink, ConnectionPlan)? {
        let text = short.wireString
        func full(_ text: String) throws -> FullLink { FullLink(try ConnectionRequestURI(wireString: text), short: short) }
        switch short.mode {
        case .invitation:
            if let (record, link) = try db.connections.find(user: user.userID, shortLink: text) {
                return (try full(link), .invitationLink(plan: try plan(for: record, shows: LinkContents(), user: user)))
            }
            if let contact = try db.contacts.find(of: user, preparedFrom: text), let prepared = contact.preparedContact {
                return (try full(prepared.connectionLink.fullLink), .invitationLink(plan: .known(contact: contact)))
            }
        case .contact:
            if let address = try db.addresses.find(ofUser: user.userID, shortLink: text) {
                return (try full(address.connectionLink.fullLink), .contactAddress(plan: .ownLink))
            }
            if let contact = try db.contacts.find(of: user, preparedFrom: text), let prepared = contact.preparedContact,
                contact.status == .active
            {
                return (try full(prepared.connectionLink.fullLink), .contactAddress(plan: .known(contact: contact)))
            }
            return try transaction.preparedGroups.knownPlan(text, full, user: user)
        }
        return nil
    }

    /// The plan for a name that was found to lead to a contact or channel of the profile, or to the profile itself.
    func known(_ name: SimpleXName, user: User) throws -> (FullLink, ConnectionPlan)? {
        let domain = name.domain.fullName
        func full(_ link: CreatedConnectionLink) throws -> FullLink { try FullLink(link) }
        switch name.kind {
        case .contact:
            if user.profile.published.claimedDomain == domain, let address = try db.addresses.find(ofUser: user.userID) {
                return (try full(address.connectionLink), .contactAddress(plan: .ownLink))
            }
            if let contact = try db.contacts.find(of: user, domain: domain), let prepared = contact.preparedContact {
                return (try full(prepared.connectionLink), .contactAddress(plan: .known(contact: contact)))
            }
        case .publicGroup:
            if let group = try db.groups.find(user: user.userID, domain: domain, isBusiness: false), let link = group.groupProfile.publicGroup?.groupLink,
                let own = try db.groups.ownGroup(user: user.userID, shortLink: link)
            {
                let created = CreatedConnectionLink(fullLink: own.fullLink, shortLink: link)
                return (try full(created), .groupLink(plan: .ownLink(groupInfo: own.0)))
            }
        }
        guard let group = try db.groups.find(user: user.userID, domain: domain, isBusiness: name.kind == .contact), let prepared = group.preparedGroup,
            !group.membership.status.isRemoved
        else { return nil }
        return (try full(prepared.connectionLink), .groupLink(plan: .known(groupInfo: group, ownerVerification: nil)))
    }

    /// Keeps a name with the contact or channel to which it was found to lead, and what the profile behind its link claims.
    ///
    /// - Returns: The plan, with the contact or channel as it is now.
    func learn(_ name: SimpleXName, _ linked: LinkedProfile, _ plan: ConnectionPlan, user: User) throws -> ConnectionPlan {
        let domain = name.domain.fullName
        switch plan {
        case .contactAddress(.known(let contact)):
            var profile = contact.profile.published
            if profile.claimedDomain != domain, let published = linked.contact {
                profile.takeClaim(of: published)
                try db.contacts.update(contact, user: user.userID, profile: profile, at: now)
            }
            try db.resolvedDomains.set(domain, of: contact.contactID)
            return .contactAddress(plan: .known(contact: try transaction.conversations.contact(contact.contactID, of: user)))
        case .groupLink(.known(let group, let isUpdated, let owner, let owners)):
            let (_, hasChanged) = try transaction.preparedGroups.update(group.groupID, fromLink: linked.group, of: user)
            try db.resolvedDomains.set(domain, of: group.groupID)
            let current = try transaction.conversations.group(group.groupID, of: user)
            return .groupLink(plan: .known(groupInfo: current, groupUpdated: isUpdated || hasChanged, ownerVerification: owner, linkOwners: owners))
        case .groupLink(.ownLink(let group)):
            try db.resolvedDomains.set(domain, of: group.groupID)
            return .groupLink(plan: .ownLink(groupInfo: try transaction.conversations.group(group.groupID, of: user)))
        default: return plan
        }
    }

    func invitation(_ link: FullLink, shows contents: LinkContents, user: User) throws -> InvitationLinkPlan {
        guard let record = try db.connections.find(user: user.userID, linkKey: link.key) else {
            return .ok(linkData: contents.data, ownerVerification: contents.owner)
        }
        return try plan(for: record, shows: contents, user: user)
    }

    private func plan(for record: ConnectionRecord, shows contents: LinkContents, user: User) throws -> InvitationLinkPlan {
        if let id = record.contactID, let contact = try db.contacts.find(id, of: user) {
            return contact.status == .active ? .known(contact: contact) : .ok(linkData: contents.data, ownerVerification: contents.owner)
        }
        switch record.connection.status {
        case .new where record.connection.contactConnectionInitiated: return .ownLink
        case .prepared: return .ok(linkData: contents.data, ownerVerification: contents.owner)
        default: return .connecting(contact: nil)
        }
    }

    /// The plan for an address, which may be that of a business whose chat is a group.
    func addressOrGroup(_ link: FullLink, shows contents: LinkContents, user: User) throws -> ConnectionPlan {
        if try db.connections.find(user: user.userID, linkKey: link.key) == nil, let group = try db.groups.find(user: user.userID, viaLinkKey: link.key) {
            return .groupLink(plan: transaction.preparedGroups.plan(of: group))
        }
        return .contactAddress(plan: try address(link, shows: contents, user: user))
    }

    func address(_ link: FullLink, shows contents: LinkContents, user: User) throws -> ContactAddressPlan {
        if try db.addresses.find(ofUser: user.userID, linkKey: link.key) != nil { return .ownLink }
        guard let record = try db.connections.find(user: user.userID, linkKey: link.key) else {
            if let contact = try db.contacts.find(of: user, publishing: [link.created.fullLink, link.created.shortLink].compactMap(\.self)) {
                return .contactViaAddress(contact: contact)
            }
            return .ok(linkData: contents.data, ownerVerification: contents.owner)
        }
        guard let id = record.contactID, let contact = try db.contacts.find(id, of: user) else {
            return record.connection.status == .prepared ? .ok(linkData: contents.data, ownerVerification: contents.owner) : .connectingConfirmReconnect
        }
        if contact.status == .active {
            return contact.isReady ? .known(contact: contact) : .connectingProhibit(contact: contact)
        }
        return .ok(linkData: contents.data, ownerVerification: contents.owner)
    }
}

/// The data behind a short link.
struct LinkContents: Sendable {
    var data: ContactShortLinkData?
    /// True if the sender of the link owns it; nil without such a claim.
    var owner: OwnerVerification?
}

/// The profile behind a link, of a contact or a group.
struct LinkedProfile: Sendable {
    var contact: Profile?
    var group: GroupShortLinkData?
}
