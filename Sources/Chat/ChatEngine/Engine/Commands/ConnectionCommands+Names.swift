import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// Names: looking them up, and commands about them.

extension ConnectionCommands {
    /// The record of a domain, from a router that resolves names.
    func record(of domain: SimpleXDomain, user: User) async throws(ChatCoreError) -> NameRecord {
        let agentUser = try runner.agentUser(of: user)
        return try await core.agent { agent throws(AgentError) in try await agent.resolveName(domain, user: agentUser) }
    }

    /// A domain that a command gives.
    static func domain(_ text: String) throws(ChatCoreError) -> SimpleXDomain {
        guard let domain = try? SimpleXDomain(wireString: text) else {
            throw ChatCoreError(Refusal.command("\(text) is no SimpleX name: write it like name.simplex").error)
        }
        return domain
    }

    /// Prepares a contact or business chat from an address; with the domain that was resolved to it, if there was one.
    func prepareContact(
        _ link: CreatedConnectionLink, _ data: ContactShortLinkData, user: UserID, domain text: String?
    ) async throws(ChatCoreError) -> ChatResponse {
        let domain = try text.map { text throws(ChatCoreError) in try Self.domain(text) }
        if let domain, data.profile.claimedDomain != domain.fullName { throw domain.notReady(.unknownDomain) }
        return try await transaction { try $0.contacts.prepare(link, data, user: user, domain: domain?.fullName) }
    }

    /// Prepares a group or channel from its link; with the domain that was resolved to it, if there was one.
    func prepareGroup(
        _ link: CreatedConnectionLink, isDirect: Bool, _ data: GroupShortLinkData, user: UserID, domain text: String?
    ) async throws(ChatCoreError) -> ChatResponse {
        let domain = try text.map { text throws(ChatCoreError) in try Self.domain(text) }
        if let domain, data.groupProfile.claimedDomain != domain.fullName { throw domain.notReady(.unknownDomain) }
        return try await transaction { try $0.preparedGroups.prepare(link, isDirect: isDirect, data, user: user, domain: domain?.fullName) }
    }

    /// Claims a domain in a profile, after finding that it leads to the profile's address; nil takes the claim back.
    func setDomain(_ text: String?, user id: UserID) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user(id) }
        var profile = user.profile.published
        let domain = try text.map { text throws(ChatCoreError) in try Self.domain(text) }
        guard profile.claimedDomain != domain?.fullName else { return .userProfileNoChange(user: user) }
        if let domain {
            let address = try await query { try $0.addresses.find(of: user) }
            guard address.shortLinkDataSet, let text = address.connectionLink.shortLink, let link = try? ConnectionShortLink(wireString: text) else {
                throw ChatCoreError(Refusal.command("create the address short link and add it to name").error)
            }
            guard try await record(of: domain, user: user).leads(.contact, to: link) else { throw domain.notReady(.noValidLink) }
            profile.contactLink = text
        }
        profile.claim(domain?.fullName)
        let changed = profile
        return try await transactionThatPublishes { try $0.users.updateProfile(of: try $0.user(id), to: changed) }
    }

    /// Finds out whether the domain that a contact claims leads to the address by which this profile connected.
    func verifyDomain(of id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, claim, link) = try await query { transaction in
            let user = try transaction.user(), contact = try transaction.conversations.contact(id, of: user)
            var link = contact.preparedContact?.connectionLink.shortLink
            if link == nil, let connection = contact.activeConnection?.connectionID, try transaction.db.connections.usesAddressOfPeer(connection) {
                link = try transaction.db.connections.link(ofConnection: connection)?.shortLink
            }
            return (user, contact.profile.published.claimedDomain, link)
        }
        guard let claim else { throw ChatCoreError(Refusal.command("contact has no name to verify").error) }
        let domain = try Self.domain(claim)
        guard let link, let short = try? ConnectionShortLink(wireString: link) else {
            let contact = try await query { try $0.conversations.contact(id, of: user) }
            return .contactDomainVerified(user: user, contact: contact, failure: "no connection link to check the name against")
        }
        let isVerified = try await record(of: domain, user: user).leads(.contact, to: short)
        return try await transaction { transaction in
            try transaction.db.resolvedDomains.set(domain.fullName, of: id, isVerified: isVerified)
            return .contactDomainVerified(
                user: user, contact: try transaction.conversations.contact(id, of: user),
                failure: isVerified ? nil : "the name does not resolve to this address")
        }
    }

    /// Finds out whether the domain that a channel claims leads to the channel's link.
    func verifyDomain(of id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, profile) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.conversations.group(id, of: user).groupProfile)
        }
        guard let claim = profile.claimedDomain, let link = profile.publicGroup.flatMap({ try? ConnectionShortLink(wireString: $0.groupLink) }) else {
            throw ChatCoreError(Refusal.command("group has no name to verify").error)
        }
        let domain = try Self.domain(claim)
        let isVerified = try await record(of: domain, user: user).leads(.publicGroup, to: link)
        return try await transaction { transaction in
            try transaction.db.resolvedDomains.set(domain.fullName, of: id, isVerified: isVerified)
            return .groupDomainVerified(
                user: user, groupInfo: try transaction.conversations.group(id, of: user),
                failure: isVerified ? nil : "the name does not resolve to the link in the group profile")
        }
    }

    /// Changes how a channel is found besides its link. A new domain must lead to the channel.
    func setPublicAccess(_ access: PublicGroupAccess, of id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, group) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.conversations.group(id, of: user))
        }
        var profile = group.groupProfile
        guard let channel = profile.publicGroup else { throw ChatCoreError(Refusal.command("not a public group").error) }
        var access = access
        let domain = try access.domainClaim.map { claim throws(ChatCoreError) in try Self.domain(claim.domain) }
        if let domain { access.domainClaim?.domain = domain.fullName }
        profile.publicGroup?.access = access.json.objectValue
        var isResolved = false
        if let domain, domain.fullName != group.groupProfile.claimedDomain {
            try await query { try $0.conversations.require(.owner, in: group) }
            guard let link = try? ConnectionShortLink(wireString: channel.groupLink),
                try await record(of: domain, user: user).leads(.publicGroup, to: link)
            else { throw domain.notReady(.noValidLink) }
            isResolved = true
        }
        if isResolved, let domain { try await transaction { try $0.db.resolvedDomains.set(domain.fullName, of: id) } }
        return try await runner.groupCommands.run(.updateProfile(id, profile))
    }
}

extension NameRecord {
    /// Tells whether a contact or channel link of the record is this one, in whatever form.
    func leads(_ kind: SimpleXName.Kind, to link: ConnectionShortLink) -> Bool {
        let complete = link.complete
        return links(kind).contains { $0.isSameContact(as: complete) }
    }

    /// The links of the record that lead to an owner of the kind.
    func links(_ kind: SimpleXName.Kind) -> [ConnectionShortLink] {
        (kind == .contact ? contactLinks : channelLinks).compactMap { text in
            guard let link = try? ConnectionShortLink(wireString: text), case .contact(_, let type, _, _) = link else { return nil }
            return type == (kind == .contact ? .contact : .channel) ? link.complete : nil
        }
    }
}

extension SimpleXDomain {
    /// The domain as the API shows it.
    var api: SimplexDomainInfo { SimplexDomainInfo(topLevel: topLevel.rawValue, domain: domain, subdomains: subdomains) }

    /// A domain that is registered, and leads to nobody who claims it.
    func notReady(_ reason: SimplexDomainError) -> ChatCoreError {
        ChatCoreError(Refusal.chat(.simplexDomainNotReady(simplexDomain: api, simplexDomainError: reason)).error)
    }
}

extension SimpleXName {
    /// The name as the API shows it.
    var api: SimplexNameInfo { SimplexNameInfo(nameType: kind.rawValue, nameDomain: domain.api) }
}
