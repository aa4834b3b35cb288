/// Products of polynomials modulo x^761 - x - 1, by transforms modulo small primes and the Chinese remainder theorem.
enum RingProduct {
    private static let size = 1536
    private static let first = Transform<Prime7681>()
    private static let second = Transform<Prime10753>()
    private static let third = Transform<Prime12289>()

    /// A polynomial transformed modulo so many primes that a product is exact.
    final class Transformed {
        fileprivate let values: Scratch<Int16>
        fileprivate let primes: Int

        /// - Parameters:
        ///   - coefficients: ``Parameters/room`` of them, from -2295 to 2295.
        ///   - primes: 1 for products of two small polynomials, 2 if one of two is small, 3 otherwise.
        init(_ coefficients: UnsafePointer<Int16>, primes: Int) {
            self.primes = primes
            values = Scratch(primes * size)
            let work = Scratch<Int16>(size)
            first.forward(coefficients, into: values.base, work: work.base)
            if primes > 1 { second.forward(coefficients, into: values.base + size, work: work.base) }
            if primes > 2 { third.forward(coefficients, into: values.base + 2 * size, work: work.base) }
        }
    }

    /// The product with canonical coefficients modulo 4591. One of the factors must have been small for two primes.
    static func multiply(
        _ left: Transformed, _ right: Transformed, into output: UnsafeMutablePointer<Int16>
    ) {
        precondition(left.primes == right.primes && left.primes > 1, "the factors were transformed for different products")
        let residues = Scratch<Int16>(left.primes * Parameters.room)
        multiply(left, right, first, 0, into: residues.base)
        multiply(left, right, second, 1, into: residues.base)
        if left.primes == 2 {
            combineTwo(residues.base, into: output)
        } else {
            multiply(left, right, third, 2, into: residues.base)
            combineThree(residues.base, into: output)
        }
    }

    /// The product of two small polynomials, with the coefficients modulo 3. The factors may be transformed for more primes.
    static func multiplyModuloThree(
        _ left: Transformed, _ right: Transformed, into output: UnsafeMutablePointer<Int16>
    ) {
        multiply(left, right, first, 0, into: output)
        var index = 0
        while index < Parameters.degree {
            // At most 761 from the product, three times that after folding: reduction finds the number itself.
            output[index] = remainderOfThree(
                reduced(output[index], value: Prime7681.value, reciprocal: Prime7681.reciprocal))
            index &+= 1
        }
    }

    private static func multiply<Prime: TransformPrime>(
        _ left: Transformed, _ right: Transformed, _ transform: Transform<Prime>, _ index: Int,
        into residues: UnsafeMutablePointer<Int16>
    ) {
        let product = Scratch<Int16>(size)
        let untransformed = Scratch<Int16>(size)
        transform.multiply(left.values.base + index * size, right.values.base + index * size, into: product.base)
        transform.inverse(product.base, into: untransformed.base)
        transform.fold(untransformed.base, into: residues + index * Parameters.room)
    }

    /// x = a + 7681 t, of which t is small and therefore known modulo 10753.
    private static func combineTwo(_ residues: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        let other = residues + Parameters.room
        var index = 0
        while index < Parameters.degree {
            let a = residues[index]
            let t = secondDigit(other[index] &- a)
            output[index] = canonical(a &+ ringProduct(t, 1821))
            index &+= 1
        }
    }

    /// x = a + 7681 t + 7681 * 10753 u.
    private static func combineThree(_ residues: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        let value = Prime12289.value
        let inverse = Prime12289.inverse
        let reciprocal = Prime12289.reciprocal
        let other = residues + Parameters.room
        let another = residues + 2 * Parameters.room
        var index = 0
        while index < Parameters.degree {
            let a = residues[index]
            let t = secondDigit(other[index] &- a)
            let rest = montgomeryProduct(another[index] &- a, -5476, value: value, inverse: inverse) &- t
            let u = reduced(
                montgomeryProduct(rest, -4139, value: value, inverse: inverse), value: value, reciprocal: reciprocal)
            output[index] = canonical(a &+ ringProduct(t, 1821) &+ ringProduct(u, 598))
            index &+= 1
        }
    }

    /// A difference of residues divided by 7681, modulo 10753 and nearest to 0.
    @inline(__always)
    private static func secondDigit(_ difference: Int16) -> Int16 {
        reduced(
            montgomeryProduct(difference, 3563, value: Prime10753.value, inverse: Prime10753.inverse),
            value: Prime10753.value, reciprocal: Prime10753.reciprocal)
    }

    @inline(__always)
    private static func ringProduct(_ a: Int16, _ b: Int16) -> Int16 {
        montgomeryProduct(a, b, value: RingModulus.value, inverse: RingModulus.inverse)
    }
}
