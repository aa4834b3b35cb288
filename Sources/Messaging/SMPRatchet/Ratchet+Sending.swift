import SMPCrypto

extension Ratchet {
    /// Takes the next key of the sending chain and encrypts the header of a message.
    ///
    /// - Parameters:
    ///   - pqEncryption: turns post-quantum encryption on or off from the next steps on; nil leaves it as it is. On makes the headers
    ///     long if the version allows it.
    ///   - maximumVersion: the highest version to announce to the peer.
    /// - Returns: the key for the body, for one use.
    /// - Throws: ``RatchetError`` `cannotSend`; the ratchet is then as it was.
    package mutating func sealHeader(
        pqEncryption: Bool? = nil, maximumVersion: UInt16 = RatchetVersion.current
    ) throws(RatchetError) -> RatchetMessageKey {
        guard let chain = sending, sentCount < .max else {
            throw RatchetError(.cannotSend, sending == nil ? "nothing was received yet" : "the chain has no keys left")
        }
        let version = versions.current
        let enablesPQ = pqEncryption ?? self.enablesPQ
        let supportsPQ = supportsPQ || (enablesPQ && version >= RatchetVersion.kem)
        // Turning post-quantum encryption on tells the peer that the version can rise, which happens when the peer answers.
        let announced = max(maximumVersion, pqEncryption == true ? RatchetVersion.kem : version)
        let link = KeyDerivation.chain(chain.chainKey)
        let header = try EncryptedHeader.seal(
            MessageHeader(
                maximumVersion: announced, key: key.publicKey, kem: kem?.announced, previousCount: previousSentCount,
                number: sentCount),
            version: version, paddedTo: MessageHeader.paddedLength(version: version, supportsPQ: supportsPQ),
            key: chain.headerKey, iv: link.headerIV, associatedData: associatedData)
        sending?.chainKey = link.chainKey
        sentCount += 1
        self.enablesPQ = enablesPQ
        self.supportsPQ = supportsPQ
        versions.maximum = announced
        // Turning post-quantum encryption off leaves the KEM of this chain announced: the chain's keys depend on its secret, and the
        // peer may get a later header of the chain first. The official client stops announcing it after one message.
        return RatchetMessageKey(version: version, key: link.messageKey, associatedData: associatedData, header: header)
    }
}
