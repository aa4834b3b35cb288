import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire

extension ChannelCommands {
    /// Makes the message that shares a channel in a chat. From the creator of the channel, it contains a proof, which is valid in that chat only.
    func share(_ chat: ChatReference, to target: SendTarget) async throws(ChatCoreError) -> ChatResponse {
        guard chat.type == .group else { throw ChatCoreError(Refusal.command("sharing is only supported for public groups").error) }
        let (user, group) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.conversations.group(GroupID(chat.id), of: user))
        }
        guard let shared = group.groupProfile.publicGroup else { throw ChatCoreError(Refusal.command("not a public group").error) }
        var signature: LinkOwnerSignature?
        if group.membership.role == .owner, let keys = group.groupKeys, keys.rootSigningKey != nil, let key = keys.memberSigningKey,
            let link = try? ConnectionShortLink(wireString: shared.groupLink), let binding = try await binding(of: target, user: user)
        {
            signature = LinkOwnerSignature(
                sharing: link.wireBytes, in: binding, ownerID: Base64URLBytes(group.membership.memberID.bytes), with: key)
        }
        return .chatMsgContent(
            user: user,
            content: .chat(text: shared.groupLink, link: .group(link: shared.groupLink, profile: group.groupProfile), ownerSignature: signature))
    }

    /// The binding of what this profile signs in a chat; nil where nothing can be signed.
    private func binding(of target: SendTarget, user: User) async throws(ChatCoreError) -> ChatBinding? {
        switch target {
        case .direct(let id):
            let contact = try await query { try $0.conversations.contact(id, of: user) }
            guard let agentID = contact.activeConnection.flatMap({ Base64URL.decode($0.agentConnectionID) }) else { return nil }
            return .direct(
                securityCodeHash: try await core.agent { agent throws(AgentError) in try await agent.ratchetHash(of: ConnectionID(agentID)) })
        case .group(let id, _, let asGroup):
            let group = try await query { try $0.conversations.group(id, of: user) }
            guard let profile = group.groupProfile.publicGroup else { return nil }
            let groupID = profile.publicGroupID.bytes
            return asGroup ? .channel(publicGroupID: groupID) : .group(publicGroupID: groupID, member: group.membership.memberID)
        }
    }
}
