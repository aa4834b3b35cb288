/// An ability that clients tell each other of by name, because no version of the chat protocol stands for it.
///
/// Official clients up to 7.0 ignore the member `caps` of a message. Parley sends it in the first messages of connections with the relays of a channel.
public enum ChatCapability: String, Hashable, Sendable, CaseIterable {
    /// Comments on the posts of channels: `parent` in `x.msg.new`, `prefs` in `x.msg.update`, the role `commenter`.
    case comments

    /// The abilities in a list of names. Names of newer clients, and values of other forms, are passed over.
    static func known(in value: JSONValue?) -> Set<ChatCapability> {
        guard case .array(let names)? = value else { return [] }
        return Set(names.prefix(limit).compactMap { $0.stringValue.flatMap(ChatCapability.init(rawValue:)) })
    }

    /// Names that are read at most.
    private static let limit = 32
}
