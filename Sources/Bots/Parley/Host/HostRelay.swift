import ChatEngine

/// The channels that a host relays for, and how many subscribers it takes. It relays if a profile is made for that; by default it serves everybody.
public struct HostRelay: Sendable, Hashable {
    /// The channels that are served at a time; nil for any number.
    public var maximumChannels: Int?
    /// The members of a channel, with its owners and relays; nil for any number.
    public var maximumMembers: Int?
    /// The only channels or owners that are served: `publicGroupId` of channels and `memberPubKey` of owners, as the API shows them. Empty for all.
    public var allowed: Set<String> = []
    /// Channels and owners that are not served, named as in ``allowed``. They come before those.
    public var denied: Set<String> = []
    /// True if nothing new is taken: channels and subscribers stay, and none come.
    public var isDraining = false

    /// Serves everybody.
    public init() {}

    var policy: RelayPolicy {
        var policy = RelayPolicy()
        (policy.maximumChannels, policy.maximumMembers) = (maximumChannels, maximumMembers)
        (policy.allowed, policy.denied, policy.isDraining) = (allowed, denied, isDraining)
        return policy
    }
}
