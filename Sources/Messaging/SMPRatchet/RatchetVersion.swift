package import SMPWire

/// The versions of the ratchet (pqdr.md).
package enum RatchetVersion {
    /// Keys are derived with a KDF in the agreement.
    package static let kdf: UInt16 = 2
    /// A post-quantum KEM can be part of each step.
    package static let kem: UInt16 = 3
    /// The highest version of this implementation.
    package static let current: UInt16 = kem
    /// All versions of this implementation.
    package static let supported = VersionRange(kdf...current)
}

/// Which version a ratchet speaks, and up to which it could.
///
/// Each message says the highest version that its sender supports, and the current version rises to what both support.
package struct RatchetVersions: Sendable, Hashable {
    /// The version that messages are sent in; it never falls.
    package internal(set) var current: UInt16
    /// The highest version that is announced to the peer.
    package internal(set) var maximum: UInt16

    package init(current: UInt16, maximum: UInt16) {
        self.current = current
        self.maximum = maximum
    }

    /// Takes note of the highest version of the peer.
    mutating func raise(to peer: UInt16) { current = max(current, min(peer, maximum)) }
}
