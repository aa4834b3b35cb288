package import SMPWire

/// One direction of the encryption of transport blocks: each block has its own key and nonce, derived from a chain key that
/// advances with every block (simplex-messaging.md, "Transport handshake").
package struct SecretBoxChain: Sendable {
    /// The key and nonce of one block.
    package struct BlockKey: Sendable {
        package let secret: BoxSecret
        package let nonce: BoxNonce
    }

    /// The side of a connection that uses the chains.
    package enum Side: Sendable { case client, server }

    /// The chain key of 32 bytes; the next block's key depends only on it.
    package private(set) var chainKey: SecretBytes

    /// - Throws: ``CryptoError`` `invalidSize` unless the key has 32 bytes.
    package init(chainKey: SecretBytes) throws(CryptoError) {
        guard chainKey.count == 32 else { throw CryptoError(.invalidSize, "a chain key has 32 bytes") }
        self.chainKey = chainKey
    }

    private init(derived chainKey: SecretBytes) { self.chainKey = chainKey }

    /// Derives the chains of one side.
    ///
    /// - Parameters:
    ///   - secret: the secret on which the X25519 keys of client and server agree.
    ///   - sessionID: the TLS channel binding of the connection.
    package static func chains(
        for side: Side, secret: SecretBytes, sessionID: Bytes
    ) -> (send: SecretBoxChain, receive: SecretBoxChain) {
        let keys = HKDF.derive(from: secret, salt: sessionID, info: "SimpleXSbChainInit", count: 64)
        let server = SecretBoxChain(derived: keys[0..<32])
        let client = SecretBoxChain(derived: keys[32..<64])
        return switch side {
        case .client: (send: client, receive: server)
        case .server: (send: server, receive: client)
        }
    }

    /// Returns the key and nonce of the next block, and advances the chain.
    package mutating func next() -> BlockKey {
        let output = HKDF.derive(from: chainKey, salt: [], info: "SimpleXSbChain", count: 88)
        chainKey = output[0..<32]
        let nonce = output.withBytes { BoxNonce(copying: $0[64..<88]) }
        return BlockKey(secret: BoxSecret(derived: output[32..<64]), nonce: nonce)
    }
}
