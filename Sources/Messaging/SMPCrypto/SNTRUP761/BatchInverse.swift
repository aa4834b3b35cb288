/// Several polynomials in one piece of memory.
struct Polynomials: ~Copyable {
    let count: Int
    private let values: Scratch<Int16>

    init(_ count: Int) {
        self.count = count
        values = Scratch(count * Parameters.room)
    }

    subscript(index: Int) -> UnsafeMutablePointer<Int16> { values.base + index * Parameters.room }
}

/// Inverses of many polynomials for one inverse and three products each: with P(i) the product of the first i polynomials,
/// 1/a(i) is P(i - 1) / P(i), and 1/P(i - 1) is a(i) / P(i).
enum BatchInverse {
    /// 1 / (3 a) for each polynomial, canonical.
    static func invertTriples(_ input: borrowing Polynomials, into output: borrowing Polynomials) {
        let count = input.count
        let factors = (0..<count).map { RingProduct.Transformed(input[$0], primes: 3) }
        let product = Polynomial.polynomial()
        product.base.update(from: input[0], count: Parameters.room)
        var products: [RingProduct.Transformed] = []
        for index in 1..<count {
            products.append(RingProduct.Transformed(product.base, primes: 3))
            RingProduct.multiply(products[index - 1], factors[index], into: product.base)
        }
        let inverse = Polynomial.polynomial()
        RingInverse.invertTriple(product.base, into: inverse.base)
        for index in (1..<count).reversed() {
            let transformed = RingProduct.Transformed(inverse.base, primes: 3)
            RingProduct.multiply(transformed, products[index - 1], into: output[index])
            RingProduct.multiply(transformed, factors[index], into: inverse.base)
        }
        output[0].update(from: inverse.base, count: Parameters.room)
    }

    /// Makes random small polynomials that have inverses modulo 3, and the inverses.
    ///
    /// - Returns: the polynomials transformed for products with polynomials modulo 4591.
    static func makeInvertible(
        _ count: Int, _ random: any RandomSource, _ small: borrowing Polynomials, into inverses: borrowing Polynomials
    ) -> [RingProduct.Transformed] {
        for index in 0..<count { makeSmall(random, into: small[index]) }
        var factors = (0..<count).map { RingProduct.Transformed(small[$0], primes: 2) }
        if invertSmall(factors, small, into: inverses) { return factors }
        // Few polynomials have no inverse, and then the product has none. Those are made again one by one, as are single ones.
        for index in 0..<count {
            while !SmallInverse.invert(small[index], into: inverses[index]) { makeSmall(random, into: small[index]) }
            factors[index] = RingProduct.Transformed(small[index], primes: 2)
        }
        return factors
    }

    private static func makeSmall(_ random: any RandomSource, into output: UnsafeMutablePointer<Int16>) {
        random.secret(ShortPolynomials.randomSize).withBytes { ShortPolynomials.makeSmall($0, into: output) }
    }

    /// - Returns: true if all have inverses.
    private static func invertSmall(
        _ factors: [RingProduct.Transformed], _ input: borrowing Polynomials, into output: borrowing Polynomials
    ) -> Bool {
        let count = input.count
        let product = Polynomial.polynomial()
        product.base.update(from: input[0], count: Parameters.room)
        var products: [RingProduct.Transformed] = []
        for index in 1..<count {
            products.append(RingProduct.Transformed(product.base, primes: 1))
            RingProduct.multiplyModuloThree(products[index - 1], factors[index], into: product.base)
        }
        let inverse = Polynomial.polynomial()
        guard SmallInverse.invert(product.base, into: inverse.base) else { return false }
        for index in (1..<count).reversed() {
            let transformed = RingProduct.Transformed(inverse.base, primes: 1)
            RingProduct.multiplyModuloThree(transformed, products[index - 1], into: output[index])
            RingProduct.multiplyModuloThree(transformed, factors[index], into: inverse.base)
        }
        output[0].update(from: inverse.base, count: Parameters.room)
        return true
    }
}
