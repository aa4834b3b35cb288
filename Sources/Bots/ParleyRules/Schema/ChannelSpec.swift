internal import ChatAPI
internal import Parley

/// Reads `channels:` of a profile: the channels that its bot keeps.
enum ChannelSpec {
    /// Relays of a channel at the most.
    private static let largestNumberOfRelays = 10

    static func read(_ reader: NodeReader) -> [ManagedChannel] {
        guard let mapping = reader.mapping() else { return [] }
        if mapping.all.isEmpty { reader.report(.badValue, "\(reader.path) must not be empty") }
        return mapping.all.compactMap { entry in
            guard let channel = entry.value.mapping() else { return nil }
            channel.refuseKeys(otherThan: Schemas.channel)
            let relays = channel.required("relays", hint: "name the relays: their addresses, or the key of a profile with \"relay: true\"")
                .flatMap { Self.relays($0) }
            guard let settings = GroupSpec.settings(entry.key, at: entry.position, channel), let relays else { return nil }
            return ManagedChannel(entry.key, settings, relays: relays)
        }
    }

    private static func relays(_ reader: NodeReader) -> [ManagedChannel.Relay]? {
        guard let items = reader.listOrOne() else { return nil }
        if items.count > largestNumberOfRelays { reader.report(.badValue, "\(items.count) relays are more than \(largestNumberOfRelays)") }
        var known: Set<String> = []
        return items.compactMap { item in
            guard let text = item.nonEmptyString() else { return nil }
            guard known.insert(text).inserted else {
                item.report(.badValue, "the relay \"\(text.cut)\" is there twice", hint: "remove one")
                return nil
            }
            guard !text.contains(":"), !text.contains("/") else { return address(text, item) }
            return item.name(of: .relay).map { .bot($0) }
        }
    }

    private static func address(_ text: String, _ item: NodeReader) -> ManagedChannel.Relay? {
        guard ServerCommand.isRelayAddress(text) else {
            item.report(
                .badValue, "\"\(text.cut)\" is not the address of a relay",
                hint: "an address is a link such as https://relay.example.org/r#KEY, as its operator shows it; the key of a profile has no \":\"")
            return nil
        }
        // The letter of a link shows the kind of its target.
        if let kind = linkKinds.first(where: { text.contains("/\($0.key)#") })?.value {
            item.report(.badValue, "\"\(text.cut)\" is \(kind), not the address of a relay", hint: "the address of a relay has /r# in it")
            return nil
        }
        return .address(text)
    }

    private static let linkKinds: KeyValuePairs<String, String> = [
        "i": "an invitation of one person", "a": "the address of a person", "g": "the link of a group", "c": "the link of a channel",
    ]
}

extension BotsFile {
    /// Refuses relays of channels that are no profiles of the file, and more than one relay.
    static func checkRelays(_ profiles: [ProfileSpec], in mapping: MappingReader) {
        let relays = profiles.filter(\.isRelay).map(\.id)
        if relays.count > 1 {
            mapping.reader.report(
                .badValue, "profiles \"\(relays[0].cut)\" and \"\(relays[1].cut)\" are relays, and a process can have one", at: mapping.keyPosition(relays[1]))
        }
        for use in mapping.reader.sink.uses where use.kind == .relay && !relays.contains(use.name) {
            mapping.reader.report(
                .badValue, "a channel names the relay \"\(use.name.cut)\", and no profile of that key has \"relay: true\"",
                hint: relays.isEmpty ? "an address begins with https: or simplex:" : Spelling.hint(for: use.name, among: relays), at: use.position)
        }
    }
}
