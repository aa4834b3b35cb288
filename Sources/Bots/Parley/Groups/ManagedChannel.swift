/// A channel that a bot makes at its start if it is not there, and keeps as it is described.
///
/// Relays forward the posts of a channel: other profiles, on other machines or in this process. Its link stays the
/// same. When the relays that are named change, the channel is brought to the new ones at the next start.
public struct ManagedChannel: Sendable, Hashable {
    /// A relay of a channel.
    public enum Relay: Sendable, Hashable {
        /// A relay by its address.
        case address(String)
        /// The bot of that ``Bot/id`` in this process, whose ``Bot/isRelay`` is true.
        case bot(String)
    }

    /// The id under which the channel is found again at the next start. Keep it when the name changes.
    public let id: String
    /// The settings that the channel is kept at.
    public var settings: GroupSettings
    /// The relays; at least one.
    public var relays: [Relay]

    /// Creates the description of a channel.
    public init(_ id: String, _ settings: GroupSettings, relays: [Relay]) {
        self.id = id
        self.settings = settings
        self.relays = relays
    }

    /// The description as one of a group, for what both have in common.
    var group: ManagedGroup { ManagedGroup(id, settings, linkRole: nil) }

    /// The name under which the store has the channel.
    var storeName: String { Self.storeName(of: id) }

    /// The name under which the store has the channel of an id.
    static func storeName(of id: String) -> String { "channel " + id }
}
