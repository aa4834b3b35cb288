package import SMPCrypto
import SMPWire

/// The changes by a message that makes no ratchet step: a hundred bytes, while the keys of a step with a KEM are more than
/// three thousand. A store writes the whole ratchet at a step, and this at the messages between two steps.
extension Ratchet {
    private static let progressFormat: UInt8 = 1

    /// Checks whether one ratchet comes of the other by messages alone, without a step: then its ``progress`` tells all that is different.
    package func isSameStep(as other: Ratchet) -> Bool {
        rootKey == other.rootKey && nextSendingHeaderKey == other.nextSendingHeaderKey
            && nextReceivingHeaderKey == other.nextReceivingHeaderKey && sending?.headerKey == other.sending?.headerKey
            && receiving?.headerKey == other.receiving?.headerKey && previousSentCount == other.previousSentCount
            && associatedData == other.associatedData
    }

    /// The chains' keys and counters, behind a byte that says the format.
    package var progress: SecretBytes { SecretBytes(reservingCapacity: 96) { encodeProgress(to: &$0) } }

    private func encodeProgress(to writer: inout WireWriter) {
        writer.write(byte: Self.progressFormat)
        writer.write(versions.current)
        writer.write(versions.maximum)
        writer.write(byte: flags.rawValue)
        writer.write(sentCount)
        writer.write(receivedCount)
        writer.write(optional: sending) { writer, chain in writer.write(secret: chain.chainKey) }
        writer.write(optional: receiving) { writer, chain in writer.write(secret: chain.chainKey) }
    }

    /// A ratchet of ``encoded`` with the ``progress`` that it has made since its step.
    ///
    /// - Throws: ``RatchetError`` `malformedState` if the bytes are not of ``progress``, of a later format, or of a ratchet with other chains.
    package init(encoded secret: SecretBytes, progress: SecretBytes) throws(RatchetError) {
        try self.init(encoded: secret)
        do throws(WireError) {
            self = try progress.decode { [self] parser throws(WireError) in
                var moved = self
                try moved.readProgress(&parser)
                return moved
            }
        } catch {
            throw RatchetError(.malformedState, "the progress of a stored ratchet cannot be read: \(error)")
        }
    }

    private mutating func readProgress(_ parser: inout WireParser) throws(WireError) {
        try parser.expect(Self.progressFormat)
        versions = RatchetVersions(current: try parser.read(), maximum: try parser.read())
        flags = try parser.ratchetFlags()
        sentCount = try parser.read()
        receivedCount = try parser.read()
        let sent = try parser.optional { parser throws(WireError) in try parser.secret(32) }
        let received = try parser.optional { parser throws(WireError) in try parser.secret(32) }
        guard (sent != nil) == (sending != nil), (received != nil) == (receiving != nil) else {
            throw parser.error(.invalidValue, "the chains of a ratchet")
        }
        if let sent { sending?.chainKey = sent }
        if let received { receiving?.chainKey = received }
        try parser.finish()
    }
}
