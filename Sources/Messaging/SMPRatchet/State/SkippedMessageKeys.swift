package import SMPCrypto

/// The key of a message that was not received yet, though later ones were.
package struct SkippedMessageKey: Sendable, Equatable {
    /// 32 bytes: the key of the headers in the chain that the message belongs to.
    package let headerKey: SecretBytes
    /// The number of the message in its chain, from 0.
    package let number: UInt32
    let messageKey: MessageKey

    /// 48 bytes: the message's key and IV.
    package var key: SecretBytes { messageKey.bytes }

    init(headerKey: SecretBytes, number: UInt32, messageKey: MessageKey) {
        self.headerKey = headerKey
        self.number = number
        self.messageKey = messageKey
    }

    /// A key as it was stored.
    ///
    /// - Throws: ``RatchetError`` `malformedState` if a size is wrong.
    package init(headerKey: SecretBytes, number: UInt32, key: SecretBytes) throws(RatchetError) {
        guard headerKey.count == AESGCM.keySize, let messageKey = MessageKey(key) else {
            throw RatchetError(.malformedState, "a skipped message's key has the wrong size")
        }
        self.init(headerKey: headerKey, number: number, messageKey: messageKey)
    }
}

/// The keys of all messages that were skipped, by header key and message number.
///
/// They are apart from the ``Ratchet`` so that a store can hold each as a row: decrypting tells which were added and removed.
package struct SkippedMessageKeys: Sendable {
    struct Chain: Sendable {
        let headerKey: SecretBytes
        var keys: [UInt32: MessageKey]
    }

    // Few chains have gaps, and each is tried when a header is not of the current ones: a list serves better than a dictionary, and
    // compares the keys in constant time.
    private(set) var chains: [Chain] = []

    package init() {}

    /// Keys as a store kept them, the oldest first.
    package init(_ keys: some Sequence<SkippedMessageKey>) {
        for key in keys { insert(key) }
    }

    package var isEmpty: Bool { chains.isEmpty }
    package var count: Int { chains.reduce(0) { $0 + $1.keys.count } }

    /// All keys, those of one chain together.
    package var keys: [SkippedMessageKey] {
        chains.flatMap { chain in
            chain.keys.map { SkippedMessageKey(headerKey: chain.headerKey, number: $0.key, messageKey: $0.value) }
        }
    }

    func contains(headerKey: SecretBytes, number: UInt32) -> Bool {
        index(of: headerKey).map { chains[$0].keys[number] != nil } ?? false
    }

    /// Adds a key, in place of one of the same message.
    package mutating func insert(_ key: SkippedMessageKey) {
        if let index = index(of: key.headerKey) {
            chains[index].keys[key.number] = key.messageKey
        } else {
            chains.append(Chain(headerKey: key.headerKey, keys: [key.number: key.messageKey]))
        }
    }

    /// Takes a key out.
    ///
    /// - Returns: nil if it is not here.
    @discardableResult
    package mutating func remove(headerKey: SecretBytes, number: UInt32) -> SkippedMessageKey? {
        guard let index = index(of: headerKey), let key = chains[index].keys.removeValue(forKey: number) else { return nil }
        if chains[index].keys.isEmpty { chains.remove(at: index) }
        return SkippedMessageKey(headerKey: headerKey, number: number, messageKey: key)
    }

    /// Takes the chains out that were added first, until there are no more keys than `maximum` and no more chains than `maximumChains`.
    mutating func dropOldest(keeping maximum: Int, maximumChains: Int) -> [SkippedMessageKey] {
        var excess = count - maximum
        var dropped: [SkippedMessageKey] = []
        while excess > 0 || chains.count > maximumChains, !chains.isEmpty {
            let chain = chains.removeFirst()
            excess -= chain.keys.count
            dropped += chain.keys.map { SkippedMessageKey(headerKey: chain.headerKey, number: $0.key, messageKey: $0.value) }
        }
        return dropped
    }

    private func index(of headerKey: SecretBytes) -> Int? { chains.firstIndex { $0.headerKey == headerKey } }
}
