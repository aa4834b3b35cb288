import SMPWire

/// Polynomials modulo 4591: public keys.
enum RingEncoding {
    static func encode(_ coefficients: UnsafePointer<Int16>) -> Bytes {
        let numbers = Scratch<UInt32>(Parameters.room)
        var index = 0
        while index < Parameters.degree {
            numbers.base[index] = UInt32(truncatingIfNeeded: coefficients[index] &+ RingModulus.half)
            index &+= 1
        }
        return Bytes(count: RadixEncoding.ring.size) { RadixEncoding.ring.encode(numbers.base, into: $0) }
    }

    static func decode(_ bytes: Bytes, into coefficients: UnsafeMutablePointer<Int16>) {
        let numbers = Scratch<UInt32>(Parameters.room)
        RadixEncoding.ring.decode(bytes, into: numbers.base)
        var index = 0
        while index < Parameters.degree {
            coefficients[index] = Int16(truncatingIfNeeded: numbers.base[index]) &- RingModulus.half
            index &+= 1
        }
    }
}

/// Polynomials whose coefficients are multiples of 3: ciphertexts.
enum RoundedEncoding {
    /// Rounds canonical coefficients to the nearest multiples of 3 and encodes them.
    static func encode(_ coefficients: UnsafePointer<Int16>) -> Bytes {
        let numbers = Scratch<UInt32>(Parameters.room)
        var index = 0
        while index < Parameters.degree {
            numbers.base[index] = UInt32(truncatingIfNeeded: thirdRounded(coefficients[index]) &+ RingModulus.half / 3)
            index &+= 1
        }
        return Bytes(count: RadixEncoding.rounded.size) { RadixEncoding.rounded.encode(numbers.base, into: $0) }
    }

    /// Reads the first ``Parameters/roundedSize`` bytes.
    static func decode(_ bytes: Bytes, into coefficients: UnsafeMutablePointer<Int16>) {
        let numbers = Scratch<UInt32>(Parameters.room)
        RadixEncoding.rounded.decode(bytes, into: numbers.base)
        var index = 0
        while index < Parameters.degree {
            coefficients[index] = 3 &* Int16(truncatingIfNeeded: numbers.base[index]) &- RingModulus.half
            index &+= 1
        }
    }
}
