import ChatAPI
package import ChatProtocol
package import SMPCrypto
import SMPWire

/// The channels that a relay serves, and how many subscribers it takes. By default it serves everybody.
package struct RelayPolicy: Sendable, Hashable {
    /// The channels that are served at a time; nil for any number.
    package var maximumChannels: Int?
    /// The members of a channel, with its owners and relays; nil for any number.
    package var maximumMembers: Int?
    /// Limits on forwarding for each channel.
    package var channelQuota = RelayQuota()
    /// Limits on forwarding for all channels together.
    package var totalQuota = RelayQuota()
    /// The messages of a channel that may wait to be passed on; nil for any number. Senders of more wait.
    package var maximumBacklog: Int? = 10_000
    /// The only channels or owners that are served: the identifiers of channels, and the public keys of owners, as the API shows both. Empty for all.
    package var allowed: Set<String> = []
    /// Channels and owners that are not served, named as in ``allowed``. They come before those.
    package var denied: Set<String> = []
    /// True if nothing new is taken: channels and subscribers stay, and none come.
    package var isDraining = false

    /// Serves everybody.
    package init() {}
}

/// Why a relay does not serve a channel, or take a subscriber.
package enum RelayRefusal: String, Hashable, Sendable {
    case draining = "relay is being drained"
    case full = "relay is full"
    case denied = "channel or owner is denied"
    case notAllowed = "channel or owner is not allowed"
    case declined = "the relay's program declined"
    case left = "the relay has left the channel"

    /// The reason in the answer to an owner.
    package var reason: RelayRejectionReason {
        switch self {
        case .draining: .unknown("draining")
        case .full: .unknown("full")
        case .denied: .unknown("denied")
        case .notAllowed: .unknown("not_allowed")
        case .declined: .unknown("declined")
        case .left: .rejoinRejected
        }
    }
}

extension RelayPolicy {
    /// The form in which a name of ``allowed`` and ``denied`` is compared; nil for a text that names neither a channel nor an owner.
    package static func comparable(_ name: String) -> String? {
        guard let bytes = Base64URL.decode(name) else { return nil }
        if bytes.count == 32 { return Base64URL.encode(bytes) }
        return (try? Ed25519.PublicKey(spki: bytes))?.wireString
    }

    /// True if anything is limited that is passed on.
    package var hasQuota: Bool { channelQuota != RelayQuota() || totalQuota != RelayQuota() }

    /// The policy while an operator has the relay drained.
    package func drained(_ isDrained: Bool) -> RelayPolicy {
        var policy = self
        policy.isDraining = isDraining || isDrained
        return policy
    }

    /// Decides about an invitation to relay.
    ///
    /// - Parameters:
    ///   - channel: The identifier of the channel.
    ///   - owners: The keys of its owners.
    ///   - served: The channels that are served already.
    /// - Returns: nil to accept it.
    package func refusal(channel: String, owners: [Ed25519.PublicKey], served: Int) -> RelayRefusal? {
        let names = Set([channel] + owners.map(\.wireString))
        if !denied.isDisjoint(with: names) { return .denied }
        if !allowed.isEmpty, allowed.isDisjoint(with: names) { return .notAllowed }
        if isDraining { return .draining }
        if let maximumChannels, served >= maximumChannels { return .full }
        return nil
    }

    /// Decides about a subscriber.
    ///
    /// - Parameter members: The members of the channel, without the new one.
    /// - Returns: nil to take it.
    package func refusal(members: Int) -> RelayRefusal? {
        if isDraining { return .draining }
        if let maximumMembers, members >= maximumMembers { return .full }
        return nil
    }
}
