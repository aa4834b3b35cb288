import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPCrypto
import SMPProtocol

// The contents of links of channels and relays. Pure functions of what an agent has resolved.

/// The link of a channel.
struct ChannelLink: Sendable {
    /// Relays of one channel that a subscriber joins at most: a link could name over a hundred.
    static let maximumRelays = 16

    /// The key that has signed the link; its hash is the identity of the channel.
    var rootKey: Ed25519.PublicKey
    /// The owners whom the root key, or an owner before, has authorized.
    var owners: [LinkOwner]
    /// The links by which relays take subscribers: the first ``maximumRelays``.
    var relays: [ConnectionShortLink]
    var data: GroupShortLinkData

    /// - Throws: `invalidConnectionRequest` if the link's identifier is not the hash of its key, or not the one that the profile names.
    init(_ resolved: ResolvedLink) throws(Refusal) {
        guard case .contact(let shared) = resolved.user.content, let id = resolved.fixed.linkEntityID,
            let data = try? ShortLinkUserData.decode(GroupShortLinkData.self, from: resolved.user.userData.bytes),
            data.groupProfile.publicGroup?.publicGroupID.bytes == id, Hash.sha256(resolved.fixed.rootKey.raw) == id
        else { throw .chat(.invalidConnectionRequest) }
        rootKey = resolved.fixed.rootKey
        owners = shared.owners
        relays = Array(shared.relays.prefix(Self.maximumRelays))
        self.data = data
    }

    /// The identifier of the channel, as the API shows it.
    var identifier: String { data.groupProfile.publicGroup?.publicGroupID.description ?? "" }

    /// The number of subscribers that the owner has published.
    var memberCount: Int64? { data.publicGroupData?.publicMemberCount }
}

/// The link by which a relay takes the subscribers of one channel.
struct RelayLink: Sendable {
    var memberID: MemberID
    /// The key with which the relay signs.
    var key: Ed25519.PublicKey
    var profile: Profile

    /// - Throws: `exception` if the link is not one of a relay.
    init(_ resolved: ResolvedLink) throws(Refusal) {
        guard let id = resolved.fixed.linkEntityID,
            let data = try? ShortLinkUserData.decode(RelayShortLinkData.self, from: resolved.user.userData.bytes)
        else { throw .chat(.exception(message: "relay link: no relay link data or entity id")) }
        memberID = MemberID(id)
        key = resolved.fixed.rootKey
        profile = data.relayProfile
    }
}

extension GroupLinkContents {
    /// The contents of the link of a channel that this profile has made.
    ///
    /// - Parameter relays: The links by which its relays take subscribers.
    /// - Throws: An error of the agent if the profile does not fit; `internalError` without the keys of the channel.
    init(channel group: GroupInfo, relays: [ConnectionShortLink], id: GroupLinkID) throws(ChatCoreError) {
        guard let keys = group.groupKeys, let root = keys.rootSigningKey, let own = keys.memberSigningKey else {
            throw ChatCoreError(Refusal.chat(.internalError(message: "no keys of the channel")).error)
        }
        try self.init(
            channel: group.groupProfile, members: group.groupSummary.publicMemberCount ?? 1,
            owner: LinkOwner(id: group.membership.memberID.bytes, key: own.publicKey, authorizedBy: root), relays: relays, id: id)
    }

    init(
        channel profile: GroupProfile, members: Int64, owner: LinkOwner, relays: [ConnectionShortLink], id: GroupLinkID
    ) throws(ChatCoreError) {
        let shown = GroupShortLinkData(groupProfile: profile, publicGroupData: PublicGroupData(publicMemberCount: members))
        guard let data = try? ShortLinkUserData.encode(shown) else {
            throw ChatCoreError(AgentError(.command(.large, context: "link data")))
        }
        linkData = .contact(UserContactData(isDirect: false, owners: [owner], relays: relays, userData: UserLinkData(data)))
        clientData = GroupLinkClientData(groupLinkID: id).jsonText
    }
}
