import SMPCrypto
import SMPWire
import Testing

/// Keys and signatures of one algorithm that are given for those of another, and encodings that are almost right.
@Suite struct KeyFormTests {
    private static let random = SeededRandomSource(seed: 61)
    private static let x25519 = X25519.generateKeyPair(random)
    private static let x448 = X448.generateKeyPair(random)
    private static let ed25519 = Ed25519.generateKeyPair(random)
    private static let ed448 = Ed448.generateKeyPair(random)

    private static let spkis = [
        X25519.identifier: x25519.publicKey.spki, X448.identifier: x448.publicKey.spki, Ed25519.identifier: ed25519.publicKey.spki,
        Ed448.identifier: ed448.publicKey.spki,
    ]
    private static let pkcs8s = [
        X25519.identifier: x25519.privateKey.pkcs8.bytes, X448.identifier: x448.privateKey.pkcs8.bytes, Ed25519.identifier: ed25519.privateKey.pkcs8.bytes,
        Ed448.identifier: ed448.privateKey.pkcs8.bytes,
    ]

    private func checkPublic<Algorithm: KeyAlgorithm>(_: Algorithm.Type) throws {
        for (identifier, spki) in Self.spkis {
            let key = try? Algorithm.PublicKey(spki: spki)
            #expect(key?.spki == (identifier == Algorithm.identifier ? spki : nil), "\(Algorithm.name) of \(identifier)")
            let read = try? Algorithm.PublicKey(wireBytes: ShortBytes(spki).wireBytes)
            #expect(read == key)
        }
        let spki = try #require(Self.spkis[Algorithm.identifier])
        // Nothing but the key itself may be another.
        for index in 0..<12 {
            var changed = spki
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try Algorithm.PublicKey(spki: changed) }
        }
        for changed in [[], Bytes(spki.dropLast()), spki + [0], Bytes(spki.dropFirst()), Bytes(spki.prefix(12))] as [Bytes] {
            #expect { try Algorithm.PublicKey(spki: changed) } throws: { ($0 as? CryptoError)?.code == .invalidKey }
        }
    }

    private func checkPrivate<Algorithm: KeyAlgorithm>(_: Algorithm.Type) throws {
        for (identifier, pkcs8) in Self.pkcs8s {
            let key = try? Algorithm.PrivateKey(pkcs8: pkcs8)
            #expect(key?.pkcs8.bytes == (identifier == Algorithm.identifier ? pkcs8 : nil), "\(Algorithm.name) of \(identifier)")
        }
        let pkcs8 = try #require(Self.pkcs8s[Algorithm.identifier])
        for index in 0..<16 {
            var changed = pkcs8
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try Algorithm.PrivateKey(pkcs8: changed) }
        }
        for changed in [[], Bytes(pkcs8.dropLast()), pkcs8 + [0], Bytes(pkcs8.prefix(16))] as [Bytes] {
            #expect { try Algorithm.PrivateKey(pkcs8: changed) } throws: { ($0 as? CryptoError)?.code == .invalidKey }
        }
    }

    @Test func aKeyIsReadAsOneOfItsAlgorithmOnly() throws {
        try checkPublic(X25519.self)
        try checkPublic(X448.self)
        try checkPublic(Ed25519.self)
        try checkPublic(Ed448.self)
        try checkPrivate(X25519.self)
        try checkPrivate(X448.self)
        try checkPrivate(Ed25519.self)
        try checkPrivate(Ed448.self)
    }

    /// Checks a signature that is cut off or longer, or has the beginning or end of another.
    private func checkSignature<Algorithm: SignatureAlgorithm>(_ pair: AlgorithmKeyPair<Algorithm>) {
        let message = Bytes("a message".utf8), signature = pair.privateKey.signature(for: message)
        #expect(signature.count == Algorithm.signatureSize && pair.publicKey.isValidSignature(signature, for: message))
        let other = pair.privateKey.signature(for: message + [0]), half = Algorithm.signatureSize / 2
        for wrong in [
            [], Bytes(signature.dropLast()), signature + [0], signature + signature, Bytes(repeating: 0, count: signature.count), other,
            Bytes(signature.prefix(half)) + other.suffix(signature.count - half), Bytes(other.prefix(half)) + signature.suffix(signature.count - half),
        ] as [Bytes] {
            #expect(!pair.publicKey.isValidSignature(wrong, for: message), "\(Algorithm.name): \(wrong.count) bytes")
        }
        for wrong in [[], Bytes(message.dropLast()), message + [0]] as [Bytes] { #expect(!pair.publicKey.isValidSignature(signature, for: wrong)) }
    }

    @Test func aSignatureHasTheSizeOfItsAlgorithm() {
        checkSignature(Self.ed25519)
        checkSignature(Self.ed448)
    }

    @Test func aKeyOfZerosVerifiesNothing() throws {
        let zero = try Ed25519.PublicKey(raw: Bytes(repeating: 0, count: 32)), one = try Ed25519.PublicKey(raw: [1] + Bytes(repeating: 0, count: 31))
        for key in [zero, one] {
            for signature in [Bytes(repeating: 0, count: 64), [1] + Bytes(repeating: 0, count: 63)] as [Bytes] {
                #expect(!key.isValidSignature(signature, for: []) && !key.isValidSignature(signature, for: [1]))
            }
        }
    }

    @Test(arguments: [0, 31, 33, 56]) func aPrivateKeyStoredWithItsPublicOneHasItsSize(_ count: Int) throws {
        let raw = Self.random.secret(count)
        #expect { try X25519.PrivateKey(raw: raw, publicKey: Self.x25519.publicKey) } throws: { ($0 as? CryptoError)?.code == .invalidKey }
        let key = try X25519.PrivateKey(raw: Self.x25519.privateKey.raw, publicKey: Self.x25519.publicKey)
        #expect(key == Self.x25519.privateKey && key.publicKey == Self.x25519.publicKey)
    }

    @Test func anAuthenticatorOfAnotherHashIsRefused() throws {
        let secret = BoxSecret.random(Self.random), nonce = BoxNonce.random(Self.random), message = Bytes("a command".utf8)
        // Boxes that open, and do not hold the hash of the message.
        for content in [
            Hash.sha512(message + [0]), Hash.sha256(message) + Hash.sha256(message), Bytes(repeating: 0, count: 64), Hash.sha512(message) + [0],
            Bytes(Hash.sha512(message).dropLast()), [], message,
        ] {
            #expect(!CommandAuthenticator.verify(secret.seal(content, nonce: nonce), for: message, nonce: nonce, secret: secret))
        }
        #expect(CommandAuthenticator.verify(secret.seal(Hash.sha512(message), nonce: nonce), for: message, nonce: nonce, secret: secret))
    }

    @Test(arguments: [0, 1, 100]) func longPaddingFitsExactlyAndNotByOneByteLess(_ count: Int) throws {
        let content = Self.random.bytes(count)
        for extra in [0, 1, 50] {
            let padded = try LongPadding.pad(content, to: count + 8 + extra)
            let read = try LongPadding.unpad(padded)
            #expect(padded.count == count + 8 + extra && read == content)
            #expect(padded.suffix(extra) == Bytes(repeating: UInt8(ascii: "#"), count: extra)[...])
        }
        for length in [count + 7, 7, 0, -1] { #expect { try LongPadding.pad(content, to: length) } throws: { ($0 as? CryptoError)?.code == .messageTooLong } }
    }
}
