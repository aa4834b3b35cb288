package import SMPWire

/// A deniable authorisation of a command: a box with the command's SHA-512, which either of the two parties could have made
/// (simplex-messaging.md, "Authenticating commands").
package enum CommandAuthenticator {
    /// Bytes of an authenticator: 64 of the hash and 16 of the tag.
    package static let size = 80

    /// Makes the 80 bytes.
    ///
    /// - Parameters:
    ///   - message: the authorised bytes.
    ///   - nonce: the correlation id of the transmission.
    ///   - secret: the secret on which the queue's X25519 key and the server's session key agree.
    package static func make(for message: Bytes, nonce: BoxNonce, secret: BoxSecret) -> Bytes {
        secret.seal(Hash.sha512(message), nonce: nonce)
    }

    /// Checks whether the authenticator belongs to the message.
    package static func verify(_ authenticator: Bytes, for message: Bytes, nonce: BoxNonce, secret: BoxSecret) -> Bool {
        guard authenticator.count == size, let hash = try? secret.open(authenticator, nonce: nonce) else { return false }
        return SecretBytes.areEqual(hash, Hash.sha512(message))
    }
}
