internal import Parley

/// Reads `relay:` of a profile: true, or the limits within which it relays.
enum RelaySpec {
    static let numbers = 1...1_000_000_000

    /// - Returns: nil for a profile that does not relay.
    static func read(_ reader: NodeReader) -> HostRelay? {
        guard reader.keys != nil else { return reader.bool() == true ? HostRelay() : nil }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.relay)
        var relay = HostRelay()
        relay.maximumChannels = mapping.value("channels")?.integer(in: numbers)
        relay.maximumMembers = mapping.value("members")?.integer(in: numbers)
        if let backlog = mapping.value("backlog")?.integer(in: numbers) { relay.maximumBacklog = backlog }
        relay.channelQuota = quota(mapping)
        if let total = mapping.value("total")?.mapping() {
            total.refuseKeys(otherThan: Schemas.relayTotal)
            relay.totalQuota = quota(total)
        }
        relay.allowed = names(mapping.value("allow"))
        relay.denied = names(mapping.value("deny"))
        if let both = relay.allowed.intersection(relay.denied).min() {
            mapping.value("allow")?.warn(.unreachable, "\"\(both.cut)\" is not served: it is in \"deny\", too", hint: "remove it from one of them")
        }
        relay.isDraining = mapping.value("drain")?.bool() ?? false
        return relay
    }

    private static func quota(_ mapping: MappingReader) -> HostRelay.Quota {
        HostRelay.Quota(
            messagesPerMinute: mapping.value("messages-per-minute")?.integer(in: numbers), bytesPerDay: mapping.value("bytes-per-day").flatMap(bytes))
    }

    private static func bytes(_ reader: NodeReader) -> Int64? {
        guard let size = FileCondition.size(reader) else { return nil }
        if size > 0 { return size }
        reader.report(.badValue, "\(reader.path) must be more than 0 bytes", hint: "leave it out for no limit")
        return nil
    }

    private static func names(_ reader: NodeReader?) -> Set<String> {
        Set(
            reader?.listOrOne()?.compactMap { item -> String? in
                guard let text = item.nonEmptyString() else { return nil }
                if let name = HostRelay.comparable(String(text.trimmed)) { return name }
                item.report(
                    .badValue, "\"\(text.cut)\" is neither the publicGroupId of a channel nor the memberPubKey of an owner",
                    hint: "\"parley relay status --json\" shows the publicGroupId of each channel that is served: 44 characters such as 4nQr…8Ws=")
                return nil
            } ?? [])
    }
}
