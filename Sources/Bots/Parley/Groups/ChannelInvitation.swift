public import ChatAPI
internal import ChatEngine
public import ChatProtocol

/// An invitation to a bot that is a relay: an owner wants it to pass on the posts of a channel.
public struct ChannelInvitation: Sendable {
    /// The bot. Its effects happen once for an invitation, however often it is shown.
    public let client: BotClient
    /// The profile of the channel, as its link tells it.
    public let channel: GroupProfile
    /// The identifier of the channel, as ``HostRelay/allowed`` names it.
    public let channelID: String
    /// The display name of the owner who invites.
    public let ownerName: String
    /// The public keys of the owners, as ``HostRelay/allowed`` names them.
    public let ownerKeys: [String]
    /// The channels that the relay serves already.
    public let servedChannels: Int
    /// The number of the channel among the groups of the bot, the same whenever the invitation is shown.
    public let groupID: GroupID

    /// The name of the channel.
    public var channelName: String { channel.displayName }
}

/// An answer of a relay to an invitation.
public enum ChannelInvitationAnswer: Sendable, Hashable {
    /// The channel is served, unless the limits of ``HostRelay`` are reached meanwhile.
    case accept
    /// The channel is not served. The protocol has no word for it: its owner sees that the relay stays `invited`.
    case refuse
    /// The invitation is shown again later, at growing intervals and for a day: an operator has not decided yet, for example.
    case postpone
}

extension ChannelInvitation {
    init(_ invitation: RelayInvitation, _ client: BotClient) {
        self.client = client
        (channel, channelID, groupID) = (invitation.profile, invitation.channelID, invitation.group)
        (ownerName, ownerKeys, servedChannels) = (invitation.ownerName, invitation.ownerKeys, invitation.served)
    }
}

extension ChannelInvitationAnswer {
    var answer: RelayReviewAnswer {
        switch self {
        case .accept: .accept
        case .refuse: .refuse
        case .postpone: .postpone
        }
    }
}
