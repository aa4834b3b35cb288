package import ChatRules
import ChatStore
import GRDB

extension NativeCore {
    /// The maximum number of channels that ``relayStatistics()`` lists.
    package static let listedRelayChannels = 50

    /// Statistics of the profile that relays for others; nil without one.
    package func relayStatistics() async throws -> RelayStatistics? {
        try await engine.store.read { db in
            guard try db.users.relayUser() != nil else { return nil }
            return try db.relayUsage.statistics(limit: Self.listedRelayChannels)
        }
    }

    /// Begins or ends the draining of the relay: while it is drained, it takes no new channels and subscribers, also after a restart.
    ///
    /// - Returns: False if no profile relays.
    package func setRelayDrained(_ isDrained: Bool) async throws -> Bool {
        try await engine.store.write(isPersistent: true) { db in
            guard try db.users.relayUser() != nil else { return false }
            try db.relayUsage.setDrained(isDrained)
            return true
        }
    }
}
