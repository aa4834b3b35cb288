/// Decides what is set aside because processes die of it.
///
/// An item that was being processed when a process died is suspect. A suspect is processed alone: it is cleared when that succeeds, and counted
/// again when the process dies again. What processes have died of three times is in quarantine from then on.
///
/// A value without I/O: it is told what happened and answers what to do.
package struct CrashSuspects: Sendable {
    /// Deaths after which something is in quarantine.
    package static let deathsToQuarantine = 3

    /// A key whose deaths have to be stored.
    package struct Count: Hashable, Sendable {
        package let key: InFlightKey
        package let deaths: Int

        package init(key: InFlightKey, deaths: Int) {
            self.key = key
            self.deaths = deaths
        }
    }

    private var deaths: [InFlightKey: Int]

    /// - Parameter stored: what was counted before.
    package init(_ stored: [Count] = []) { deaths = Dictionary(stored.map { ($0.key, $0.deaths) }) { max($0, $1) } }

    /// A process has died while these were being processed.
    ///
    /// - Returns: the counts that have to be stored.
    package mutating func processDied(with keys: [InFlightKey]) -> [Count] {
        Set(keys).map { key in
            let count = min(deaths[key] ?? 0, Self.deathsToQuarantine) + 1
            deaths[key] = count
            return Count(key: key, deaths: count)
        }
    }

    /// True if there is nothing to look for.
    package var isEmpty: Bool { deaths.isEmpty }

    /// Checks whether something is to be processed alone.
    package func isSuspect(_ key: InFlightKey) -> Bool { deaths[key].map { $0 < Self.deathsToQuarantine } ?? false }

    /// Checks whether something is not to be processed.
    package func isQuarantined(_ key: InFlightKey) -> Bool { deaths[key].map { $0 >= Self.deathsToQuarantine } ?? false }

    /// The keys that are not to be processed.
    package var quarantined: [InFlightKey] { deaths.filter { $0.value >= Self.deathsToQuarantine }.map(\.key) }

    /// Something was processed, or is in the store of what is set aside: it is nothing to look for any more.
    ///
    /// - Returns: true if there was a count, which has to be removed from where it is stored.
    package mutating func clear(_ key: InFlightKey) -> Bool { deaths.removeValue(forKey: key) != nil }
}
