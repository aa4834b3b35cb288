/// Inverses modulo 4591 and x^761 - x - 1, by division steps (Bernstein, Yang: Fast constant-time gcd computation, 2019).
enum RingInverse {
    private static let degree = Parameters.degree
    private static let steps = 2 * Parameters.degree - 1
    /// The inverse of 3.
    private static let third: Int16 = -1530

    /// 1 / (3 a), canonical. Every polynomial but 0 has an inverse, since the ring is a field.
    ///
    /// The steps work on f, the reversed modulus, and g, the reversed polynomial, whose lowest coefficients tell what a step does;
    /// v and r collect what they were multiplied by. A common factor of g and r does not matter, so that those of the Montgomery
    /// products may stay. v is kept multiplied by x already. v and r are stored from the highest coefficient down: then all that
    /// moves in a step moves by one towards lower addresses.
    static func invertTriple(_ a: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        let spacing = Parameters.room + 16
        let work = Scratch<Int16>(4 * spacing)
        let f = work.base + 16
        let g = f + spacing
        let v = g + spacing
        let r = v + spacing
        let factors = Factors()
        f[0] = 1
        f[degree - 1] = -1
        f[degree] = -1
        for index in 0..<degree { g[degree - 1 - index] = a[index] }
        r[degree] = third
        var delta: Int16 = 1
        for step in 0..<steps {
            let lead = canonical(f[0])
            let constant = canonical(g[0])
            let isNonzero = (constant | (0 &- constant)) &>> 15
            let swaps = ((0 &- delta) &>> 15) & isNonzero
            delta = (delta ^ (swaps & (delta ^ (0 &- delta)))) &+ 1
            let change = swaps & (lead ^ constant)
            factors.set(lead: lead ^ change, constant: constant ^ change, swaps: swaps)
            // Coefficients that cannot come down to the lowest one any more need no work, nor do those that are still 0.
            let needed = min(Parameters.room, (steps - step + 7) & ~7)
            advance(f, g, from: 0, to: needed, moving: .right, factors)
            let reached = max(0, degree - step) & ~7
            advance(v, r, from: reached, to: Parameters.room, moving: .left, factors)
        }
        // Coefficient i of v is that of x v above it, in place degree - (i + 1); the result is reversed again.
        let scale = montgomeryInverse(canonical(f[0]))
        for index in 0..<degree {
            output[index] = canonical(
                montgomeryProduct(v[index], scale, value: RingModulus.value, inverse: RingModulus.inverse))
        }
    }

    /// The factors of one step, each repeated: factors that are read from memory keep the products in 16-bit lanes.
    private struct Factors: ~Copyable {
        static let length = 256
        private let values = Scratch<Int16>(5 * Factors.length)

        var lead: UnsafePointer<Int16> { UnsafePointer(values.base) }
        var leadScaled: UnsafePointer<Int16> { lead + Factors.length }
        var constant: UnsafePointer<Int16> { lead + 2 * Factors.length }
        var constantScaled: UnsafePointer<Int16> { lead + 3 * Factors.length }
        var swaps: UnsafePointer<Int16> { lead + 4 * Factors.length }

        func set(lead: Int16, constant: Int16, swaps: Int16) {
            fill(0, lead)
            fill(1, lead &* RingModulus.inverse)
            fill(2, constant)
            fill(3, constant &* RingModulus.inverse)
            fill(4, swaps)
        }

        @inline(__always)
        private func fill(_ table: Int, _ value: Int16) {
            (values.base + table * Factors.length).update(repeating: value, count: Factors.length)
        }
    }

    /// Which polynomial of a pair moves by one.
    private enum Moving { case left, right }

    /// Exchanges left and right if the step says so, then replaces right by lead * right - constant * left.
    @inline(__always)
    private static func advance(
        _ left: UnsafeMutablePointer<Int16>, _ right: UnsafeMutablePointer<Int16>, from first: Int, to end: Int,
        moving: Moving, _ factors: borrowing Factors
    ) {
        let value = RingModulus.value
        let (lead, leadScaled) = (factors.lead, factors.leadScaled)
        let (constant, constantScaled) = (factors.constant, factors.constantScaled)
        let swaps = factors.swaps
        let leftMove = moving == .left ? 1 : 0
        let rightMove = 1 &- leftMove
        var start = first
        while start < end {
            let length = min(Factors.length, end &- start)
            let a = left + start
            let b = right + start
            var index = 0
            while index < length {
                let change = swaps[index] & (a[index] ^ b[index])
                let newLeft = a[index] ^ change
                let newRight = b[index] ^ change
                a[index &- leftMove] = newLeft
                b[index &- rightMove] =
                    montgomeryProduct(newRight, lead[index], scaled: leadScaled[index], value: value)
                    &- montgomeryProduct(newLeft, constant[index], scaled: constantScaled[index], value: value)
                index &+= 1
            }
            start &+= length
        }
    }

    /// 2^16 / a modulo 4591: a^4589 by squaring, as the exponent is public.
    private static func montgomeryInverse(_ a: Int16) -> Int16 {
        let value = Int32(RingModulus.value)
        var power = Int32(a)
        var result = Int32(65_536 % 4591)
        var exponent = 4589
        while exponent > 0 {
            if exponent & 1 == 1 { result = result * power % value }
            power = power * power % value
            exponent >>= 1
        }
        return canonical(Int16(truncatingIfNeeded: result))
    }
}
