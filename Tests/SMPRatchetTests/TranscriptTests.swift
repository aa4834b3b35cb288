import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@testable import SMPRatchet

/// A recorded step, with what it needs of the rest of the transcript.
struct RecordedStep: Sendable, CustomStringConvertible {
    let transcript: String
    let index: Int
    let step: VectorValue
    /// The highest version that the party supports.
    let maximumVersion: UInt16
    /// The message, before anything was changed on its way.
    let ciphertext: Bytes?
    let plaintext: Bytes?

    var description: String { "\(transcript), step \(index)" }

    static func all(_ operation: String) throws -> [RecordedStep] {
        try Vectors.cases("ratchet", kinds: "transcript").flatMap { recorded in
            let steps = try #require(recorded["steps"].array)
            var sent: [String: VectorValue] = [:]
            return try steps.enumerated().compactMap { index, step -> RecordedStep? in
                if step["op"].string == "send", let name = step["message"].string { sent[name] = step }
                guard step["op"].string == operation else { return nil }
                let party = step["party"].string == "alice" ? "initiator" : "joiner"
                let versions = recorded["setup"][party]["ratchet_state"]["rcVersion"]
                let message = step["message"].string.flatMap { sent[$0] } ?? .null
                return RecordedStep(
                    transcript: recorded.name, index: index, step: step,
                    maximumVersion: try Recorded.version(versions[1]),
                    ciphertext: step["ciphertext"].hex ?? message["ciphertext"].hex, plaintext: message["plaintext"].hex)
            }
        }
    }
}

@Suite struct TranscriptTests {
    @Test("The recordings have as many steps as they should")
    func counts() throws {
        #expect(try RecordedStep.all("send").count == 163)
        #expect(try RecordedStep.all("receive").count == 177)
        #expect(try RecordedStep.all("send-lost").count == 3)
    }

    @Test("Each recorded message is encrypted to the same bytes", arguments: try RecordedStep.all("send"))
    func send(recorded: RecordedStep) throws {
        let step = recorded.step
        var ratchet = try Recorded.ratchet(step["state_before"])
        let before = ratchet
        let plaintext = try Recorded.hex(step["plaintext"])
        let length = Int(try #require(step["padded_len"].int))
        let pqEncryption = step["pq"].bool as Bool?

        if let expected = step["error"].string {
            let error = #expect(throws: RatchetError.self) {
                let key = try ratchet.sealHeader(pqEncryption: pqEncryption, maximumVersion: recorded.maximumVersion)
                ratchet = before
                _ = try key.sealMessage(plaintext, paddedTo: length)
            }
            #expect(error.map(Recorded.name) == expected)
            #expect(ratchet == before)
            return
        }

        let key = try ratchet.sealHeader(pqEncryption: pqEncryption, maximumVersion: recorded.maximumVersion)
        let ciphertext = try Recorded.hex(step["ciphertext"])
        #expect(try key.sealMessage(plaintext, paddedTo: length) == ciphertext)
        #expect(try RatchetMessageKey(encoded: key.encoded).sealMessage(plaintext, paddedTo: length) == ciphertext)
        #expect(ciphertext.count == length + key.overhead)
        #expect(try key.header == Recorded.hex(step["enc_header"]))
        #expect(try key.associatedData == Recorded.hex(step["ad"]))
        #expect(try key.key.key == Recorded.secret(hex: step["message_key"]))
        #expect(try key.key.iv == Recorded.hex(step["message_iv"]))
        try checkHeader(key, before, step)

        var expected = try Recorded.ratchet(step["state_after"])
        // Ours goes on announcing the KEM secret that the chain's keys depend on when post-quantum encryption is turned off.
        if pqEncryption == false, before.kem?.ciphertext != nil {
            #expect(expected.kem?.ciphertext == nil)
            expected.kem?.ciphertext = before.kem?.ciphertext
        }
        #expect(ratchet == expected)
    }

    private func checkHeader(_ key: RatchetMessageKey, _ before: Ratchet, _ step: VectorValue) throws {
        let encrypted = try EncryptedHeader(key.header)
        #expect(try encrypted.version == Recorded.version(step["header_version"]))
        #expect(try encrypted.iv == Recorded.hex(step["header_iv"]))
        #expect(try encrypted.tag == Recorded.hex(step["header_tag"]))
        #expect(encrypted.ciphertext.count == Int(try #require(step["header_padded_len"].int)))
        let headerKey = try #require(before.sending?.headerKey)
        let header = try #require(try encrypted.open(headerKey, associatedData: before.associatedData))
        let fields = step["header"]
        #expect(
            try header
                == MessageHeader(
                    maximumVersion: Recorded.version(fields["max_version"]), key: Recorded.publicKey(fields["dh_raw"]),
                    kem: Recorded.kem(fields["kem"]), previousCount: Recorded.count(fields["pn"]), number: Recorded.count(fields["n"])))
        #expect(try header.encoded(version: key.version) == Recorded.hex(step["header_plaintext"]))
    }

    @Test("Each recorded message is decrypted alone to its plaintext or its error", arguments: try RecordedStep.all("receive"))
    func receive(recorded: RecordedStep) throws {
        let step = recorded.step
        var ratchet = try Recorded.ratchet(step["state_before"])
        var skipped = try Recorded.skipped(step["skipped_before"])
        let (before, skippedBefore) = (ratchet, skipped)
        let isChanged = try Recorded.flag(step["state_changed"])
        let stateAfter = isChanged ? step["state_after"] : step["state_before"]

        let opened = ratchet.open(
            try #require(recorded.ciphertext), skipped: &skipped, material: try RecordedMaterial(stateAfter))

        switch opened.plaintext {
        case .success(let plaintext):
            #expect(step["error"].isNull)
            #expect(try plaintext == Recorded.hex(step["plaintext"]))
            #expect(plaintext == recorded.plaintext)
        case .failure(let error):
            #expect(step["error"].string == Recorded.name(error))
        }
        let expected = try Recorded.ratchet(stateAfter)
        #expect(ratchet == expected)
        #expect(ratchet.canSend == (expected.sending != nil))
        let skippedAfter = isChanged ? try Recorded.skipped(step["skipped_after"]) : skippedBefore
        #expect(skipped.sorted == skippedAfter.sorted)
        #expect(opened.isChanged == (before != ratchet || skippedBefore.sorted != skipped.sorted))

        // A store that applies the differences has the same keys.
        var stored = skippedBefore
        for key in opened.addedKeys { stored.insert(key) }
        if let key = opened.removedKey { stored.remove(headerKey: key.headerKey, number: key.number) }
        #expect(stored.sorted == skipped.sorted)
    }

    @Test("Messages that are never delivered move the sending chain on as recorded", arguments: try RecordedStep.all("send-lost"))
    func lost(recorded: RecordedStep) throws {
        let transcript = try #require(try Vectors.cases("ratchet").first { $0.name == recorded.transcript })
        let earlier = try #require(transcript["steps"].array)[..<recorded.index].last { step in
            step["party"] == recorded.step["party"] && !step["state_after"].isNull
        }
        var ratchet = try Recorded.ratchet(try #require(earlier)["state_after"])
        for _ in 0..<(try #require(recorded.step["count"].int)) { _ = try ratchet.sealHeader(maximumVersion: recorded.maximumVersion) }
        #expect(try ratchet == Recorded.ratchet(recorded.step["state_after"]))
    }

    @Test("A stored ratchet is the same again", arguments: try RecordedStep.all("receive") + RecordedStep.all("send"))
    func stored(recorded: RecordedStep) throws {
        let ratchet = try Recorded.ratchet(recorded.step["state_before"])
        let encoded = ratchet.encoded
        #expect(try Ratchet(encoded: encoded) == ratchet)
        #expect(encoded.count < 4000, "one page of a database holds it")
    }
}
