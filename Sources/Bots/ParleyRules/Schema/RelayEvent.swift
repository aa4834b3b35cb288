internal import ChatAPI

/// Something that happens to a relay of a channel.
public enum RelayEvent: String, Sendable, Hashable, CaseIterable {
    /// Subscribers can come by the relay.
    case active
    /// The relay does not serve the channel.
    case refused
    /// The relay has left the channel, or no longer serves it.
    case left

    /// The words for changes.
    static let words: KeyValuePairs<String, [RelayEvent]> = ["active": [.active], "refused": [.refused], "left": [.left], "any": RelayEvent.allCases]

    /// The event of a state; nil for one on the way to another.
    init?(_ status: RelayStatus) {
        switch status {
        case .active: self = .active
        case .rejected: self = .refused
        case .inactive: self = .left
        default: return nil
        }
    }

    /// Reads one or more words.
    static func read(_ reader: NodeReader) -> Set<RelayEvent>? {
        (reader.listOrOne()?.compactMap { $0.word(of: words) }).map { Set($0.joined()) }
    }
}
