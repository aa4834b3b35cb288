import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// What connecting by a link would do.

extension ConnectionCommands {
    /// - Parameters:
    ///   - resolvesKnown: Whether the data of a known group are read again from its link.
    ///   - signature: The proof by which somebody who shared the link in a chat claims to own it.
    func plan(
        _ text: String, user id: UserID?, resolvesKnown: Bool = false, signature: LinkOwnerSignature? = nil
    ) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user(id) }
        guard let link = try? ConnectionLink(wireString: text) else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let (full, plan) = try await plan(link, user: user, resolvesKnown: resolvesKnown, signature: signature)
        return .connectionPlan(user: user, connectionLink: full.created, plan: plan)
    }

    func plan(
        _ link: ConnectionLink, user: User, resolvesKnown: Bool = false, signature: LinkOwnerSignature? = nil
    ) async throws(ChatCoreError) -> (FullLink, ConnectionPlan) {
        switch link {
        case .full(let link):
            let full = FullLink(link)
            return (full, try await plan(full, shows: LinkContents(), user: user))
        case .short(let link):
            let short = link.complete
            if case .contact(_, .relay, _, _) = short {
                throw ChatCoreError(Refusal.command("chat relay links are not supported in this version").error)
            }
            let agentUser = try runner.agentUser(of: user)
            if let known = try await query({ try $0.connectionPlans.known(short, user: user) }) {
                guard resolvesKnown, case .groupLink(.known(let group, _, _, _)) = known.1 else { return known }
                return try await refreshed(group, short, user: user, signature: signature)
            }
            let resolved = try await core.agent { agent throws(AgentError) in
                try await agent.resolveShortLink(user: agentUser, link: short)
            }
            let full = FullLink(resolved.fixed.connectionRequest, short: short)
            if case .contact(_, let type, _, _) = short, type != .contact {
                return (full, try await groupPlan(full, resolved, owner: signature.map { resolved.verification(of: $0, sharing: short) }, user: user))
            }
            let contents = LinkContents(
                data: resolved.contactData,
                owner: signature.map { resolved.verification(of: $0, sharing: short) })
            return (full, try await plan(full, shows: contents, user: user))
        }
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

    /// Connects by any link, unless its plan says that there is nothing to connect.
    func connectLink(_ text: String, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user() }
        guard let link = try? ConnectionLink(wireString: text) else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let (full, plan) = try await plan(link, user: user)
        guard plan.proceeds else { return .connectionPlan(user: user, connectionLink: full.created, plan: plan) }
        if case .error(let error) = plan { core.hub.publish(.chatError(error: error)) }
        if case .contactAddress(.contactViaAddress(let contact)) = plan {
            return try await connectViaAddress(contact.contactID, user: user.userID, incognito: incognito)
        }
        return try await connect(full.created, user: user.userID, incognito: incognito)
    }
}

extension ResolvedLink {
    /// What the owner of an address or invitation shows with it; nil if it cannot be read.
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
