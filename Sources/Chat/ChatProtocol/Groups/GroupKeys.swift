public import SMPCrypto
public import SMPWire

/// Identities and proofs of groups with relays.
public enum GroupIdentity {
    /// The identity of a group: the SHA-256 hash of the bytes of its root key, 32 bytes. It never changes.
    public static func publicGroupID(rootKey: Ed25519.PublicKey) -> Base64URLBytes { Base64URLBytes(Hash.sha256(rootKey.raw)) }

    /// A relay's answer to a test: its signature over the challenge (`x.grp.relay.test`).
    public static func answer(challenge: Base64URLBytes, with key: Ed25519.PrivateKey) -> Base64URLBytes {
        Base64URLBytes(key.signature(for: challenge.bytes))
    }

    /// Verifies that a relay has answered a test with the key of its address.
    public static func isAnswer(
        _ signature: Base64URLBytes, to challenge: Base64URLBytes, by key: Ed25519.PublicKey
    ) -> Bool { key.isValidSignature(signature.bytes, for: challenge.bytes) }
}

extension LinkOwnerSignature {
    /// Signs a link that is shared in a chat.
    ///
    /// - Parameter binaryLink: The binary form of the short link.
    public init(sharing binaryLink: Bytes, in chat: ChatBinding, ownerID: Base64URLBytes?, with key: Ed25519.PrivateKey) {
        let binding = chat.bytes
        self.init(
            ownerID: ownerID, chatBinding: Base64URLBytes(binding),
            signature: Base64URLBytes(key.signature(for: binding + binaryLink)))
    }

    /// Tells whether the owner of the key has shared that link in that chat.
    public func isValid(sharing binaryLink: Bytes, in chat: ChatBinding, key: Ed25519.PublicKey) -> Bool {
        chatBinding.bytes == chat.bytes && isValid(sharing: binaryLink, key: key)
    }

    /// Tells whether the owner of the key has shared that link in the chat that the signature names, whichever that is.
    public func isValid(sharing binaryLink: Bytes, key: Ed25519.PublicKey) -> Bool {
        key.isValidSignature(signature.bytes, for: chatBinding.bytes + binaryLink)
    }
}
