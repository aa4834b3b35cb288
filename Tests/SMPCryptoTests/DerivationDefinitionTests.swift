import SMPCrypto
import SMPWire
import Testing

/// Derivations against their definitions, written down from a hash function alone.
@Suite struct DerivationDefinitionTests {
    /// HMAC by RFC 2104.
    private static func hmac(_ message: Bytes, key: Bytes, blockSize: Int, _ hash: (Bytes) -> Bytes) -> Bytes {
        var key = key.count > blockSize ? hash(key) : key
        key += Bytes(repeating: 0, count: blockSize - key.count)
        return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + message))
    }

    /// HKDF with SHA-512 by RFC 5869.
    private static func hkdf(_ secret: Bytes, salt: Bytes, info: Bytes, count: Int) -> Bytes {
        let key = hmac(secret, key: salt.isEmpty ? Bytes(repeating: 0, count: 64) : salt, blockSize: 128, Hash.sha512)
        var output = Bytes(), block = Bytes()
        for number in 1...255 as ClosedRange<UInt8> where output.count < count {
            block = hmac(block + info + [number], key: key, blockSize: 128, Hash.sha512)
            output += block
        }
        return Bytes(output.prefix(count))
    }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 255, 1_000, 8_192, 16_319, 16_320]) func aKeyOfAnyLengthIsThatOfTheDefinition(_ count: Int) {
        let random = SeededRandomSource(seed: UInt64(count))
        for (secret, salt, info) in [(32, 0, 0), (32, 32, 14), (0, 64, 1), (200, 128, 300), (64, 129, 5)] {
            let (secret, salt, info) = (random.bytes(secret), random.bytes(salt), random.bytes(info))
            let derived = HKDF.derive(from: SecretBytes(secret), salt: salt, info: info, count: count)
            #expect(derived.bytes == Self.hkdf(secret, salt: salt, info: info, count: count))
        }
    }

    @Test(arguments: [0, 1, 31, 32, 63, 64, 65, 127, 128, 1_000]) func aCodeWithAKeyOfAnyLengthIsThatOfTheDefinition(_ size: Int) {
        let random = SeededRandomSource(seed: UInt64(size))
        let key = random.bytes(size)
        for length in [0, 1, 55, 56, 63, 64, 65, 5_000] {
            let message = random.bytes(length)
            #expect(HMAC.sha256(message, key: key) == Self.hmac(message, key: key, blockSize: 64, Hash.sha256))
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func aHashInPiecesIsThatOfTheWhole(_ seed: UInt64) {
        let random = SeededRandomSource(seed: seed), message = random.bytes(3_000)
        let (short, long) = (HashStream(.sha256), HashStream(.sha512))
        var offset = 0
        while offset < message.count {
            let end = min(message.count, offset + [0, 1, 63, 64, 65, 500][Int(random.bytes(1)[0]) % 6])
            short.update(Bytes(message[offset..<end]))
            long.update(Bytes(message[offset..<end]))
            offset = end
        }
        #expect(short.finish() == Hash.sha256(message) && long.finish() == Hash.sha512(message))
    }
}
