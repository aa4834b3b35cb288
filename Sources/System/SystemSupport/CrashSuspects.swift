/// The way in which a process ended while it was processing something.
package enum ProcessEnd: Sendable, Hashable {
    /// A fault of the program ended it: a trap, an invalid address, an abort.
    case crash
    /// Something else ended it: a person, the system for lack of memory, or an exhausted stack.
    case kill
}

/// The decision which events are quarantined because processes crash on them.
///
/// An item that was being processed when a process ended is suspect. A suspect is processed alone: it is cleared when that succeeds, and counted
/// again when the process ends again. An item on which three processes have crashed is quarantined. A kill is weaker evidence: the first item after
/// a start is being processed whenever somebody kills a process twice in a row. Therefore it takes nine kills.
///
/// A value without I/O: its caller reports events, and asks it for decisions.
package struct CrashSuspects: Sendable {
    /// The total weight from which an item is quarantined.
    package static let quarantineWeight = 9

    /// Returns the weight of one end.
    package static func weight(_ end: ProcessEnd) -> Int {
        switch end {
        case .crash: 3
        case .kill: 1
        }
    }

    /// A key with its weight, to be stored.
    package struct Count: Hashable, Sendable {
        package let key: InFlightKey
        package let weight: Int

        package init(key: InFlightKey, weight: Int) {
            self.key = key
            self.weight = weight
        }
    }

    private var weights: [InFlightKey: Int]

    /// - Parameter stored: the stored counts.
    package init(_ stored: [Count] = []) { weights = Dictionary(stored.map { ($0.key, $0.weight) }) { max($0, $1) } }

    /// Counts the end of a process while these items were being processed.
    ///
    /// - Returns: the counts to store.
    package mutating func processEnded(by end: ProcessEnd, with keys: [InFlightKey]) -> [Count] {
        Set(keys).map { key in
            let weight = min(weights[key] ?? 0, Self.quarantineWeight) + Self.weight(end)
            weights[key] = weight
            return Count(key: key, weight: weight)
        }
    }

    /// True if there are no suspect or quarantined items.
    package var isEmpty: Bool { weights.isEmpty }

    /// Checks whether an item must be processed alone.
    package func isSuspect(_ key: InFlightKey) -> Bool { weights[key].map { $0 < Self.quarantineWeight } ?? false }

    /// Checks whether an item is quarantined, and must not be processed.
    package func isQuarantined(_ key: InFlightKey) -> Bool { weights[key].map { $0 >= Self.quarantineWeight } ?? false }

    /// The keys of quarantined items.
    package var quarantined: [InFlightKey] { weights.filter { $0.value >= Self.quarantineWeight }.map(\.key) }

    /// Clears an item that was processed, or is stored in the quarantine.
    ///
    /// - Returns: true if there was a count, whose stored copy must be removed.
    package mutating func clear(_ key: InFlightKey) -> Bool { weights.removeValue(forKey: key) != nil }
}
