import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@Suite struct HostileInputTests {
    private let random = SeededRandomSource(seed: 21)

    @Test func keysOfSmallOrderGiveNoSecret() throws {
        let own = X25519.generateKeyPair(random).privateKey
        for raw in [Bytes(repeating: 0, count: 32), [1] + Bytes(repeating: 0, count: 31)] {
            let key = try X25519.PublicKey(raw: raw)
            #expect { try own.sharedSecret(with: key) } throws: { ($0 as? CryptoError)?.code == .invalidKey }
            #expect(throws: CryptoError.self) { try BoxSecret(own, with: key) }
        }
        let other = X448.generateKeyPair(random).privateKey
        let zero = try X448.PublicKey(raw: Bytes(repeating: 0, count: 56))
        #expect { try other.sharedSecret(with: zero) } throws: { ($0 as? CryptoError)?.code == .invalidKey }
    }

    @Test func boxesOpenOnlyWhole() throws {
        let secret = BoxSecret.random(random)
        let nonce = BoxNonce.random(random)
        let message = random.bytes(100)
        let box = secret.seal(message, nonce: nonce)
        #expect(try secret.open(box, nonce: nonce) == message)
        for length in 0..<box.count {
            #expect(throws: CryptoError.self) { try secret.open(Bytes(box.prefix(length)), nonce: nonce) }
        }
        #expect(throws: CryptoError.self) { try secret.open(box + [0], nonce: nonce) }
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try secret.open(changed, nonce: nonce) }
        }
        #expect(throws: CryptoError.self) { try secret.open(box, nonce: nonce.reversed) }
        #expect(throws: CryptoError.self) { try BoxSecret.random(random).open(box, nonce: nonce) }
    }

    @Test(arguments: [1, 31, 32, 33, 63, 64, 65, 96, 1000])
    func streamsGiveTheSameHoweverTheyAreCut(_ piece: Int) throws {
        let secret = BoxSecret.random(random)
        let nonce = BoxNonce.random(random)
        let message = random.bytes(1000)
        let whole = secret.sealWithTagAtEnd(message, nonce: nonce)
        var stream = BoxStream(secret, nonce: nonce)
        var sealed = Bytes()
        for start in stride(from: 0, to: 1000, by: piece) {
            sealed += stream.encrypt(Bytes(message[start..<min(start + piece, 1000)]))
        }
        #expect(sealed + stream.tag() == whole)
        #expect(secret.seal(message, nonce: nonce) == Bytes(whole.suffix(16)) + Bytes(whole.prefix(1000)))
        var opening = BoxStream(secret, nonce: nonce)
        var opened = Bytes()
        for start in stride(from: 0, to: 1000, by: piece) {
            opened += opening.decrypt(Bytes(sealed[start..<min(start + piece, 1000)]))
        }
        try opening.verify(Bytes(whole.suffix(16)))
        #expect(opened == message)
    }

    @Test func changedOrShortStreamsAreRefused() {
        let secret = BoxSecret.random(random)
        let nonce = BoxNonce.random(random)
        let sealed = secret.sealWithTagAtEnd(random.bytes(50), nonce: nonce)
        for length in 0..<sealed.count {
            #expect(throws: CryptoError.self) { try secret.openWithTagAtEnd(Bytes(sealed.prefix(length)), nonce: nonce) }
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 2
            #expect(throws: CryptoError.self) { try secret.openWithTagAtEnd(changed, nonce: nonce) }
        }
    }

    @Test func lengthsInLongPaddingThatCannotBeAreRefused() throws {
        for length in [-1, 9, Int64.max, Int64.min] {
            #expect { try LongPadding.unpad(length.wireBytes + Bytes(repeating: 0, count: 8)) } throws: {
                ($0 as? CryptoError)?.code == .invalidPadding
            }
        }
        #expect(throws: CryptoError.self) { try LongPadding.unpad([0, 0, 0]) }
        #expect { try LongPadding.pad([1, 2, 3], to: 10) } throws: { ($0 as? CryptoError)?.code == .messageTooLong }
    }

    @Test func wrongSizesOfKeysNoncesAndTagsAreRefused() {
        let key = random.secret(32)
        #expect(throws: CryptoError.self) { try AESGCM.seal([1], key: random.secret(31), iv: random.bytes(16)) }
        #expect(throws: CryptoError.self) { try AESGCM.seal([1], key: key, iv: random.bytes(13)) }
        #expect(throws: CryptoError.self) { try AESGCM.open([1], tag: random.bytes(15), key: key, iv: random.bytes(16)) }
        #expect(throws: CryptoError.self) { try BoxNonce(random.bytes(23)) }
        #expect(throws: WireError.self) { try BoxNonce(wireBytes: random.bytes(25)) }
        #expect(throws: CryptoError.self) { try BoxSecret(random.secret(31)) }
        #expect(throws: CryptoError.self) { try SecretBoxChain(chainKey: random.secret(33)) }
        #expect(throws: CryptoError.self) { try X448.PrivateKey(raw: random.bytes(57)) }
        #expect(throws: CryptoError.self) { try Ed25519.PublicKey(raw: random.bytes(31)) }
        #expect(throws: CryptoError.self) { try Ed25519.PrivateKey(pkcs8: random.bytes(48)) }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "kem-hybrid"))
    func hybridSecretsSealAndOpenAsRecorded(_ item: VectorCase) throws {
        let key = try SNTRUP761.SecretKey(SecretBytes(try #require(item["kem_private"].hex)))
        let shared = SNTRUP761.decapsulate(try SNTRUP761.Ciphertext(try #require(item["kem_ciphertext"].hex)), with: key)
        #expect(shared.bytes == item["kem_shared"].hex)
        let own = try X25519.PrivateKey(raw: try #require(item["x25519_private_raw"].hex))
        let peer = try X25519.PublicKey(raw: try #require(item["x25519_peer_public_raw"].hex))
        #expect(try own.sharedSecret(with: peer).bytes == item["dh_secret"].hex)
        let secret = try KEMHybrid.secret(own, with: peer, kem: shared)
        #expect(secret.secret.bytes == item["hybrid_secret"].hex)
        let nonce = try BoxNonce(try #require(item["nonce"].hex))
        let message = try #require(item["message"].hex)
        let length = Int(try #require(item["padded_len"].int))
        #expect(try secret.seal(message, nonce: nonce, paddedTo: length) == item["ciphertext"].hex)
        #expect(
            secret.sealWithTagAtEnd(try LongPadding.pad(message, to: length), nonce: nonce)
                == item["ciphertext_tag_suffix_8_byte_length"].hex)
    }

    @Test func keysThatAuthoriseComeBackAndOthersAreRefused() throws {
        let keys: [PrivateAuthKey] = [
            .x25519(X25519.generateKeyPair(random).privateKey), .ed25519(Ed25519.generateKeyPair(random).privateKey),
            .ed448(Ed448.generateKeyPair(random).privateKey),
        ]
        for key in keys {
            #expect(try PrivateAuthKey(pkcs8: key.pkcs8) == key)
            #expect(try PublicAuthKey(wireBytes: key.publicKey.wireBytes) == key.publicKey)
            #expect(try PublicAuthKey(wireString: key.publicKey.wireString) == key.publicKey)
            #expect(!key.publicKey.isValidSignature(random.bytes(64), for: [1]))
            #expect(!key.publicKey.isValidSignature(random.bytes(114), for: [1]))
        }
        let message = random.bytes(40)
        if case .ed448(let key) = keys[2] {
            #expect(keys[2].publicKey.isValidSignature(key.signature(for: message), for: message))
            #expect(!keys[1].publicKey.isValidSignature(key.signature(for: message), for: message))
        }
        let x448 = X448.generateKeyPair(random)
        #expect(throws: CryptoError.self) { try PublicAuthKey(spki: x448.publicKey.spki) }
        #expect(throws: CryptoError.self) { try PrivateAuthKey(pkcs8: x448.privateKey.pkcs8) }
        #expect(throws: WireError.self) { try PublicAuthKey(wireBytes: x448.publicKey.wireBytes) }
    }
}
