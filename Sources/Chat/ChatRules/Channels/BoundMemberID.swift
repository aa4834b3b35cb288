package import ChatProtocol
package import SMPCrypto
import SMPWire

/// The identifiers of subscribers that are bound to their keys.
///
/// A subscriber chooses its identifier itself, and tells it with its key to each relay. Relays tell each other nothing: what one of them refuses because
/// it knows the identifier, another one would take, and would pass on comments in the name of somebody else. An identifier of 32 bytes is therefore the
/// hash of the key. Anyone who has another key cannot use it, at any relay that checks. Official clients draw 12 random bytes, which are bound to nothing.
package enum BoundMemberID {
    /// The length of identifiers that are bound: that of a SHA-256 hash.
    package static let length = 32

    /// The identifier for a key.
    package static func identifier(for key: Ed25519.PublicKey) -> MemberID { MemberID(Hash.sha256(Bytes("channel member ".utf8) + key.raw)) }

    /// Tells whether a key can belong to an identifier: always, if the identifier is bound to none.
    ///
    /// - Parameter key: nil without a key, which proves nothing and claims nothing.
    package static func permits(_ id: MemberID, key: Ed25519.PublicKey?) -> Bool {
        guard id.bytes.count == length, let key else { return true }
        return id == identifier(for: key)
    }
}
