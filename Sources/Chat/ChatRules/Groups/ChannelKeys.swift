package import ChatAPI
package import ChatProtocol
package import SMPCrypto
package import SMPWire

/// The key of a member with which it signs in a channel, and what its signatures are bound to.
package struct ChannelSigner: Sendable {
    package let key: Ed25519.PrivateKey
    package let binding: ChatBinding

    /// - Returns: nil for a group without relays, or one whose keys this profile does not have.
    package init?(_ group: GroupInfo) {
        guard group.usesRelays, let keys = group.groupKeys, let id = group.groupProfile.publicGroup?.publicGroupID,
            let key = keys.memberSigningKey
        else { return nil }
        self.key = key
        binding = .group(publicGroupID: id.bytes, member: group.membership.memberID)
    }

    /// A message with its signature, whatever its event.
    package func proof(of body: Bytes) -> Bytes { SignedMessage(signing: body, in: binding, with: key).element }

    /// The message as it is sent, with its signature.
    ///
    /// - Returns: nil for events that are not signed.
    package func element(of body: Bytes, tag: ChatEventTag) -> Bytes? {
        guard tag.requiresSignature else { return nil }
        return SignedMessage(signing: body, in: binding, with: key).element
    }
}

extension GroupKeys {
    /// The key that this member signs with; nil if it cannot be read.
    package var memberSigningKey: Ed25519.PrivateKey? { Self.privateKey(memberPrivateKey) }

    /// The key that authorizes owners; nil for all members except the creator of the group.
    package var rootSigningKey: Ed25519.PrivateKey? {
        guard case .private(let text) = rootKey else { return nil }
        return Self.privateKey(text)
    }

    private static func privateKey(_ text: String) -> Ed25519.PrivateKey? {
        guard let inner = Base64URL.decode(text), let bytes = Base64URL.decode(String(decoding: inner, as: UTF8.self)) else { return nil }
        return try? Ed25519.PrivateKey(pkcs8: bytes)
    }

    /// A private key as the API shows it: the base64url text of the base64url text of its PKCS #8 form.
    package static func text(_ key: Ed25519.PrivateKey) -> String {
        Base64URL.encode(Bytes(Base64URL.encode(key.pkcs8.bytes).utf8))
    }
}

extension GroupMember {
    /// The key with which the member signs; nil if it is not known.
    package var signingKey: Ed25519.PublicKey? { publicKey.flatMap { try? Ed25519.PublicKey(wireString: $0) } }
}

extension SecurityCode {
    /// The code that two members of a channel compare to find out whether the relays have told each the key of the other: the same for both.
    package init(keys: Ed25519.PublicKey, _ other: Ed25519.PublicKey) {
        let sorted = [keys.raw, other.raw].sorted { $0.lexicographicallyPrecedes($1) }
        self.init(hash: Hash.sha256(sorted[0] + sorted[1]))
    }
}
