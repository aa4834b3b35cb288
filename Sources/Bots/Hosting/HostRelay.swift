import ChatEngine
import ChatRules

/// The channels that a host relays for, how many subscribers it takes and how much it passes on. It relays if a profile is made for that; by default it
/// serves everybody.
public struct HostRelay: Sendable, Hashable {
    /// The channels that are served at a time; nil for any number.
    public var maximumChannels: Int?
    /// The members of a channel, with its owners and relays; nil for any number.
    public var maximumMembers: Int?
    /// Limits on forwarding for each channel.
    public var channelQuota = Quota()
    /// Limits on forwarding for all channels together. The channels share them in the order of arrival: give each a limit of its own as well.
    public var totalQuota = Quota()
    /// The messages of a channel that may wait to be passed on, as quotas or a slow network have them wait; nil for any number. What senders write
    /// beyond that is kept by their routers, and then by their clients, until there is room: nothing is lost.
    public var maximumBacklog: Int? = 10_000
    /// The only channels or owners that are served: `publicGroupId` of channels and `memberPubKey` of owners, as the API shows them. Empty for all.
    public var allowed: Set<String> = []
    /// Channels and owners that are not served, named as in ``allowed``. They come before those.
    public var denied: Set<String> = []
    /// True if nothing new is taken: channels and subscribers stay, and none come.
    public var isDraining = false

    /// Limits on forwarding by a relay. Messages above them are accepted and wait, in order, until the next minute or day begins; nothing is lost. A
    /// restart does not reset them.
    public struct Quota: Sendable, Hashable {
        /// Messages of a minute, with edits, deletions, reactions and comments; nil for any number. Minutes are those of the clock.
        public var messagesPerMinute: Int?
        /// Bytes given to subscribers on a day in UTC: the size of posts times their receivers; nil for any number. A post whose delivery begins
        /// within the limit is delivered to all.
        public var bytesPerDay: Int64?

        /// Limits; nil for none.
        public init(messagesPerMinute: Int? = nil, bytesPerDay: Int64? = nil) {
            self.messagesPerMinute = messagesPerMinute
            self.bytesPerDay = bytesPerDay
        }

        var quota: RelayQuota { RelayQuota(messagesPerMinute: messagesPerMinute, bytesPerDay: bytesPerDay) }
    }

    /// Serves everybody.
    public init() {}

    /// The form in which a name of ``allowed`` and ``denied`` is compared; nil for a text that names neither a channel nor an owner.
    package static func comparable(_ name: String) -> String? { RelayPolicy.comparable(name) }

    var policy: RelayPolicy {
        var policy = RelayPolicy()
        (policy.maximumChannels, policy.maximumMembers, policy.maximumBacklog) = (maximumChannels, maximumMembers, maximumBacklog)
        (policy.allowed, policy.denied, policy.isDraining) = (allowed, denied, isDraining)
        (policy.channelQuota, policy.totalQuota) = (channelQuota.quota, totalQuota.quota)
        return policy
    }
}
