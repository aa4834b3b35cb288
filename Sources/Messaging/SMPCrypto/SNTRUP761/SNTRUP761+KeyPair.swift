// Key generation costs two inverses and a product. The inverses dominate, and those of many polynomials follow from the inverse of
// their product by three products each (Montgomery): Bernstein, Brumley, Chen, Tuveri: OpenSSLNTRU, 2021.

extension SNTRUP761 {
    /// The number of keys that share an inverse: more would hardly be faster and take more memory, about 25 KiB a key.
    private static let batchSize = 32

    /// Makes many key pairs, each at a fraction of the cost of ``generateKeyPair(_:)``.
    ///
    /// - Parameters:
    ///   - count: not negative; 32 or more share best.
    ///   - random: gives 6279 bytes for each key pair, and more in the rare case that a polynomial has no inverse.
    package static func generateKeyPairs(count: Int, _ random: any RandomSource) -> [KeyPair] {
        var pairs: [KeyPair] = []
        pairs.reserveCapacity(count)
        while pairs.count < count { pairs += makeBatch(min(batchSize, count - pairs.count), random) }
        return pairs
    }

    private static func makeBatch(_ count: Int, _ random: any RandomSource) -> [KeyPair] {
        guard count > 1 else { return [generateKeyPair(random)] }
        let small = Polynomials(count)
        let smallInverses = Polynomials(count)
        let transformedSmall = BatchInverse.makeInvertible(count, random, small, into: smallInverses)
        let short = Polynomials(count)
        let inverses = Polynomials(count)
        for index in 0..<count {
            random.secret(ShortPolynomials.randomSize).withBytes { ShortPolynomials.makeShort($0, into: short[index]) }
        }
        BatchInverse.invertTriples(short, into: inverses)
        return (0..<count).map { index in
            makeKeyPair(
                small: transformedSmall[index], smallInverse: smallInverses[index], short: short[index],
                inverse: inverses[index], rejection: random.secret(Parameters.smallSize))
        }
    }

    /// Makes a key pair of 3044 random bytes for each attempt at an invertible polynomial (nearly always one), 3044 and 191 more.
    package static func generateKeyPair(_ random: any RandomSource) -> KeyPair {
        let small = Polynomial.polynomial()
        let smallInverse = Polynomial.polynomial()
        repeat {
            random.secret(ShortPolynomials.randomSize).withBytes { ShortPolynomials.makeSmall($0, into: small.base) }
        } while !SmallInverse.invert(small.base, into: smallInverse.base)
        let short = Polynomial.polynomial()
        random.secret(ShortPolynomials.randomSize).withBytes { ShortPolynomials.makeShort($0, into: short.base) }
        let inverse = Polynomial.polynomial()
        RingInverse.invertTriple(short.base, into: inverse.base)
        return makeKeyPair(
            small: RingProduct.Transformed(small.base, primes: 2), smallInverse: smallInverse.base, short: short.base,
            inverse: inverse.base, rejection: random.secret(Parameters.smallSize))
    }

    /// The encoded keys of the polynomials g, 1/g, f and 1/(3f), and of the secret that takes the place of a wrong ciphertext's.
    static func makeKeyPair(
        small: RingProduct.Transformed, smallInverse: UnsafePointer<Int16>, short: UnsafePointer<Int16>,
        inverse: UnsafePointer<Int16>, rejection: SecretBytes
    ) -> KeyPair {
        let product = Polynomial.polynomial()
        RingProduct.multiply(small, RingProduct.Transformed(inverse, primes: 2), into: product.base)
        let publicKey = PublicKey(unchecked: RingEncoding.encode(product.base))
        let digest = KEMHash.hash(4, publicKey.bytes)
        let secretKey = SecretBytes(count: secretKeySize) { output in
            SmallEncoding.encode(short, into: output)
            SmallEncoding.encode(smallInverse, into: output + Parameters.smallSize)
            let tail = output + 2 * Parameters.smallSize
            tail.update(from: publicKey.bytes, count: publicKeySize)
            rejection.withPointer { (tail + publicKeySize).update(from: $0, count: Parameters.smallSize) }
            (tail + publicKeySize + Parameters.smallSize).update(from: digest, count: Parameters.hashSize)
        }
        return KeyPair(publicKey: publicKey, secretKey: SecretKey(unchecked: secretKey))
    }
}
