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

    private static func names(_ reader: NodeReader?) -> Set<String> { Set(reader?.listOrOne()?.compactMap { $0.nonEmptyString() } ?? []) }
}
