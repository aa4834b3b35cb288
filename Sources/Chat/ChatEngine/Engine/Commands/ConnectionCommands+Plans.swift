import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// Plans for connecting by a link or a name.

/// A target of a person or program that wants to connect.
private enum ConnectTarget {
    case link(ConnectionLink)
    case name(SimpleXName)
    /// A name without a sign. It can be that of a channel and that of a contact.
    case domain(SimpleXDomain)

    init?(_ text: String) {
        if text.hasPrefix("@") || text.hasPrefix("#") || text.hasPrefix("simplex:/name") {
            guard let name = try? SimpleXName(wireString: text) else { return nil }
            self = .name(name)
        } else if let link = try? ConnectionLink(wireString: text) {
            self = .link(link)
        } else {
            guard let domain = try? SimpleXDomain(wireString: text) else { return nil }
            self = .domain(domain)
        }
    }
}

/// The link of a target, and what connecting by it would do.
private struct PlannedTarget {
    let link: FullLink
    var plan: ConnectionPlan
    /// The name that was resolved to the link.
    var name: SimpleXName?
    /// The name of the other kind with the same domain, if there is a link for it.
    var otherName: SimpleXName?

    func response(for user: User) -> ChatResponse {
        .connectionPlan(user: user, connectionLink: link.created, name: name?.api, otherName: otherName?.api, plan: plan)
    }
}

extension ConnectionCommands {
    /// - Parameters:
    ///   - text: A link, or a name such as `@ann.simplex`.
    ///   - mode: Which targets are looked up.
    ///   - signature: The proof by which somebody who shared the link in a chat claims to own it.
    func plan(
        _ text: String, user id: UserID?, resolving mode: PlanResolveMode = .unknown, signature: LinkOwnerSignature? = nil
    ) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user(id) }
        return try await plan(try target(text), user: user, resolving: mode, signature: signature).response(for: user)
    }

    private func target(_ text: String) throws(ChatCoreError) -> ConnectTarget {
        guard let target = ConnectTarget(text) else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        return target
    }

    private func plan(
        _ target: ConnectTarget, user: User, resolving mode: PlanResolveMode = .unknown, signature: LinkOwnerSignature? = nil
    ) async throws(ChatCoreError) -> PlannedTarget {
        switch target {
        case .link(.full(let link)):
            let full = FullLink(link)
            return PlannedTarget(link: full, plan: try await plan(full, shows: LinkContents(), user: user))
        case .link(.short(let link)):
            let short = link.complete
            if case .contact(_, .relay, _, _) = short {
                throw ChatCoreError(Refusal.command("chat relay links are not supported in this version").error)
            }
            if let known = try await known(short, user: user, resolving: mode, signature: signature) { return known }
            guard mode != .never else { throw ChatCoreError(Refusal.chat(.notResolvedLocally).error) }
            return try await plan(short, try await resolve(short, user: user), user: user, signature: signature)
        case .name(let name): return try await plan(name, user: user, resolving: mode, signature: signature)
        case .domain(let domain): return try await plan(domain, user: user, resolving: mode, signature: signature)
        }
    }

    /// The plan for a name. One that was found to lead to a contact or channel is not looked up again, unless known groups are.
    ///
    /// - Parameter record: The record of the name, if it was looked up already.
    private func plan(
        _ name: SimpleXName, record: NameRecord? = nil, user: User, resolving mode: PlanResolveMode, signature: LinkOwnerSignature?
    ) async throws(ChatCoreError) -> PlannedTarget {
        if let known = try await known(name, user: user), mode != .allGroups || name.kind == .contact { return known }
        guard mode != .never else { throw ChatCoreError(Refusal.chat(.notResolvedLocally).error) }
        var found = record
        if found == nil { found = try await self.record(of: name.domain, user: user) }
        guard let short = found?.links(name.kind).first else { throw name.domain.notReady(.noValidLink) }
        let resolved = try await resolve(short, user: user)
        // Anybody can register a name for the link of somebody else.
        guard resolved.claimedDomain(name.kind) == name.domain.fullName else { throw name.domain.notReady(.unknownDomain) }
        var planned: PlannedTarget
        if let known = try await known(short, user: user, resolving: mode, signature: signature) {
            planned = known
        } else {
            planned = try await plan(short, resolved, user: user, signature: signature)
        }
        planned.name = name
        let before = planned.plan, claims = resolved.claims
        planned.plan = try await transaction { try $0.connectionPlans.learn(name, claims, before, user: user) }
        return planned
    }

    /// The plan for a name whose owner is known here.
    private func known(_ name: SimpleXName, user: User) async throws(ChatCoreError) -> PlannedTarget? {
        guard let (link, plan) = try await query({ try $0.connectionPlans.known(name, user: user) }) else { return nil }
        return PlannedTarget(link: link, plan: plan, name: name)
    }

    /// The plan for a domain without a sign: that of the channel, or else that of the contact.
    private func plan(
        _ domain: SimpleXDomain, user: User, resolving mode: PlanResolveMode, signature: LinkOwnerSignature?
    ) async throws(ChatCoreError) -> PlannedTarget {
        let channel = SimpleXName(.publicGroup, domain), contact = SimpleXName(.contact, domain)
        let record: NameRecord
        do throws(ChatCoreError) {
            guard mode != .never else { throw ChatCoreError(Refusal.chat(.notResolvedLocally).error) }
            record = try await self.record(of: domain, user: user)
        } catch {
            for name in [channel, contact] {
                if let known = try await known(name, user: user) { return known }
            }
            throw error
        }
        guard !record.links(.publicGroup).isEmpty else { return try await plan(contact, record: record, user: user, resolving: mode, signature: signature) }
        let isContact = !record.links(.contact).isEmpty
        do throws(ChatCoreError) {
            var planned = try await plan(channel, record: record, user: user, resolving: mode, signature: signature)
            planned.otherName = isContact ? contact : nil
            return planned
        } catch {
            guard isContact, var planned = try? await plan(contact, record: record, user: user, resolving: mode, signature: signature) else { throw error }
            planned.otherName = channel
            return planned
        }
    }

    private func resolve(_ short: ConnectionShortLink, user: User) async throws(ChatCoreError) -> ResolvedLink {
        let agentUser = try runner.agentUser(of: user)
        return try await core.agent { agent throws(AgentError) in try await agent.resolveShortLink(user: agentUser, link: short) }
    }

    /// The plan for a short link that is known here; nil for another.
    private func known(
        _ short: ConnectionShortLink, user: User, resolving mode: PlanResolveMode, signature: LinkOwnerSignature?
    ) async throws(ChatCoreError) -> PlannedTarget? {
        guard let (full, plan) = try await query({ try $0.connectionPlans.known(short, user: user) }) else { return nil }
        guard mode == .allGroups, case .groupLink(.known(let group, _, _, _)) = plan else { return PlannedTarget(link: full, plan: plan) }
        let (refreshedLink, refreshedPlan) = try await refreshed(group, short, user: user, signature: signature)
        return PlannedTarget(link: refreshedLink, plan: refreshedPlan)
    }

    /// The plan for a short link that is not known here.
    private func plan(
        _ short: ConnectionShortLink, _ resolved: ResolvedLink, user: User, signature: LinkOwnerSignature?
    ) async throws(ChatCoreError) -> PlannedTarget {
        let full = FullLink(resolved.fixed.connectionRequest, short: short)
        let owner = signature.map { resolved.verification(of: $0, sharing: short) }
        if case .contact(_, let type, _, _) = short, type != .contact {
            return PlannedTarget(link: full, plan: try await groupPlan(full, resolved, owner: owner, user: user))
        }
        let contents = LinkContents(data: resolved.contactData, owner: owner)
        return PlannedTarget(link: full, plan: try await plan(full, shows: contents, user: user))
    }

    /// The plan for the short link of a group that is not known here.
    private func groupPlan(
        _ link: FullLink, _ resolved: ResolvedLink, owner: OwnerVerification?, user: User
    ) async throws(ChatCoreError) -> ConnectionPlan {
        let data = try? ShortLinkUserData.decode(GroupShortLinkData.self, from: resolved.user.userData.bytes)
        guard case .contact(let shared) = resolved.user.content else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        // Only channels are joined by relays. What other kinds of public groups ask of members is not known.
        if !shared.isDirect, let data, !ChannelRules.knowsKind(of: data) { return .groupLink(plan: .updateRequired(linkData: data)) }
        // Channels need relays; a group link leads to its host.
        if !shared.isDirect, shared.relays.isEmpty { return .groupLink(plan: .noRelays(linkData: data)) }
        let id = resolved.fixed.linkEntityID.map { Base64URLBytes($0) }
        guard data?.groupProfile.publicGroup?.publicGroupID == id else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let info = GroupShortLinkInfo(
            direct: shared.isDirect, groupRelays: shared.relays.map { $0.with(scheme: .server).wireString }, publicGroupID: id?.description)
        return try await query { transaction in
            .groupLink(plan: try transaction.preparedGroups.plan(link, linkInfo: info, data: data, owner: owner, user: user))
        }
    }

    /// The plan for a known group, with what its link shows now.
    private func refreshed(
        _ group: GroupInfo, _ short: ConnectionShortLink, user: User, signature: LinkOwnerSignature?
    ) async throws(ChatCoreError) -> (FullLink, ConnectionPlan) {
        let agentUser = try runner.agentUser(of: user)
        let resolved = try await core.agent { agent throws(AgentError) in
            try await agent.resolveShortLink(user: agentUser, link: short)
        }
        let data = try? ShortLinkUserData.decode(GroupShortLinkData.self, from: resolved.user.userData.bytes)
        let owner = signature.map { resolved.verification(of: $0, sharing: short) }
        let (current, isUpdated) = try await transaction { try $0.preparedGroups.update(group.groupID, fromLink: data, of: user) }
        var owners: [GroupLinkOwner] = []
        if case .contact(let shared) = resolved.user.content {
            owners = shared.owners.map { GroupLinkOwner(memberID: MemberID($0.id), memberKey: $0.key.wireString) }
        }
        return (
            FullLink(resolved.fixed.connectionRequest, short: short),
            .groupLink(plan: .known(groupInfo: current, groupUpdated: isUpdated, ownerVerification: owner, linkOwners: owners))
        )
    }

    private func plan(_ link: FullLink, shows contents: LinkContents, user: User) async throws(ChatCoreError) -> ConnectionPlan {
        do {
            return try await query { transaction in
                if link.kind == .invitation { return .invitationLink(plan: try transaction.connectionPlans.invitation(link, shows: contents, user: user)) }
                if link.isGroup {
                    return .groupLink(plan: try transaction.preparedGroups.plan(link, linkInfo: nil, data: nil, owner: nil, user: user))
                }
                return try transaction.connectionPlans.addressOrGroup(link, shows: contents, user: user)
            }
        } catch {
            guard let error = error.chatError else { throw error }
            return .error(error: error)
        }
    }

    /// Connects by any link or name, unless its plan says that there is nothing to connect.
    func connectLink(_ text: String, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user() }
        let planned = try await plan(try target(text), user: user)
        let plan = planned.plan
        // What a name has prepared before, without reaching anybody, is tried again.
        if planned.name != nil, case .contactAddress(.known(let contact)) = plan, contact.activeConnection == nil, contact.preparedContact != nil {
            return try await connectPrepared(contact.contactID, incognito: incognito, message: nil)
        }
        if planned.name != nil, case .groupLink(.known(let group, _, _, _)) = plan, group.preparedGroup?.preparedConnection == false {
            return try await connectPreparedGroup(group.groupID, incognito: incognito, message: nil)
        }
        guard plan.proceeds else { return planned.response(for: user) }
        if case .error(let error) = plan { core.hub.publish(.chatError(error: error)) }
        if case .contactAddress(.contactViaAddress(let contact)) = plan {
            return try await connectViaAddress(contact.contactID, user: user.userID, incognito: incognito)
        }
        let domain = planned.name?.domain.fullName
        if case .groupLink(.ok(let info?, let data?, _)) = plan, !info.direct {
            return try await joinChannel(planned.link.created, data, user: user, incognito: incognito, domain: domain)
        }
        if case .contactAddress(.ok(let data?, _)) = plan, let domain {
            return try await connect(planned.link.created, data, user: user, incognito: incognito, domain: domain)
        }
        return try await connect(planned.link.created, user: user.userID, incognito: incognito)
    }

    /// Joins a channel by its relays. If none can be reached, the channel stays as one that is prepared.
    private func joinChannel(
        _ link: CreatedConnectionLink, _ data: GroupShortLinkData, user: User, incognito: Bool, domain: String?
    ) async throws(ChatCoreError) -> ChatResponse {
        let prepared = try await transaction { try $0.preparedGroups.prepare(link, isDirect: false, data, user: user.userID, domain: domain) }
        guard case .newPreparedChat(_, let chat) = prepared, case .group(let group, _) = chat.chatInfo else { return prepared }
        return try await connectPreparedGroup(group.groupID, incognito: incognito, message: nil)
    }

    /// Connects to the contact or business to which a name leads. The chat is there at once, so that the name is kept with it.
    private func connect(
        _ link: CreatedConnectionLink, _ data: ContactShortLinkData, user: User, incognito: Bool, domain: String
    ) async throws(ChatCoreError) -> ChatResponse {
        let prepared = try await transaction { try $0.contacts.prepare(link, data, user: user.userID, domain: domain) }
        guard case .newPreparedChat(_, let chat) = prepared else { return prepared }
        switch chat.chatInfo {
        case .direct(let contact): return try await connectPrepared(contact.contactID, incognito: incognito, message: nil)
        case .group(let group, _): return try await connectPreparedGroup(group.groupID, incognito: incognito, message: nil)
        default: return prepared
        }
    }
}

extension ResolvedLink {
    /// The profile and message that the owner of an address or invitation publishes with it; nil if they cannot be read.
    fileprivate var contactData: ContactShortLinkData? {
        var data = try? ShortLinkUserData.decode(ContactShortLinkData.self, from: user.userData.bytes)
        // The API of 7.0 has a member of this name for badges that were verified here.
        data?.unknownMembers["localBadge"] = nil
        return data
    }

    /// Verifies that a signature is that of an owner of the link. The receiver checks the chat that it was made for.
    func verification(of signature: LinkOwnerSignature, sharing link: ConnectionShortLink) -> OwnerVerification {
        let key: Ed25519.PublicKey?
        if let id = signature.ownerID {
            guard case .contact(let data) = user.content else { return .failed(reason: "unknown owner") }
            key = data.owners.first { $0.id == id.bytes }?.key
        } else {
            key = fixed.rootKey
        }
        guard let key else { return .failed(reason: "unknown owner") }
        return signature.isValid(sharing: link.wireBytes, key: key) ? .verified : .failed(reason: "signature verification failed")
    }
}

extension ResolvedLink {
    /// The profile behind the link, as its owner has signed it.
    fileprivate var claims: LinkedProfile {
        LinkedProfile(
            contact: (try? ShortLinkUserData.decode(ContactShortLinkData.self, from: user.userData.bytes))?.profile,
            group: try? ShortLinkUserData.decode(GroupShortLinkData.self, from: user.userData.bytes))
    }

    /// The domain that the owner of the link claims in its profile; nil for none.
    fileprivate func claimedDomain(_ kind: SimpleXName.Kind) -> String? {
        kind == .contact ? claims.contact?.claimedDomain : claims.group?.groupProfile.claimedDomain
    }
}

extension ConnectionPlan {
    /// True if connecting continues without asking.
    fileprivate var proceeds: Bool {
        switch self {
        case .invitationLink(.ok), .invitationLink(.ownLink), .contactAddress(.ok), .contactAddress(.ownLink),
            .contactAddress(.connectingConfirmReconnect), .contactAddress(.contactViaAddress), .groupLink(.ok), .groupLink(.ownLink),
            .groupLink(.connectingConfirmReconnect), .error:
            true
        default: false
        }
    }
}
