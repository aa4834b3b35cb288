import SMPWire
import TestSupport

/// Changes inputs as faults and attackers do: bits and pieces, and numbers, which chance alone hardly ever brings to an end.
struct Mutator {
    private var random: SplitMix64
    private let maximumLength: Int

    init(seed: UInt64, maximumLength: Int) {
        random = SplitMix64(seed: seed)
        self.maximumLength = maximumLength
    }

    /// A number below `bound`; 0 if that is not positive.
    mutating func number(below bound: Int) -> Int { bound > 0 ? Int.random(in: 0..<bound, using: &random) : 0 }

    /// An input changed in one to four places.
    ///
    /// - Parameter other: an input of which pieces may be taken.
    mutating func mutate(_ input: Bytes, with other: Bytes) -> Bytes {
        var bytes = input
        for _ in 0...number(below: 4) { step(&bytes, other) }
        return Bytes(bytes.prefix(maximumLength))
    }

    private mutating func step(_ bytes: inout Bytes, _ other: Bytes) {
        switch number(below: 9) {
        case 0, 1, 2: replaceNumber(&bytes)
        case 3, 4: overwrite(&bytes)
        case 5: if !bytes.isEmpty { bytes[number(below: bytes.count)] ^= 1 << number(below: 8) }
        case 6: bytes.removeSubrange(range(in: bytes))
        case 7: bytes.insert(contentsOf: bytes[range(in: bytes)], at: number(below: bytes.count + 1))
        default: bytes.replaceSubrange(range(in: bytes), with: other[range(in: other)])
        }
    }

    private mutating func range(in bytes: Bytes) -> Range<Int> {
        let start = number(below: bytes.count + 1)
        return start..<start + number(below: min(bytes.count - start, 64) + 1)
    }

    /// Puts an extreme number in the place of one in a text, or somewhere if there is none.
    private mutating func replaceNumber(_ bytes: inout Bytes) {
        let text = ExtremeNumbers.texts[number(below: ExtremeNumbers.texts.count)].utf8
        let ranges = ExtremeNumbers.ranges(in: bytes)
        let place = number(below: bytes.count + 1)
        bytes.replaceSubrange(ranges.isEmpty ? place..<place : ranges[number(below: ranges.count)], with: text)
    }

    /// Puts an extreme number of 1, 2, 4 or 8 bytes, big-endian, over what is there.
    private mutating func overwrite(_ bytes: inout Bytes) {
        let width = 1 << number(below: 4)
        guard bytes.count >= width else { return }
        let extremes: [UInt64] = [0, 1, .max, .max - 1, 1 << (UInt64(width) * 8 - 1), (1 << (UInt64(width) * 8 - 1)) - 1, UInt64(bytes.count)]
        let value = extremes[number(below: extremes.count)]
        let place = number(below: bytes.count - width + 1)
        for index in 0..<width { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(width - 1 - index))) }
    }
}
