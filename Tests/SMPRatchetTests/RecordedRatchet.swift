import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@testable import SMPRatchet

/// Reads what the vectors say of keys and ratchets.
enum Recorded {
    static func hex(_ value: VectorValue) throws -> Bytes { try #require(value.hex) }

    static func secret(hex value: VectorValue) throws -> SecretBytes { SecretBytes(try hex(value)) }

    static func base64(_ value: VectorValue) throws -> Bytes {
        let text = try #require(value.string)
        return try #require(Base64URL.decode(text))
    }

    static func secret(_ value: VectorValue) throws -> SecretBytes { SecretBytes(try base64(value)) }

    static func flag(_ value: VectorValue) throws -> Bool { try #require(value.bool as Bool?) }

    static func count(_ value: VectorValue) throws -> UInt32 { UInt32(try #require(value.int)) }

    static func version(_ value: VectorValue) throws -> UInt16 { UInt16(try #require(value.int)) }

    static func publicKey(_ value: VectorValue) throws -> X448.PublicKey { try X448.PublicKey(raw: hex(value)) }

    static func privateKey(_ value: VectorValue) throws -> X448.PrivateKey { try X448.PrivateKey(raw: hex(value)) }

    static func kemKeyPair(_ value: VectorValue) throws -> SNTRUP761.KeyPair? {
        guard !value.isNull else { return nil }
        return SNTRUP761.KeyPair(
            publicKey: try SNTRUP761.PublicKey(hex(value["public"])),
            secretKey: try SNTRUP761.SecretKey(secret(hex: value["private"])))
    }

    static func kem(_ value: VectorValue) throws -> RatchetParameters.KEM? {
        switch value["state"].string {
        case nil: return nil
        case "proposed": return .proposed(try SNTRUP761.PublicKey(hex(value["key"])))
        case "accepted":
            return .accepted(try SNTRUP761.Ciphertext(hex(value["ciphertext"])), try SNTRUP761.PublicKey(hex(value["key"])))
        case let state?: throw VectorError(description: "a KEM that is \(state)")
        }
    }

    static func parameters(_ value: VectorValue) throws -> RatchetParameters {
        RatchetParameters(
            version: try version(value["version"]), key1: try publicKey(value["key1_raw"]), key2: try publicKey(value["key2_raw"]),
            kem: try kem(value["kem"]))
    }

    /// A private X448 key of a stored state: PKCS #8 in base64url in base64url.
    private static func storedKey(_ value: VectorValue) throws -> X448.PrivateKey {
        let text = try base64(value)
        return try X448.PrivateKey(pkcs8: try #require(Base64URL.decode(text)))
    }

    private static func storedPair(_ value: VectorValue) throws -> SNTRUP761.KeyPair {
        SNTRUP761.KeyPair(
            publicKey: try SNTRUP761.PublicKey(base64(value[0])), secretKey: try SNTRUP761.SecretKey(secret(value[1])))
    }

    static func ratchet(_ state: VectorValue) throws -> Ratchet {
        try #require(state.object != nil)
        let (kem, sending, receiving) = (state["rcKEM"], state["rcSnd"], state["rcRcv"])
        return Ratchet(
            versions: RatchetVersions(current: try version(state["rcVersion"][0]), maximum: try version(state["rcVersion"][1])),
            associatedData: try base64(state["rcAD"]), key: try storedKey(state["rcDHRs"]),
            kem: kem.isNull
                ? nil
                : Ratchet.KEM(
                    keyPair: try storedPair(kem["rcPQRs"]),
                    ciphertext: kem["rcKEMs"].isNull ? nil : try SNTRUP761.Ciphertext(base64(kem["rcKEMs"]["rcPQRct"]))),
            supportsPQ: try flag(state["rcSupportKEM"]), enablesPQ: try flag(state["rcEnableKEM"]),
            isSendingPQ: try flag(state["rcSndKEM"]), isReceivingPQ: try flag(state["rcRcvKEM"]), rootKey: try secret(state["rcRK"]),
            sending: sending.isNull
                ? nil : Ratchet.SendingChain(chainKey: try secret(sending["rcCKs"]), headerKey: try secret(sending["rcHKs"])),
            receiving: receiving.isNull
                ? nil : Ratchet.ReceivingChain(chainKey: try secret(receiving["rcCKr"]), headerKey: try secret(receiving["rcHKr"])),
            sentCount: try count(state["rcNs"]), receivedCount: try count(state["rcNr"]), previousSentCount: try count(state["rcPN"]),
            nextSendingHeaderKey: try secret(state["rcNHKs"]), nextReceivingHeaderKey: try secret(state["rcNHKr"]))
    }

    static func skipped(_ value: VectorValue) throws -> SkippedMessageKeys {
        var keys = SkippedMessageKeys()
        for chain in value.array ?? [] {
            for key in try #require(chain["keys"].array) {
                keys.insert(
                    try SkippedMessageKey(
                        headerKey: secret(hex: chain["header_key"]), number: count(key["n"]),
                        key: SecretBytes(hex(key["key"]) + hex(key["iv"]))))
            }
        }
        return keys
    }

    /// The faults as the vectors name them.
    static func name(_ error: RatchetError) -> String {
        switch error.code {
        case .cannotSend: "CERatchetState"
        case .decryptionFailed: "AESDecryptError"
        case .duplicateMessage: "CERatchetDuplicateMessage"
        case .earlierMessage(let count): "CERatchetEarlierMessage \(count)"
        case .tooManySkipped(let count): "CERatchetTooManySkipped \(count)"
        case .header: "CERatchetHeader"
        case .messageTooLong: "CryptoLargeMsgError"
        default: error.description
        }
    }
}

/// The new keys of a recorded step, as the state after it has them.
struct RecordedMaterial: RatchetMaterial {
    let state: VectorValue
    let after: Ratchet

    init(_ state: VectorValue) throws {
        self.state = state
        after = try Recorded.ratchet(state)
    }

    func agreementKey() -> X448.PrivateKey { after.key }

    func kemKeyPair() -> SNTRUP761.KeyPair {
        guard let pair = after.kem?.keyPair else {
            Issue.record("a KEM key pair that was not recorded is asked for")
            return SNTRUP761.generateKeyPair(SystemRandomSource())
        }
        return pair
    }

    func encapsulation(to key: SNTRUP761.PublicKey) -> SNTRUP761.Encapsulation {
        let accepted = state["rcKEM"]["rcKEMs"]
        do {
            #expect(try key.bytes == Recorded.base64(accepted["rcPQRr"]))
            return SNTRUP761.Encapsulation(
                ciphertext: try SNTRUP761.Ciphertext(Recorded.base64(accepted["rcPQRct"])),
                sharedSecret: try Recorded.secret(accepted["rcPQRss"]))
        } catch {
            Issue.record("an encapsulation that was not recorded is asked for: \(error)")
            return SNTRUP761.encapsulate(to: key, SystemRandomSource())
        }
    }
}

extension SkippedMessageKeys {
    /// The keys in an order of their own, to be compared.
    var sorted: [SkippedMessageKey] {
        keys.sorted { ($0.headerKey.bytes + Bytes($0.number)).lexicographicallyPrecedes($1.headerKey.bytes + Bytes($1.number)) }
    }
}

extension Bytes {
    fileprivate init(_ number: UInt32) { self = number.wireBytes }
}
