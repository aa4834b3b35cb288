import SMPCrypto
public import SMPWire

/// What a message changes in a ratchet that does not make a step: a hundred bytes, beside the keys of the step, which with a KEM are more than
/// three thousand. A store writes the whole ratchet at a step, and this at the messages between two steps.
extension Ratchet {
    private static let progressFormat: UInt8 = 1

    /// Whether one ratchet comes of the other by messages alone, without a step: then its ``progress`` tells all that is different.
    public func isSameStep(as other: Ratchet) -> Bool {
        rootKey == other.rootKey && nextSendingHeaderKey == other.nextSendingHeaderKey
            && nextReceivingHeaderKey == other.nextReceivingHeaderKey && sending?.headerKey == other.sending?.headerKey
            && receiving?.headerKey == other.receiving?.headerKey && previousSentCount == other.previousSentCount
            && associatedData == other.associatedData
    }

    /// The chains' keys and counters, behind a byte that says the format. It holds keys: keep it as safe as other secrets.
    public var progress: Bytes {
        var writer = WireWriter(reservingCapacity: 96)
        writer.write(byte: Self.progressFormat)
        writer.write(versions.current)
        writer.write(versions.maximum)
        writer.write(byte: flags.rawValue)
        writer.write(sentCount)
        writer.write(receivedCount)
        writer.write(optional: sending) { writer, chain in writer.write(secret: chain.chainKey) }
        writer.write(optional: receiving) { writer, chain in writer.write(secret: chain.chainKey) }
        return writer.bytes
    }

    /// A ratchet of ``encoded`` with the ``progress`` that it has made since its step.
    ///
    /// - Throws: ``RatchetError`` `malformedState` if the bytes are not of ``progress``, of a later format, or of a ratchet with other chains.
    public init(encoded bytes: Bytes, progress: Bytes) throws(RatchetError) {
        try self.init(encoded: bytes)
        do throws(WireError) {
            var parser = WireParser(progress)
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
        } catch {
            throw RatchetError(.malformedState, "the progress of a stored ratchet cannot be read: \(error)")
        }
    }
}
