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

    init?(_ text: String) {
        if text.hasPrefix("@") || text.hasPrefix("#") || text.hasPrefix("simplex:/name") {
            guard let name = try? SimpleXName(wireString: text) else { return nil }
            self = .name(name)
        } else {
            guard let link = try? ConnectionLink(wireString: text) else { return nil }
            self = .link(link)
        }
    }
}

/// The link of a target, and what connecting by it would do.
private struct PlannedTarget {
    let link: FullLink
    let plan: ConnectionPlan
    /// The name that was resolved to the link.
    var name: SimpleXName?

    func response(for user: User) -> ChatResponse { .connectionPlan(user: user, connectionLink: link.created, name: name?.api, plan: plan) }
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
        case .name(let name):
            // Names are not stored with contacts and groups: only routers know what they stand for.
            guard mode != .never else { throw ChatCoreError(Refusal.chat(.notResolvedLocally).error) }
            let short = try await link(of: name, user: user)
            let resolved = try await resolve(short, user: user)
            // Anybody can register a name for the link of somebody else.
            guard resolved.claimedName(name.kind) == name.domain else { throw name.notReady(.unknownDomain) }
            var planned: PlannedTarget
            if let known = try await known(short, user: user, resolving: mode, signature: signature) {
                planned = known
            } else {
                planned = try await plan(short, resolved, user: user, signature: signature)
            }
            planned.name = name
            return planned
        }
    }

    /// The first link of a name that leads to an owner of its kind.
    private func link(of name: SimpleXName, user: User) async throws(ChatCoreError) -> ConnectionShortLink {
        let agentUser = try runner.agentUser(of: user)
        let record = try await core.agent { agent throws(AgentError) in try await agent.resolveName(name.domain, user: agentUser) }
        for text in name.kind == .contact ? record.contactLinks : record.channelLinks {
            guard let link = try? ConnectionShortLink(wireString: text), case .contact(_, let type, _, _) = link else { continue }
            if type == (name.kind == .contact ? .contact : .channel) { return link.complete }
        }
        throw name.notReady(.noValidLink)
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
        guard plan.proceeds else { return planned.response(for: user) }
        if case .error(let error) = plan { core.hub.publish(.chatError(error: error)) }
        if case .contactAddress(.contactViaAddress(let contact)) = plan {
            return try await connectViaAddress(contact.contactID, user: user.userID, incognito: incognito)
        }
        if case .groupLink(.ok(let info?, let data?, _)) = plan, !info.direct {
            return try await joinChannel(planned.link.created, data, user: user, incognito: incognito)
        }
        return try await connect(planned.link.created, user: user.userID, incognito: incognito)
    }

    /// Joins a channel by its relays. If none can be reached, the channel stays as one that is prepared.
    private func joinChannel(
        _ link: CreatedConnectionLink, _ data: GroupShortLinkData, user: User, incognito: Bool
    ) async throws(ChatCoreError) -> ChatResponse {
        let prepared = try await transaction { try $0.preparedGroups.prepare(link, isDirect: false, data, user: user.userID) }
        guard case .newPreparedChat(_, let chat) = prepared, case .group(let group, _) = chat.chatInfo else { return prepared }
        return try await connectPreparedGroup(group.groupID, incognito: incognito, message: nil)
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
    /// The domain that the owner of the link claims in its profile; nil for none.
    fileprivate func claimedName(_ kind: SimpleXName.Kind) -> SimpleXDomain? {
        let claim: JSONValue?
        switch kind {
        case .contact:
            let data = try? ShortLinkUserData.decode(ContactShortLinkData.self, from: user.userData.bytes)
            claim = data?.profile.unknownMembers["contactDomain"]
        case .publicGroup:
            let data = try? ShortLinkUserData.decode(GroupShortLinkData.self, from: user.userData.bytes)
            claim = data?.groupProfile.publicGroup?.unknownMembers["publicGroupAccess"]?["groupDomainClaim"]
        }
        return claim?["domain"]?.stringValue.flatMap { try? SimpleXDomain(wireString: $0) }
    }
}

extension SimpleXName {
    /// The name as the API shows it.
    fileprivate var api: SimplexNameInfo { SimplexNameInfo(nameType: kind.rawValue, nameDomain: domain.api) }

    fileprivate func notReady(_ reason: SimplexDomainError) -> ChatCoreError {
        ChatCoreError(Refusal.chat(.simplexDomainNotReady(simplexDomain: domain.api, simplexDomainError: reason)).error)
    }
}

extension SimpleXDomain {
    fileprivate var api: SimplexDomainInfo { SimplexDomainInfo(topLevel: topLevel.rawValue, domain: domain, subdomains: subdomains) }
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
