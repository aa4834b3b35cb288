/// The name of an item that is being processed, which is the same in the next process.
package struct InFlightKey: Hashable, Sendable {
    /// The maximum length of a name in bytes.
    package static let longest = 63

    /// The name: 1 to ``longest`` bytes.
    package let bytes: [UInt8]

    /// Creates a key; nil for a name that is empty or too long.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
        self.bytes = bytes
    }
}
