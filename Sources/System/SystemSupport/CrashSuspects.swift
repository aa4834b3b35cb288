/// The way in which a process ended that was processing something.
package enum ProcessEnd: Sendable, Hashable {
    /// A fault of the program ended it: a trap, an invalid address, an abort.
    case crash
    /// Something else ended it: somebody, the system that had no memory left, or a stack that was used up.
    case kill
}

/// Decides which events are quarantined because processes crash on them.
///
/// An item that was being processed when a process ended is suspect. A suspect is processed alone: it is cleared when that succeeds, and counted
/// again when the process ends again. What three processes have crashed on is in quarantine from then on. A process that was killed says less: the item
/// that comes first after a start is being processed whenever somebody kills a process twice in a row. Therefore it takes nine of those.
///
/// A value without I/O: its caller reports what happened, and it answers what to do.
package struct CrashSuspects: Sendable {
    /// The weight of all ends together from which on something is in quarantine.
    package static let quarantineWeight = 9

    /// The weight of one end.
    package static func weight(_ end: ProcessEnd) -> Int {
        switch end {
        case .crash: 3
        case .kill: 1
        }
    }

    /// A key whose weight has to be stored.
    package struct Count: Hashable, Sendable {
        package let key: InFlightKey
        package let weight: Int

        package init(key: InFlightKey, weight: Int) {
            self.key = key
            self.weight = weight
        }
    }

    private var weights: [InFlightKey: Int]

    /// - Parameter stored: what was counted before.
    package init(_ stored: [Count] = []) { weights = Dictionary(stored.map { ($0.key, $0.weight) }) { max($0, $1) } }

    /// A process has ended while these were being processed.
    ///
    /// - Returns: the counts that have to be stored.
    package mutating func processEnded(by end: ProcessEnd, with keys: [InFlightKey]) -> [Count] {
        Set(keys).map { key in
            let weight = min(weights[key] ?? 0, Self.quarantineWeight) + Self.weight(end)
            weights[key] = weight
            return Count(key: key, weight: weight)
        }
    }

    /// True if there is nothing to look for.
    package var isEmpty: Bool { weights.isEmpty }

    /// Checks whether something is to be processed alone.
    package func isSuspect(_ key: InFlightKey) -> Bool { weights[key].map { $0 < Self.quarantineWeight } ?? false }

    /// Checks whether something is not to be processed.
    package func isQuarantined(_ key: InFlightKey) -> Bool { weights[key].map { $0 >= Self.quarantineWeight } ?? false }

    /// The keys that are not to be processed.
    package var quarantined: [InFlightKey] { weights.filter { $0.value >= Self.quarantineWeight }.map(\.key) }

    /// Something was processed, or is in the store of what is set aside: it is nothing to look for any more.
    ///
    /// - Returns: true if there was a count, which has to be removed from where it is stored.
    package mutating func clear(_ key: InFlightKey) -> Bool { weights.removeValue(forKey: key) != nil }
}
