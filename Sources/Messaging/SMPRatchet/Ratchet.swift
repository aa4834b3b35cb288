import SMPCrypto
package import SMPWire

/// One side of a double ratchet with encrypted headers and, from version 3, a post-quantum KEM (pqdr.md).
///
/// A value without I/O: each message moves it on, and the new value must be stored before the message is sent or acknowledged.
/// Sending has two phases: ``sealHeader(pqEncryption:maximumVersion:)`` when a message is accepted, and
/// ``RatchetMessageKey/sealMessage(_:paddedTo:)`` when it is sent. Keys of messages that are overtaken are kept apart, in
/// ``SkippedMessageKeys``.
package struct Ratchet: Sendable, Equatable {
    /// The most messages that may be missing before a received one in its chain.
    package static let maximumSkipped: UInt32 = 512
    /// The most keys of missing messages that are kept for one ratchet. When there are more, those of the oldest chains are given up:
    /// otherwise a peer could make this side keep, and try for every header, as many as it likes.
    package static let maximumKept = 5_120
    /// The most chains that keys of missing messages are kept of: each chain's header key is tried for every message that no other key decrypts,
    /// which must not cost much more than a message that can be decrypted. A message is given up that comes so many of the peer's turns late.
    package static let maximumKeptChains = 64

    struct SendingChain: Sendable, Equatable {
        var chainKey: SecretBytes
        let headerKey: SecretBytes
    }

    struct ReceivingChain: Sendable, Equatable {
        var chainKey: SecretBytes
        let headerKey: SecretBytes
    }

    struct KEM: Sendable, Equatable {
        /// The key pair to which the peer's next step encapsulates.
        let keyPair: SNTRUP761.KeyPair
        /// Holds the secret of the sending chain; nil as long as the KEM is only proposed.
        var ciphertext: SNTRUP761.Ciphertext?

        var announced: RatchetParameters.KEM {
            ciphertext.map { .accepted($0, keyPair.publicKey) } ?? .proposed(keyPair.publicKey)
        }
    }

    package internal(set) var versions: RatchetVersions
    /// The same on both sides, and in the authentication of every message. People compare its hash as the security code.
    package let associatedData: Bytes
    var key: X448.PrivateKey
    var kem: KEM?
    /// True if headers have room for a KEM, so that bodies must leave it to them. Once on it stays on.
    package internal(set) var supportsPQ: Bool
    /// True if the next step uses or proposes the KEM.
    package internal(set) var enablesPQ: Bool
    /// True if the sending chain is protected by a KEM secret.
    package internal(set) var isSendingPQ: Bool
    /// True if the receiving chain is protected by a KEM secret.
    package internal(set) var isReceivingPQ: Bool
    var rootKey: SecretBytes
    var sending: SendingChain?
    var receiving: ReceivingChain?
    /// Messages sent in the sending chain.
    var sentCount: UInt32
    /// Messages received or skipped in the receiving chain.
    var receivedCount: UInt32
    /// Messages sent in the sending chain before.
    var previousSentCount: UInt32
    var nextSendingHeaderKey: SecretBytes
    var nextReceivingHeaderKey: SecretBytes

    /// True if messages can be sent: from the start if this side sends first, else once a message was received.
    package var canSend: Bool { sending != nil }
}
