/// The versions of a protocol that one side supports, both ends included.
///
/// Two sides speak the highest version in the intersection of their ranges.
public struct VersionRange: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    /// The lowest version.
    public let min: UInt16
    /// The highest version.
    public let max: UInt16

    /// - Returns: nil if `min` is above `max`.
    public init?(_ min: UInt16, _ max: UInt16) {
        guard min <= max else { return nil }
        self.min = min
        self.max = max
    }

    /// The range of a single version.
    public init(_ version: UInt16) {
        min = version
        max = version
    }

    /// The range between two versions.
    public init(_ range: ClosedRange<UInt16>) {
        min = range.lowerBound
        max = range.upperBound
    }

    /// Tells whether a version is in the range.
    public func contains(_ version: UInt16) -> Bool { min <= version && version <= max }

    /// The versions that both ranges hold.
    public func intersection(_ other: VersionRange) -> VersionRange? {
        VersionRange(Swift.max(min, other.min), Swift.min(max, other.max))
    }

    /// The highest version that both sides support, if there is one.
    public func compatibleVersion(with other: VersionRange) -> UInt16? { intersection(other)?.max }

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) {
        writer.write(min)
        writer.write(max)
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        guard let range = try VersionRange(parser.read(), parser.read()) else {
            throw WireError(.invalidValue, "a version range whose ends are in order", at: start)
        }
        self = range
    }

    /// `min-max`, or the version alone when both ends are the same.
    public func encodeString(to writer: inout WireWriter) {
        writer.write(string: min)
        guard max != min else { return }
        writer.write(byte: UInt8(ascii: "-"))
        writer.write(string: max)
    }

    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        let min = try parser.read(string: UInt16.self)
        let max = parser.skip(UInt8(ascii: "-")) ? try parser.read(string: UInt16.self) : min
        guard let range = VersionRange(min, max) else {
            throw WireError(.invalidValue, "a version range whose ends are in order", at: start)
        }
        self = range
    }

    /// A textual form, for messages and logs.
    public var description: String { wireString }
}
