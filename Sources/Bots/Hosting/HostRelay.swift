import ChatEngine
import ChatRules

/// The limits of a host that relays for channels: the channels, their subscribers, and the forwarded messages. The host relays if it has a profile for
/// that; by default, it serves everybody.
public struct HostRelay: Sendable, Hashable {
    /// The maximum number of channels; nil for any number.
    public var maximumChannels: Int?
    /// The maximum number of members of a channel, including owners and relays; nil for any number.
    public var maximumMembers: Int?
    /// Limits on forwarding for each channel.
    public var channelQuota = Quota()
    /// Limits on forwarding for all channels together. Channels use them in the order of arrival, so set ``channelQuota`` as well.
    public var totalQuota = Quota()
    /// The maximum number of messages of a channel that wait to be forwarded, because of quotas or a slow network; nil for any number. Further
    /// messages stay on the senders' routers, and then in their clients, until there is room: nothing is lost.
    public var maximumBacklog: Int? = 10_000
    /// The only channels or owners that are served: `publicGroupId` of channels and `memberPubKey` of owners, as the API shows them. Empty for all.
    public var allowed: Set<String> = []
    /// Channels and owners that are not served, named as in ``allowed``. This takes precedence over ``allowed``.
    public var denied: Set<String> = []
    /// True if the relay accepts no new channels and subscribers; present ones stay.
    public var isDraining = false

    /// Limits on forwarding by a relay. Messages above them are accepted and wait, in order, until the next minute or day begins; nothing is lost. A
    /// restart does not reset them.
    public struct Quota: Sendable, Hashable {
        /// The maximum of messages in a minute of the clock, including edits, deletions, reactions and comments; nil for any number.
        public var messagesPerMinute: Int?
        /// The maximum of bytes delivered to subscribers on a day in UTC: the size of posts times their receivers; nil for any number. A post
        /// whose delivery begins within the limit is delivered to all.
        public var bytesPerDay: Int64?

        /// Creates limits; nil for none.
        public init(messagesPerMinute: Int? = nil, bytesPerDay: Int64? = nil) {
            self.messagesPerMinute = messagesPerMinute
            self.bytesPerDay = bytesPerDay
        }

        var quota: RelayQuota { RelayQuota(messagesPerMinute: messagesPerMinute, bytesPerDay: bytesPerDay) }
    }

    /// Creates limits that serve everybody.
    public init() {}

    /// Converts a name of ``allowed`` or ``denied`` to the form that is compared; nil for a text that names neither a channel nor an owner.
    package static func comparable(_ name: String) -> String? { RelayPolicy.comparable(name) }

    var policy: RelayPolicy {
        var policy = RelayPolicy()
        (policy.maximumChannels, policy.maximumMembers, policy.maximumBacklog) = (maximumChannels, maximumMembers, maximumBacklog)
        (policy.allowed, policy.denied, policy.isDraining) = (allowed, denied, isDraining)
        (policy.channelQuota, policy.totalQuota) = (channelQuota.quota, totalQuota.quota)
        return policy
    }
}
