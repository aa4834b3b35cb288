/// The name of something that is being processed, which is the same in the next process.
package struct InFlightKey: Hashable, Sendable {
    /// Bytes of a name at the most.
    package static let longest = 63

    /// The name: 1 to ``longest`` bytes.
    package let bytes: [UInt8]

    /// Nil for a name that is empty or too long.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
        self.bytes = bytes
    }
}
