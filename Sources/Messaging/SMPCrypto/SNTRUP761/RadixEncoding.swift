import SMPWire

/// The encoding of numbers below a modulus in as few bytes as possible (draft-josefsson-ntruprime-streamlined §4.3).
///
/// Neighbours are merged into one number of a modulus that is the product of theirs, whose low bytes are put out as soon as what
/// is left exceeds 14 bits, and so on with the merged ones. The plan of merges depends on the modulus and the count alone.
struct RadixEncoding: Sendable {
    /// One round of merges.
    private struct Level: Sendable {
        /// The number of numbers to encode.
        let count: Int
        /// The modulus of all of them but the last.
        let modulus: UInt32
        let lastModulus: UInt32
        /// Bytes that each merge puts out, and the last one if it merges with the last number.
        let bytes: Int
        let lastBytes: Int
    }

    private let levels: [Level]
    /// The modulus of the number that all are merged into, and its bytes.
    private let finalModulus: UInt32
    private let finalBytes: Int
    /// Bytes of an encoding.
    let size: Int

    /// Polynomials modulo 4591.
    static let ring = RadixEncoding(modulus: 4591, count: Parameters.degree)
    /// Rounded polynomials, whose coefficients are multiples of 3.
    static let rounded = RadixEncoding(modulus: 1531, count: Parameters.degree)

    init(modulus: UInt32, count: Int) {
        var levels: [Level] = []
        var modulus = modulus
        var last = modulus
        var count = count
        var size = 0
        while count > 1 {
            let (bytes, next) = Self.limbs(modulus * modulus)
            let (lastBytes, lastNext) = count % 2 == 0 ? Self.limbs(modulus * last) : (0, last)
            levels.append(
                Level(count: count, modulus: modulus, lastModulus: last, bytes: bytes, lastBytes: count % 2 == 0 ? lastBytes : bytes))
            size += (count - 1) / 2 * bytes + (count % 2 == 0 ? lastBytes : 0)
            count = (count + 1) / 2
            modulus = next
            last = lastNext
        }
        self.levels = levels
        finalModulus = last
        finalBytes = last > 256 ? 2 : 1
        self.size = size + finalBytes
    }

    /// The number of bytes that a number below `modulus` gives, and the modulus of the rest.
    private static func limbs(_ modulus: UInt32) -> (Int, UInt32) {
        var bytes = 0
        var rest = modulus
        while rest >= 16_384 {
            bytes += 1
            rest = (rest + 255) >> 8
        }
        return (bytes, rest)
    }

    /// Encodes ``Parameters/degree`` numbers below the modulus; what they held is lost.
    func encode(_ numbers: UnsafeMutablePointer<UInt32>, into output: UnsafeMutablePointer<UInt8>) {
        var next = output
        for level in levels {
            let modulus = level.modulus
            var index = 0
            var merged = 0
            while index &+ 1 < level.count {
                let isLast = index &+ 2 >= level.count
                var number = numbers[index] &+ numbers[index &+ 1] &* modulus
                var bytes = isLast ? level.lastBytes : level.bytes
                while bytes > 0 {
                    next[0] = UInt8(truncatingIfNeeded: number)
                    next += 1
                    number >>= 8
                    bytes &-= 1
                }
                numbers[merged] = number
                merged &+= 1
                index &+= 2
            }
            if index < level.count { numbers[merged] = numbers[index] }
        }
        next[0] = UInt8(truncatingIfNeeded: numbers[0])
        if finalBytes == 2 { next[1] = UInt8(truncatingIfNeeded: numbers[0] >> 8) }
    }

    /// Decodes ``size`` bytes. Bytes that no encoding gives are decoded to some numbers below the modulus.
    func decode(_ input: UnsafePointer<UInt8>, into numbers: UnsafeMutablePointer<UInt32>) {
        var end = input + size - finalBytes
        let final = UInt32(end[0]) | (finalBytes == 2 ? UInt32(end[1]) << 8 : 0)
        numbers[0] = final % finalModulus
        for level in levels.reversed() {
            // From the last merge to the first, so that numbers can be spread out where they are.
            let modulus = Divisor(level.modulus)
            var index = (level.count &- 1) & ~1
            if level.count % 2 == 1 {
                numbers[index] = numbers[index / 2]
            } else {
                let last = Divisor(level.lastModulus)
                Self.take(level.lastBytes, from: &end, with: numbers[index / 2], modulus, last, into: numbers + index)
            }
            while index > 0 {
                index &-= 2
                Self.take(level.bytes, from: &end, with: numbers[index / 2], modulus, modulus, into: numbers + index)
            }
        }
    }

    /// Undoes one merge.
    @inline(__always)
    private static func take(
        _ bytes: Int, from end: inout UnsafePointer<UInt8>, with rest: UInt32, _ low: Divisor, _ high: Divisor,
        into numbers: UnsafeMutablePointer<UInt32>
    ) {
        var number = rest
        var left = bytes
        while left > 0 {
            end -= 1
            number = number &<< 8 | UInt32(end[0])
            left &-= 1
        }
        let (quotient, remainder) = low.divide(number)
        numbers[0] = remainder
        numbers[1] = high.divide(quotient).remainder
    }

    /// Division by a public number in time that does not depend on the secret one.
    private struct Divisor {
        let value: UInt32
        let reciprocal: UInt64

        init(_ value: UInt32) {
            self.value = value
            reciprocal = (1 << 32) / UInt64(value)
        }

        @inline(__always)
        func divide(_ number: UInt32) -> (quotient: UInt32, remainder: UInt32) {
            // The estimate is at most one too small.
            let estimate = UInt32(truncatingIfNeeded: (UInt64(number) &* reciprocal) &>> 32)
            let rest = number &- estimate &* value
            let isSmaller = UInt32(truncatingIfNeeded: (Int64(rest) &- Int64(value)) &>> 63)
            let correction = ~isSmaller & 1
            return (estimate &+ correction, rest &- (value & (0 &- correction)))
        }
    }
}

/// Polynomials with the coefficients -1, 0 and 1, four to a byte.
enum SmallEncoding {
    static func encode(_ coefficients: UnsafePointer<Int16>, into output: UnsafeMutablePointer<UInt8>) {
        var index = 0
        while index < Parameters.smallSize {
            var byte: UInt8 = 0
            var place = 0
            while place < 4 && 4 &* index &+ place < Parameters.degree {
                let digit = UInt8(truncatingIfNeeded: coefficients[4 &* index &+ place] &+ 1)
                byte |= digit &<< UInt8(truncatingIfNeeded: 2 &* place)
                place &+= 1
            }
            output[index] = byte
            index &+= 1
        }
    }

    static func decode(_ input: UnsafePointer<UInt8>, into coefficients: UnsafeMutablePointer<Int16>) {
        var index = 0
        while index < Parameters.degree {
            let digit = (input[index &>> 2] &>> UInt8(truncatingIfNeeded: 2 &* (index & 3))) & 3
            coefficients[index] = Int16(digit) &- 1
            index &+= 1
        }
    }
}
