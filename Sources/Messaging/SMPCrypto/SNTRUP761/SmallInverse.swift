/// Inverses modulo 3 and x^761 - x - 1, by division steps on 64 coefficients at a time.
enum SmallInverse {
    private static let degree = Parameters.degree
    private static let words = Parameters.room / 64

    /// A polynomial modulo 3: one bit of every coefficient says that it is not 0, another that it is -1.
    private struct Planes {
        let nonzero: UnsafeMutablePointer<UInt64>
        let negative: UnsafeMutablePointer<UInt64>

        init(_ base: UnsafeMutablePointer<UInt64>) {
            nonzero = base
            negative = base + 16
        }

        func set(_ index: Int, _ coefficient: Int16) {
            let bits = UInt16(bitPattern: coefficient)
            nonzero[index >> 6] |= UInt64(bits & 1) << UInt64(index & 63)
            negative[index >> 6] |= UInt64(bits >> 15) << UInt64(index & 63)
        }

        func coefficient(_ index: Int) -> Int16 {
            let shift = UInt64(index & 63)
            let magnitude = Int16(truncatingIfNeeded: nonzero[index >> 6] >> shift & 1)
            return magnitude &- 2 &* Int16(truncatingIfNeeded: negative[index >> 6] >> shift & 1)
        }
    }

    /// 1 / a, with the coefficients -1, 0 and 1.
    ///
    /// - Returns: true if there is an inverse. The output is of no use otherwise.
    static func invert(_ a: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) -> Bool {
        // Sixteen words a plane: those above the polynomial stay 0 and are shifted in.
        let work = Scratch<UInt64>(5 * 32)
        let f = Planes(work.base)
        let g = Planes(work.base + 32)
        let v = Planes(work.base + 64)
        let r = Planes(work.base + 96)
        let sums = Planes(work.base + 128)
        f.set(0, 1)
        f.set(degree - 1, -1)
        f.set(degree, -1)
        for index in 0..<degree { g.set(degree - 1 - index, a[index]) }
        r.set(0, 1)
        var delta = 1
        for _ in 0..<(2 * degree - 1) {
            shiftUp(v)
            let isNonzero = 0 &- (g.nonzero[0] & 1)
            let swaps = UInt64(bitPattern: Int64((0 &- delta) >> 63)) & isNonzero
            delta = (delta ^ (Int(truncatingIfNeeded: swaps) & (delta ^ (0 &- delta)))) &+ 1
            // The sum of g and sign * f, where the sign is minus the product of their lowest coefficients.
            let multiplied = isNonzero
            let negated = ~(0 &- ((f.negative[0] ^ g.negative[0]) & 1))
            combine(f, g, swaps, multiplied, negated, into: sums)
            shiftDown(sums, into: g)
            combine(v, r, swaps, multiplied, negated, into: sums)
            copy(sums, to: r)
        }
        let sign = f.coefficient(0)
        for index in 0..<degree { output[index] = sign &* v.coefficient(degree - 1 - index) }
        return delta == 0
    }

    /// Exchanges left and right if `swaps` is all ones; then right + left, 0 or -left.
    private static func combine(
        _ left: Planes, _ right: Planes, _ swaps: UInt64, _ multiplied: UInt64, _ negated: UInt64, into sums: Planes
    ) {
        let (leftNonzero, leftNegative) = (left.nonzero, left.negative)
        let (rightNonzero, rightNegative) = (right.nonzero, right.negative)
        let (nonzero, negative) = (sums.nonzero, sums.negative)
        var index = 0
        while index < words {
            let changeNonzero = swaps & (leftNonzero[index] ^ rightNonzero[index])
            let changeNegative = swaps & (leftNegative[index] ^ rightNegative[index])
            let x0 = rightNonzero[index] ^ changeNonzero
            let x1 = rightNegative[index] ^ changeNegative
            let a0 = leftNonzero[index] ^ changeNonzero
            let a1 = leftNegative[index] ^ changeNegative
            leftNonzero[index] = a0
            leftNegative[index] = a1
            let y0 = a0 & multiplied
            let y1 = (a1 ^ (negated & a0)) & multiplied
            let s = x0 ^ y1
            let t = x1 ^ y0
            nonzero[index] = (s ^ x1) | (t ^ y1)
            negative[index] = s & t
            index &+= 1
        }
    }

    private static func shiftUp(_ planes: Planes) {
        shiftUp(planes.nonzero)
        shiftUp(planes.negative)
    }

    private static func shiftUp(_ plane: UnsafeMutablePointer<UInt64>) {
        var index = words &- 1
        while index > 0 {
            plane[index] = plane[index] &<< 1 | plane[index &- 1] &>> 63
            index &-= 1
        }
        plane[0] = plane[0] &<< 1
    }

    private static func shiftDown(_ planes: Planes, into output: Planes) {
        var index = 0
        while index < words {
            output.nonzero[index] = planes.nonzero[index] &>> 1 | planes.nonzero[index &+ 1] &<< 63
            output.negative[index] = planes.negative[index] &>> 1 | planes.negative[index &+ 1] &<< 63
            index &+= 1
        }
    }

    private static func copy(_ planes: Planes, to output: Planes) {
        output.nonzero.update(from: planes.nonzero, count: words)
        output.negative.update(from: planes.negative, count: words)
    }
}
