internal import ChatAPI
internal import Parley

// Names under which something is sent, and names that give rights: anybody can connect under a name, so somebody has to vouch for it.

extension ProfileSpec {
    /// A name that the profile vouches for.
    private struct Vouched {
        let name: String
        let kind: ChatType
        /// The key in the file; nil for a person.
        var key: String?
        var isChannel = false
    }

    private var vouched: [Vouched] {
        trustedContacts.map { Vouched(name: $0, kind: .direct) } + joinedGroups.map { Vouched(name: $0, kind: .group) }
            + groups.map { Vouched(name: $0.settings.name, kind: .group, key: $0.id) }
            + channels.map { Vouched(name: $0.settings.name, kind: .group, key: $0.id, isChannel: true) }
    }

    /// Refuses names that the profile does not vouch for.
    func refuseUnknownChats(_ reader: NodeReader, _ uses: ArraySlice<NameUse>) {
        for use in uses where use.kind == .chat || use.kind == .channel { refuse(use, in: reader) }
    }

    /// Refuses a name under which something is sent, unless the profile vouches for it: by a declaration, or a link for one person.
    func refuse(_ use: NameUse, in reader: NodeReader) {
        let known = vouched.filter { $0.isChannel || use.kind != .channel }
        let wanted = ChatName(use.name)
        guard !known.contains(where: { $0.name == wanted.name && (wanted.kind ?? $0.kind) == $0.kind }) else { return }
        let owner = use.profile.map { "profile \"\($0.cut)\"" } ?? "the profile"
        let reason =
            use.kind == .channel ? "\(owner) declares no channel \"\(use.name.cut)\"" : "\(owner) knows nothing for certain under the name \"\(use.name.cut)\""
        let fix =
            use.kind == .channel
            ? "declare it: channels: { \(use.name.cut): { relays: … } }"
            : "anybody can connect under that name: declare the group or channel under groups or channels, or name the person in trusted-contacts"
        reader.report(.unknownChat, reason, hint: Self.meant(use.name, among: known).map { "did you mean \"\($0.cut)\"?" } ?? fix, at: use.position)
    }

    /// Refuses names that give rights, unless they are names of trusted contacts: the first person who connects under a display name has it.
    func refuseUntrustedNames(_ reader: NodeReader, _ uses: ArraySlice<NameUse>) {
        for use in uses where use.kind == .person && !trustedContacts.contains(use.name) {
            let limit = max(1, use.name.count / 4)
            let meant = trustedContacts.first {
                $0.lowercased() == use.name.lowercased() || use.name.count > 3 && Spelling.distance($0, use.name) <= limit
            }
            let fix =
                "add the name to trusted-contacts of the profile, and give the person the link that the next start prints; or compare display names by name:"
            reader.report(
                .uncertainName, "\"\(use.name.cut)\" is not a trusted contact, and anybody can take the name",
                hint: meant.map { "did you mean \"\($0.cut)\"?" } ?? fix, at: use.position)
        }
    }

    /// The name that was probably meant: that of the chat with the key, or a similar name.
    private static func meant(_ text: String, among known: [Vouched]) -> String? {
        let name = ChatName(text).name, limit = max(1, name.count / 4)
        return known.first { $0.key == name || $0.name.lowercased() == name.lowercased() }?.name
            ?? known.first { name.count > 3 && Spelling.distance(name, $0.name) <= limit }?.name
    }
}
