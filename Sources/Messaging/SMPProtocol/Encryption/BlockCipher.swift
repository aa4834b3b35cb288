package import SMPCrypto
package import SMPWire

/// Turns the contents of blocks into blocks of 16,384 bytes and back: padded, and from version 11 encrypted with keys that
/// change with every block.
///
/// A block that cannot be opened ends the session: its key is spent.
package struct BlockCipher: Sendable {
    package static let blockSize = TransmissionBatcher.blockSize

    private var chains: (send: SecretBoxChain, receive: SecretBoxChain)?

    /// Padding only.
    package init() { chains = nil }

    /// - Parameters:
    ///   - secret: what the session keys of client and router agree on.
    ///   - sessionID: the TLS channel binding.
    package init(for side: SecretBoxChain.Side, secret: SecretBytes, sessionID: Bytes) {
        chains = SecretBoxChain.chains(for: side, secret: secret, sessionID: sessionID)
    }

    package var isEncrypting: Bool { chains != nil }

    /// - Throws: ``TransportError`` `largeMessage` if the content does not fit.
    package mutating func seal(_ content: Bytes) throws(TransportError) -> Bytes { try seal(TailBytes(content)) }

    /// Encodes a block's content in the place from which it is sent.
    ///
    /// - Throws: ``TransportError`` `largeMessage` if the content does not fit.
    package mutating func seal(_ content: some WireEncodable) throws(TransportError) -> Bytes {
        do {
            guard let key = chains?.send.next() else {
                var writer = WireWriter(reservingCapacity: Self.blockSize)
                try writer.write(paddedTo: Self.blockSize) { $0.write(content) }
                return writer.finish()
            }
            return try key.secret.seal(nonce: key.nonce, paddedTo: Self.blockSize - BoxSecret.tagSize) { $0.write(content) }
        } catch {
            throw .largeMessage
        }
    }

    /// - Throws: ``TransportError`` `badBlock` if the block has another size, was tampered with or is out of order.
    package mutating func open(_ block: Bytes) throws(TransportError) -> Bytes {
        guard block.count == Self.blockSize else { throw .badBlock }
        do {
            guard let key = chains?.receive.next() else { return try Padding.unpad(block) }
            return try key.secret.openPadded(block, nonce: key.nonce)
        } catch {
            throw .badBlock
        }
    }
}
