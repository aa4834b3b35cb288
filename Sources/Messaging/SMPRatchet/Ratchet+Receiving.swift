package import SMPCrypto
package import SMPWire

/// The outcome of decrypting a message.
package struct OpenedMessage: Sendable {
    /// The message, or why it could not be decrypted.
    package let plaintext: Result<Bytes, RatchetError>
    /// True if the ratchet or the skipped keys are not what they were, also if the message could not be decrypted: they must be stored.
    package let isChanged: Bool
    /// Keys of messages that are missing now.
    package let addedKeys: [SkippedMessageKey]
    /// The key of this message, if it was missing.
    package let removedKey: SkippedMessageKey?
    /// Keys of the oldest chains that are given up, since there were more than ``Ratchet/maximumKept``, or more chains than
    /// ``Ratchet/maximumKeptChains``.
    package var droppedKeys: [SkippedMessageKey] = []
}

extension Ratchet {
    /// Decrypts a message.
    ///
    /// A message whose header cannot be decrypted changes nothing. One with a good header and a bad body has used its key up.
    ///
    /// - Parameters:
    ///   - message: as the peer's ratchet encrypted it.
    ///   - skipped: the keys of messages that are missing.
    ///   - keySource: where the keys of a step come from; nil to make them at once.
    ///   - random: for new keys, when the peer has new ones.
    package mutating func open(
        _ message: Bytes, skipped: inout SkippedMessageKeys, keySource: (any RatchetKeySource)? = nil, random: any RandomSource
    ) -> OpenedMessage {
        open(message, skipped: &skipped, material: RandomMaterial(random: random, source: keySource))
    }

    mutating func open(_ message: Bytes, skipped: inout SkippedMessageKeys, material: some RatchetMaterial) -> OpenedMessage {
        do throws(RatchetError) {
            let encrypted = try EncryptedMessage(message)
            switch try locate(encrypted.header, skipped) {
            case .skipped(let headerKey, let number):
                return openSkipped(encrypted, headerKey, number, &skipped)
            case .current(let header):
                return try receive(encrypted, header, stepping: nil as RandomMaterial?, &skipped)
            case .next(let header):
                return try receive(encrypted, header, stepping: material, &skipped)
            }
        } catch {
            return OpenedMessage(plaintext: .failure(error), isChanged: false, addedKeys: [], removedKey: nil)
        }
    }

    /// Where a message belongs.
    private enum Location {
        case skipped(headerKey: SecretBytes, number: UInt32)
        /// In the receiving chain.
        case current(MessageHeader)
        /// In a chain that begins with the peer's next step.
        case next(MessageHeader)
    }

    private func locate(_ header: EncryptedHeader, _ skipped: SkippedMessageKeys) throws(RatchetError) -> Location {
        // The current chain comes first because most messages are of it; the keys differ, so the order decides nothing.
        if let receiving, let opened = try header.open(receiving.headerKey, associatedData: associatedData) {
            let isSkipped = skipped.contains(headerKey: receiving.headerKey, number: opened.number)
            return isSkipped ? .skipped(headerKey: receiving.headerKey, number: opened.number) : .current(opened)
        }
        if let opened = try header.open(nextReceivingHeaderKey, associatedData: associatedData) { return .next(opened) }
        for chain in skipped.chains {
            guard let opened = try header.open(chain.headerKey, associatedData: associatedData) else { continue }
            guard chain.keys[opened.number] != nil else {
                throw RatchetError(.header, "a message of an earlier chain whose key is not kept: it came again")
            }
            return .skipped(headerKey: chain.headerKey, number: opened.number)
        }
        throw RatchetError(.header, "no key decrypts the header")
    }

    private func openSkipped(
        _ message: EncryptedMessage, _ headerKey: SecretBytes, _ number: UInt32, _ skipped: inout SkippedMessageKeys
    ) -> OpenedMessage {
        let removed = skipped.remove(headerKey: headerKey, number: number)
        let plaintext = Result { () throws(RatchetError) in
            guard let removed else { throw RatchetError(.header, "the key of the message is not kept") }
            return try message.openBody(removed.messageKey, associatedData: associatedData)
        }
        return OpenedMessage(plaintext: plaintext, isChanged: removed != nil, addedKeys: [], removedKey: removed)
    }

    /// - Parameter material: for the step that the message makes; nil if it is of the receiving chain.
    /// - Throws: if nothing has changed.
    private mutating func receive(
        _ message: EncryptedMessage, _ header: MessageHeader, stepping material: (some RatchetMaterial)?,
        _ skipped: inout SkippedMessageKeys
    ) throws(RatchetError) -> OpenedMessage {
        var next = self
        var added: [SkippedMessageKey] = []
        next.versions.raise(to: header.maximumVersion)
        if let material {
            try next.skip(to: header.previousCount, &added)
            try next.step(header, material)
        }
        let plaintext = Result { () throws(RatchetError) in
            try next.skip(to: header.number, &added)
            let key = try next.takeReceivingKey()
            return try message.openBody(key, associatedData: associatedData)
        }
        let isChanged = material != nil || next.receivedCount != receivedCount || next.versions != versions
        for key in added { skipped.insert(key) }
        self = next
        return OpenedMessage(
            plaintext: plaintext, isChanged: isChanged, addedKeys: added, removedKey: nil,
            droppedKeys: added.isEmpty ? [] : skipped.dropOldest(keeping: Ratchet.maximumKept, maximumChains: Ratchet.maximumKeptChains))
    }
}
