import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@Suite struct SymmetricVectorTests {
    @Test(arguments: try Vectors.cases("crypto", kinds: "aead", "aes-gcm-12"))
    func aesGCMWithBothSizesOfIV(_ item: VectorCase) throws {
        let key = SecretBytes(try #require(item["key"].hex))
        let iv = try #require(item["iv"].hex)
        let associated = item["ad"].hex ?? []
        let message = try #require(item["message"].hex)
        let plaintext = try item["padded_len"].int.map { try MessagePadding.pad(message, to: Int($0)) } ?? message
        let sealed = try AESGCM.seal(plaintext, key: key, iv: iv, authenticating: associated)
        #expect(sealed.ciphertext == item["ciphertext"].hex)
        #expect(sealed.tag == item["tag"].hex)
        #expect(
            try AESGCM.open(sealed.ciphertext, tag: sealed.tag, key: key, iv: iv, authenticating: associated) == plaintext)
        #expect { try AESGCM.open(sealed.ciphertext, tag: sealed.tag, key: key, iv: iv, authenticating: associated + [0]) } throws: {
            ($0 as? CryptoError)?.code == .decryptionFailed
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "hkdf-sha512"))
    func keysAreDerivedAsRecorded(_ item: VectorCase) throws {
        let count = Int(try #require(item["len"].int))
        let output = HKDF.derive(
            from: SecretBytes(try #require(item["ikm"].hex)), salt: try #require(item["salt"].hex),
            info: Bytes(try #require(item["info_utf8"].string).utf8), count: count)
        #expect(output.bytes == item["out"].hex)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "sb-chain"))
    func bothDirectionsOfBlockEncryptionMoveOnAsRecorded(_ item: VectorCase) throws {
        let secret = SecretBytes(try #require(item["dh_secret"].hex))
        let sessionID = try #require(item["salt_session_id"].hex)
        let server = SecretBoxChain.chains(for: .server, secret: secret, sessionID: sessionID)
        let client = SecretBoxChain.chains(for: .client, secret: secret, sessionID: sessionID)
        #expect(server.send.chainKey == client.receive.chainKey)
        #expect(server.receive.chainKey == client.send.chainKey)
        #expect(server.send.chainKey.bytes == item["chain_key_1"].hex)
        #expect(client.send.chainKey.bytes == item["chain_key_2"].hex)
        for (chain, steps) in [(server.send, item["steps_1"]), (client.send, item["steps_2"])] {
            var chain = chain
            for step in try #require(steps.array) {
                #expect(chain.chainKey.bytes == step["chain_key"].hex)
                let block = chain.next()
                #expect(block.secret.secret.bytes == step["sb_key"].hex)
                #expect(block.nonce.bytes == step["nonce"].hex)
                #expect(chain.chainKey.bytes == step["next_chain_key"].hex)
            }
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "hash"))
    func hashesAreAsRecorded(_ item: VectorCase) throws {
        let message = try #require(item["message"].hex)
        #expect(Hash.sha256(message) == item["sha256"].hex)
        #expect(Hash.sha512(message) == item["sha512"].hex)
        #expect(Hash.sha3_256(message) == item["sha3_256"].hex)
        #expect(Hash.sha3_384(message) == item["sha3_384"].hex)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "sender-id"))
    func senderIdentifiersFollowFromTheCorrelation(_ item: VectorCase) throws {
        #expect(QueueIDs.senderID(correlationID: try #require(item["corr_id"].hex)) == item["sender_id"].hex)
    }
}
