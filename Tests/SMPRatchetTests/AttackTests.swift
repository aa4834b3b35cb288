import SMPCrypto
import SMPWire
import Testing

@testable import SMPRatchet

@Suite struct MessageAttackTests {
    private let random = SeededRandomSource(seed: [9])

    /// Checks that bytes are refused without a trace.
    private func expectRefusal(_ bytes: Bytes, by side: Side, _ codes: RatchetError.Code...) {
        var ratchet = side.ratchet
        var skipped = side.skipped
        let opened = ratchet.open(bytes, skipped: &skipped, random: random)
        guard case .failure(let error) = opened.plaintext else {
            Issue.record("something was decrypted")
            return
        }
        #expect(codes.contains(error.code), "\(error)")
        #expect(ratchet == side.ratchet)
        #expect(skipped.sorted == side.skipped.sorted)
        #expect(!opened.isChanged && opened.addedKeys.isEmpty && opened.removedKey == nil)
    }

    /// A message of `sender`'s chain with a header as a hostile peer that has all keys would make it.
    private func forge(
        _ sender: Side, version: UInt16 = 3, pq: Bool = false, tail: Bytes = [], _ change: (inout MessageHeader) -> Void
    ) throws -> Bytes {
        let chain = try #require(sender.ratchet.sending)
        let link = KeyDerivation.chain(chain.chainKey)
        var header = MessageHeader(
            maximumVersion: 3, key: sender.ratchet.key.publicKey, kem: sender.ratchet.kem?.announced,
            previousCount: sender.ratchet.previousSentCount, number: sender.ratchet.sentCount)
        change(&header)
        let padded = try MessagePadding.pad(header.encoded(version: version) + tail, to: pq ? 2310 : 88)
        let sealed = try AESGCM.seal(
            padded, key: chain.headerKey, iv: link.headerIV, authenticating: sender.ratchet.associatedData)
        let encrypted = version.wireBytes + link.headerIV + sealed.tag + LargeBytes(sealed.ciphertext).wireBytes
        let key = RatchetMessageKey(
            version: 3, key: link.messageKey, associatedData: sender.ratchet.associatedData, header: encrypted)
        return try key.sealMessage(Bytes("forged".utf8), paddedTo: 100)
    }

    @Test("A message that ends too early is refused, wherever it ends", arguments: Agreement.allCases)
    func truncated(agreement: Agreement) throws {
        var (initiator, joiner) = try agreement.established(random)
        let message = try joiner.seal("a message")
        let headerEnd = message.count - 200
        for length in stride(from: 0, to: headerEnd, by: 7) {
            expectRefusal(Bytes(message[..<length]), by: initiator, .malformedMessage)
        }
        // With a whole header, a body that is cut off uses its key up.
        var cut = initiator
        #expect(throws: RatchetError.self) { try cut.open(message.dropLast(1) + [], random) }
        #expect(cut.ratchet.receivedCount == initiator.ratchet.receivedCount + 1 || cut.ratchet.key != initiator.ratchet.key)
        #expect(try initiator.open(message, random) == "a message")
    }

    @Test("A message with any byte of its header changed leaves no trace", arguments: Agreement.allCases)
    func garbledHeader(agreement: Agreement) throws {
        var (initiator, joiner) = try agreement.established(random)
        let message = try joiner.seal("a message")
        let headerEnd = message.count - 216
        // Only the body's authentication covers the version, behind the length.
        for offset in stride(from: 4, to: headerEnd, by: headerEnd > 1000 ? 31 : 1) {
            var garbled = message
            garbled[offset] ^= 0x80
            expectRefusal(garbled, by: initiator, .header, .malformedMessage)
        }
        #expect(try initiator.open(message, random) == "a message")
    }

    @Test("A message with its body changed is refused, and uses up its own key only", arguments: Agreement.allCases)
    func garbledBody(agreement: Agreement) throws {
        var (initiator, joiner) = try agreement.established(random)
        let (first, second) = (try joiner.seal("first"), try joiner.seal("second"))
        for offset in [first.count - 1, first.count - 200, first.count - 201, first.count - 216] {
            var copy = initiator
            var garbled = first
            garbled[offset] ^= 1
            let error = #expect(throws: RatchetError.self) { try copy.open(garbled, random) }
            #expect(error?.code == .decryptionFailed)
            // The key is gone: the true message now counts as a repeated one.
            let repeated = #expect(throws: RatchetError.self) { try copy.open(first, random) }
            #expect(repeated?.code == .duplicateMessage)
            #expect(try copy.open(second, random) == "second")
        }
        #expect(try initiator.open(first, random) == "first")
    }

    @Test("Random bytes are refused")
    func noise() throws {
        let (initiator, _) = try Agreement.accepted.established(random)
        for length in [0, 1, 2, 31, 32, 34, 123, 300, 2400, 16_000] {
            for _ in 0..<20 { expectRefusal(random.bytes(length), by: initiator, .malformedMessage, .header) }
        }
    }

    @Test("A message is decrypted once: at once, late, and after the peer has new keys", arguments: Agreement.allCases)
    func replayed(agreement: Agreement) throws {
        var (initiator, joiner) = try agreement.established(random)
        let messages = try (0..<4).map { try joiner.seal("message \($0)") }
        #expect(try initiator.open(messages[0], random) == "message 0")
        expectRefusal(messages[0], by: initiator, .duplicateMessage)
        #expect(try initiator.open(messages[3], random) == "message 3")
        expectRefusal(messages[0], by: initiator, .earlierMessage(3))
        #expect(initiator.skipped.count == 2)
        #expect(try initiator.open(messages[1], random) == "message 1")
        expectRefusal(messages[1], by: initiator, .earlierMessage(2))

        _ = try joiner.open(try initiator.seal("answer"), random)
        #expect(try initiator.open(try joiner.seal("with new keys"), random) == "with new keys")
        // Message 2 is still missing, so the key of its chain's headers is known; all others of the chain are gone.
        expectRefusal(messages[1], by: initiator, .header)
        #expect(try initiator.open(messages[2], random) == "message 2")
        for message in messages { expectRefusal(message, by: initiator, .header) }
        #expect(initiator.skipped.isEmpty)
    }

    @Test("A message of another conversation is refused")
    func foreign() throws {
        let (initiator, _) = try Agreement.accepted.established(random)
        var (_, stranger) = try Agreement.accepted.established(random)
        expectRefusal(try stranger.seal("not for you"), by: initiator, .header)
        var own = initiator
        expectRefusal(try own.seal("sent back"), by: initiator, .header)
    }

    @Test("512 messages may be missing, not more")
    func tooManySkipped() throws {
        var (initiator, joiner) = try Agreement.withoutKEM.established(random)
        _ = try initiator.open(try joiner.seal("first"), random)
        for _ in 0..<512 { _ = try joiner.ratchet.sealHeader() }
        let within = try joiner.seal("within")
        let beyond = try joiner.seal("beyond")
        expectRefusal(beyond, by: initiator, .tooManySkipped(514))
        #expect(try initiator.open(within, random) == "within")
        #expect(initiator.skipped.count == 512)
        #expect(try initiator.open(beyond, random) == "beyond")
    }

    @Test("A header with numbers at their ends is refused without a trace or a long computation")
    func numbers() throws {
        var (initiator, joiner) = try Agreement.withoutKEM.established(random)
        _ = try initiator.open(try joiner.seal("first"), random)
        expectRefusal(try forge(joiner) { $0.number = .max }, by: initiator, .tooManySkipped(.max))
        expectRefusal(try forge(joiner) { $0.number = 0 }, by: initiator, .duplicateMessage)
        // A step to new keys that says how long the previous chain was.
        var stepping = joiner
        _ = try stepping.open(try initiator.seal("answer"), random)
        expectRefusal(try forge(stepping) { $0.previousCount = .max }, by: initiator, .tooManySkipped(.max))
        expectRefusal(try forge(stepping) { $0.previousCount = 514 }, by: initiator, .tooManySkipped(514))
    }

    @Test("A step to a key that gives no secret is refused without a trace")
    func smallOrder() throws {
        var (initiator, joiner) = try Agreement.withoutKEM.established(random)
        _ = try joiner.open(try initiator.seal("answer"), random)
        let zero = try X448.PublicKey(raw: Bytes(repeating: 0, count: 56))
        let forged = try forge(joiner) { $0.key = zero }
        expectRefusal(forged, by: initiator, .invalidKey)
    }

    @Test("A KEM that is accepted though none was proposed is refused without a trace")
    func unproposedKEM() throws {
        let (initiator, joiner) = try Agreement.withoutKEM.established(random)
        let pair = SNTRUP761.generateKeyPair(random)
        let encapsulation = SNTRUP761.encapsulate(to: pair.publicKey, random)
        let forged = try forge(joiner, pq: true) { $0.kem = .accepted(encapsulation.ciphertext, pair.publicKey) }
        expectRefusal(forged, by: initiator, .kemState)
    }

    @Test("A KEM ciphertext that is not for our key gives a chain that nothing of can be decrypted")
    func wrongCiphertext() throws {
        var (initiator, joiner) = try Agreement.accepted.established(random)
        let other = SNTRUP761.encapsulate(to: SNTRUP761.generateKeyPair(random).publicKey, random)
        let pair = try #require(joiner.ratchet.kem?.keyPair)
        let forged = try forge(joiner, pq: true) { $0.kem = .accepted(other.ciphertext, pair.publicKey) }
        let error = #expect(throws: RatchetError.self) { try initiator.open(forged, random) }
        #expect(error?.code == .decryptionFailed)
    }

    @Test("A header of a later version, with fields that are not known yet, is read")
    func laterVersion() throws {
        let (initiator, joiner) = try Agreement.withoutKEM.established(random)
        let forged = try forge(joiner, version: 9, tail: [1, 2, 3, 4]) { $0.maximumVersion = 9 }
        var copy = initiator
        #expect(try copy.open(forged, random) == "forged")
        #expect(copy.ratchet.versions == RatchetVersions(current: 3, maximum: 3))
    }

    @Test("A header that cannot be read though its key is right is refused without a trace")
    func unreadableHeader() throws {
        let (initiator, joiner) = try Agreement.withoutKEM.established(random)
        let chain = try #require(joiner.ratchet.sending)
        for content in [Bytes(), [0, 3], Bytes(repeating: 0xFF, count: 80)] {
            let iv = random.bytes(16)
            let sealed = try AESGCM.seal(
                try MessagePadding.pad(content, to: 88), key: chain.headerKey, iv: iv, authenticating: joiner.ratchet.associatedData)
            let header = UInt16(3).wireBytes + iv + sealed.tag + LargeBytes(sealed.ciphertext).wireBytes
            expectRefusal(LargeBytes(header).wireBytes + random.bytes(116), by: initiator, .malformedMessage)
        }
    }

    @Test("A body whose padding declares more than there is, is refused and uses up its key")
    func invalidPadding() throws {
        let (initiator, joiner) = try Agreement.withoutKEM.established(random)
        var sender = joiner
        let key = try sender.ratchet.sealHeader()
        let body = try AESGCM.seal(
            [0xFF, 0xFF, 1, 2, 3], key: key.key.key, iv: key.key.iv, authenticating: key.associatedData + key.header)
        var receiver = initiator
        let message = EncryptedMessage.encode(header: key.header, version: key.version, body: body)
        let error = #expect(throws: RatchetError.self) { try receiver.open(message, random) }
        #expect(error?.code == .invalidPadding)
        #expect(try receiver.open(try sender.seal("next"), random) == "next")
    }

    @Test("Lengths of one and of two bytes are both read")
    func lengthForms() throws {
        var (initiator, joiner) = try Agreement.withoutKEM.established(random)
        let message = try joiner.seal("short form")
        // Only the outer length can be rewritten: the body's authentication covers the inner one.
        #expect(message[0] == 0 && Int(message[1]) == message.count - 218)
        #expect(try initiator.open(Bytes(message.dropFirst()), random) == "short form")
    }
}
