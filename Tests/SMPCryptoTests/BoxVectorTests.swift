import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@Suite struct BoxVectorTests {
    private func secret(_ item: VectorCase, _ key: String) throws -> BoxSecret {
        try BoxSecret(SecretBytes(try #require(item[key].hex)))
    }

    private func nonce(_ item: VectorCase) throws -> BoxNonce { try BoxNonce(try #require(item["nonce"].hex)) }

    @Test(arguments: try Vectors.cases("crypto", kinds: "cb"))
    func boxesOfAgreedSecretsSealAndOpen(_ item: VectorCase) throws {
        let own = try X25519.PrivateKey(raw: try #require(item["private_a_raw"].hex))
        let peer = try X25519.PrivateKey(raw: try #require(item["private_b_raw"].hex))
        #expect(peer.publicKey.raw == item["public_b_raw"].hex)
        let agreed = try BoxSecret(own, with: peer.publicKey)
        #expect(agreed.secret.bytes == item["dh_secret"].hex)
        let message = try #require(item["message"].hex)
        let length = Int(try #require(item["padded_len"].int))
        let box = try #require(item["ciphertext"].hex)
        #expect(try agreed.seal(message, nonce: nonce(item), paddedTo: length) == box)
        #expect(item["decrypts"].bool == true)
        #expect(try BoxSecret(peer, with: own.publicKey).openPadded(box, nonce: nonce(item)) == message)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "sb"))
    func boxesOfSymmetricKeysSealAndOpen(_ item: VectorCase) throws {
        let message = try #require(item["message"].hex)
        let length = Int(try #require(item["padded_len"].int))
        let box = try #require(item["ciphertext"].hex)
        #expect(try secret(item, "key").seal(message, nonce: nonce(item), paddedTo: length) == box)
        #expect(try secret(item, "key").openPadded(box, nonce: nonce(item)) == message)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "cb-no-pad", "sb-no-pad"))
    func boxesWithoutPaddingSealAndOpen(_ item: VectorCase) throws {
        let secret = try secret(item, item.kind == "cb-no-pad" ? "dh_secret" : "key")
        let message = try #require(item["message"].hex)
        let box = try #require(item["ciphertext"].hex)
        #expect(try secret.seal(message, nonce: nonce(item)) == box)
        #expect(try secret.open(box, nonce: nonce(item)) == message)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "cb-encrypt-error"))
    func aMessageThatDoesNotFitItsPaddingIsRefused(_ item: VectorCase) throws {
        let message = Bytes(repeating: 1, count: Int(try #require(item["message_len"].int)))
        let length = Int(try #require(item["padded_len"].int))
        let secret = BoxSecret.random(SeededRandomSource(seed: 1))
        #expect { try secret.seal(message, nonce: BoxNonce(padding: []), paddedTo: length) } throws: {
            ($0 as? CryptoError)?.code == .messageTooLong
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "cb-decrypt-error"))
    func changedOrShortBoxesDoNotOpen(_ item: VectorCase) throws {
        let box = try #require(item["ciphertext"].hex)
        let secret = try secret(item, "dh_secret")
        let nonce = try nonce(item)
        #expect { try secret.open(box, nonce: nonce) } throws: { ($0 as? CryptoError)?.code == .decryptionFailed }
        #expect { try secret.openPadded(box, nonce: nonce) } throws: { ($0 as? CryptoError)?.code == .decryptionFailed }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "sb-lazy"))
    func streamedBoxesHaveTheRecordedBytes(_ item: VectorCase) throws {
        let secret = try secret(item, "key")
        let nonce = try nonce(item)
        let message = try #require(item["message"].hex)
        let padded = try LongPadding.pad(message, to: Int(try #require(item["padded_len"].int)))
        #expect(secret.seal(padded, nonce: nonce) == item["ciphertext_tag_prefix"].hex)
        let tail = try #require(item["ciphertext_tag_suffix"].hex)
        #expect(secret.sealWithTagAtEnd(padded, nonce: nonce) == tail)
        #expect(try LongPadding.unpad(secret.openWithTagAtEnd(tail, nonce: nonce)) == message)
        #expect(secret.sealWithTagAtEnd(message, nonce: nonce) == item["ciphertext_tag_suffix_no_pad"].hex)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "cb-authenticator"))
    func authenticatorsVerifyForTheirMessageOnly(_ item: VectorCase) throws {
        let signer = try X25519.PrivateKey(raw: try #require(item["signer_private_raw"].hex))
        let verifier = try X25519.PrivateKey(raw: try #require(item["verifier_private_raw"].hex))
        #expect(signer.publicKey.raw == item["signer_public_raw"].hex)
        #expect(verifier.publicKey.raw == item["verifier_public_raw"].hex)
        let message = try #require(item["message"].hex)
        let nonce = try nonce(item)
        let made = CommandAuthenticator.make(for: message, nonce: nonce, secret: try BoxSecret(signer, with: verifier.publicKey))
        #expect(made == item["authenticator"].hex)
        #expect(made.count == CommandAuthenticator.size)
        let secret = try BoxSecret(verifier, with: signer.publicKey)
        #expect(CommandAuthenticator.verify(made, for: message, nonce: nonce, secret: secret) == item["verifies"].bool)
        #expect(!CommandAuthenticator.verify(made, for: message + [0], nonce: nonce, secret: secret))
        #expect(!CommandAuthenticator.verify(made, for: message, nonce: nonce.reversed, secret: secret))
        for length in 0..<made.count {
            #expect(!CommandAuthenticator.verify(Bytes(made.prefix(length)), for: message, nonce: nonce, secret: secret))
        }
        for index in made.indices {
            var changed = made
            changed[index] ^= 0x80
            #expect(!CommandAuthenticator.verify(changed, for: message, nonce: nonce, secret: secret))
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "nonce"))
    func noncesAreFilledUpAndReversed(_ item: VectorCase) throws {
        let nonce = BoxNonce(padding: try #require(item["input"].hex))
        #expect(nonce.bytes == item["nonce"].hex)
        #expect(nonce.reversed.bytes == item["reversed"].hex)
        #expect(try BoxNonce(wireBytes: nonce.wireBytes) == nonce)
        #expect(try BoxNonce(wireString: nonce.wireString) == nonce)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "pad"))
    func paddingIsAsRecorded(_ item: VectorCase) throws {
        let message = try #require(item["message"].hex)
        let length = Int(try #require(item["padded_len"].int))
        if let padded = item["padded"].hex {
            #expect(try MessagePadding.pad(message, to: length) == padded)
            #expect(try MessagePadding.unpad(padded) == message)
        } else {
            #expect { try MessagePadding.pad(message, to: length) } throws: { ($0 as? CryptoError)?.code == .messageTooLong }
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "unpad"))
    func unpaddingReadsTheLengthOnly(_ item: VectorCase) throws {
        let padded = try #require(item["padded"].hex)
        if let message = item["message"].hex {
            #expect(try MessagePadding.unpad(padded) == message)
        } else {
            #expect { try MessagePadding.unpad(padded) } throws: { ($0 as? CryptoError)?.code == .invalidPadding }
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "pad-limit"))
    func noPaddingHoldsMoreThanTheProtocolsLimit(_ item: VectorCase) throws {
        let limit = Int(try #require(item["max_message_len"].int))
        #expect(limit == MessagePadding.maximumMessage)
        #expect(try MessagePadding.pad(Bytes(repeating: 0, count: limit), to: 70_000).count == 70_000)
        #expect { try MessagePadding.pad(Bytes(repeating: 0, count: limit + 1), to: 70_000) } throws: {
            ($0 as? CryptoError)?.code == .messageTooLong
        }
    }
}
