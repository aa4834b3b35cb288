import CSodium
import SMPWire

extension SNTRUP761 {
    /// Makes a secret that only the owner of the public key can find, of the next 3044 random bytes.
    package static func encapsulate(to publicKey: PublicKey, _ random: any RandomSource) -> Encapsulation {
        let input = Polynomial.polynomial()
        random.secret(ShortPolynomials.randomSize).withBytes { ShortPolynomials.makeShort($0, into: input.base) }
        let hidden = hide(input.base, publicKey.bytes, digest: KEMHash.hash(4, publicKey.bytes))
        let secret = sessionSecret(1, hidden.input, hidden.ciphertext)
        return Encapsulation(ciphertext: Ciphertext(unchecked: hidden.ciphertext), sharedSecret: secret)
    }

    /// Finds the secret of a ciphertext.
    ///
    /// A ciphertext that was not made with ``encapsulate(to:_:)`` for this key gives a secret that nobody else knows, in the same
    /// time and without an error: what is encrypted with it then fails.
    package static func decapsulate(_ ciphertext: Ciphertext, with secretKey: SecretKey) -> SharedSecret {
        let digestOffset = 2 * Parameters.smallSize + publicKeySize + Parameters.smallSize
        let key = secretKey.bytes
        let publicKey = key[2 * Parameters.smallSize..<2 * Parameters.smallSize + publicKeySize].bytes
        let input = Polynomial.polynomial()
        key.withPointer { decrypt(ciphertext.bytes, secretKey: $0, into: input.base) }
        let hidden = hide(input.base, publicKey, digest: key[digestOffset..<secretKeySize].bytes)
        // All ones unless the ciphertext is the one that this input gives.
        let isWrong = mismatch(hidden.ciphertext, ciphertext.bytes)
        let rejection = key[2 * Parameters.smallSize + publicKeySize..<digestOffset]
        let confirmed = SecretBytes(count: Parameters.smallSize) { output in
            hidden.input.withPointer { input in
                rejection.withPointer { rejection in
                    for index in 0..<Parameters.smallSize {
                        output[index] = input[index] ^ (isWrong & (input[index] ^ rejection[index]))
                    }
                }
            }
        }
        return sessionSecret(1 &+ isWrong, confirmed, ciphertext.bytes)
    }

    /// The short polynomial that a ciphertext was made of; a fixed one if there is none.
    private static func decrypt(
        _ ciphertext: Bytes, secretKey: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<Int16>
    ) {
        let short = Polynomial.polynomial()
        let smallInverse = Polynomial.polynomial()
        let product = Polynomial.polynomial()
        SmallEncoding.decode(secretKey, into: short.base)
        SmallEncoding.decode(secretKey + Parameters.smallSize, into: smallInverse.base)
        RoundedEncoding.decode(ciphertext, into: product.base)
        RingProduct.multiply(
            RingProduct.Transformed(product.base, primes: 2), RingProduct.Transformed(short.base, primes: 2),
            into: product.base)
        var index = 0
        while index < Parameters.degree {
            product.base[index] = remainderOfThree(canonical(3 &* product.base[index]))
            index &+= 1
        }
        RingProduct.multiplyModuloThree(
            RingProduct.Transformed(product.base, primes: 1), RingProduct.Transformed(smallInverse.base, primes: 1),
            into: output)
        var weight: Int16 = 0
        index = 0
        while index < Parameters.degree {
            weight &+= output[index] & 1
            index &+= 1
        }
        let difference = weight &- Int16(Parameters.weight)
        let isWrong = (difference | (0 &- difference)) &>> 15
        index = 0
        while index < Parameters.degree {
            let fixed: Int16 = index < Parameters.weight ? 1 : 0
            output[index] = output[index] ^ (isWrong & (output[index] ^ fixed))
            index &+= 1
        }
    }

    /// The ciphertext of a short polynomial, and the polynomial encoded.
    private static func hide(
        _ input: UnsafePointer<Int16>, _ publicKey: Bytes, digest: Bytes
    ) -> (ciphertext: Bytes, input: SecretBytes) {
        let encoded = SecretBytes(count: Parameters.smallSize) { SmallEncoding.encode(input, into: $0) }
        let product = Polynomial.polynomial()
        RingEncoding.decode(publicKey, into: product.base)
        RingProduct.multiply(
            RingProduct.Transformed(product.base, primes: 2), RingProduct.Transformed(input, primes: 2),
            into: product.base)
        var ciphertext = RoundedEncoding.encode(product.base)
        ciphertext += KEMHash.hash(2, KEMHash.hash(3, encoded) + SecretBytes(digest)).bytes
        return (ciphertext, encoded)
    }

    private static func sessionSecret(_ prefix: UInt8, _ input: SecretBytes, _ ciphertext: Bytes) -> SharedSecret {
        KEMHash.hash(prefix, KEMHash.hash(3, input) + SecretBytes(ciphertext))
    }

    /// 0 if both are equal, 255 otherwise.
    private static func mismatch(_ left: Bytes, _ right: Bytes) -> UInt8 {
        UInt8(truncatingIfNeeded: sodium_memcmp(left, right, ciphertextSize))
    }
}

/// The hash functions of the scheme: the first half of SHA-512 of a byte that tells them apart and the input.
enum KEMHash {
    static func hash(_ prefix: UInt8, _ input: SecretBytes) -> SecretBytes {
        let prefixed = SecretBytes([prefix]) + input
        return SecretBytes(wiping: prefixed.withBytes { Hash.sha512($0) })[0..<Parameters.hashSize]
    }

    static func hash(_ prefix: UInt8, _ input: Bytes) -> Bytes {
        Bytes(Hash.sha512([prefix] + input).prefix(Parameters.hashSize))
    }
}
