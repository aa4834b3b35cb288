/// The name of something that is being processed, which is the same in the next process.
public struct InFlightKey: Hashable, Sendable {
    /// Bytes of a name at the most.
    public static let longest = 63

    /// The name: 1 to ``longest`` bytes.
    public let bytes: [UInt8]

    /// Nil for a name that is empty or too long.
    public init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
        self.bytes = bytes
    }
}
