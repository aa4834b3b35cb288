import SMPWire

/// Random polynomials, made of 32-bit little-endian random words.
enum ShortPolynomials {
    /// Random bytes that one polynomial takes.
    static let randomSize = 4 * Parameters.degree

    /// Coefficients -1, 0 and 1, each with nearly a third of the chance.
    static func makeSmall(_ random: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<Int16>) {
        var index = 0
        while index < Parameters.degree {
            let word = UInt32(littleEndian: random.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
            output[index] = Int16(truncatingIfNeeded: ((word & 0x3fff_ffff) &* 3) &>> 30) &- 1
            index &+= 1
        }
    }

    /// Coefficients of which ``Parameters/weight`` are -1 or 1 and the others 0: sorting random words that carry them in their two
    /// lowest bits shuffles them.
    static func makeShort(_ random: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<Int16>) {
        let words = Scratch<Int32>(ConstantTimeSort.count)
        var index = 0
        while index < Parameters.degree {
            let word = UInt32(littleEndian: random.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
            let tagged = index < Parameters.weight ? word & ~1 : word & ~3 | 1
            words.base[index] = Int32(bitPattern: tagged ^ 0x8000_0000)
            index &+= 1
        }
        while index < ConstantTimeSort.count {
            words.base[index] = .max
            index &+= 1
        }
        ConstantTimeSort.sort(words.base)
        index = 0
        while index < Parameters.degree {
            let word = words.base[ConstantTimeSort.position(index)]
            output[index] = Int16(truncatingIfNeeded: word & 3) &- 1
            index &+= 1
        }
    }
}
