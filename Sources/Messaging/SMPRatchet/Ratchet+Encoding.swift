package import SMPCrypto
import SMPWire

extension Ratchet {
    private static let format: UInt8 = 1

    struct Flags: OptionSet {
        let rawValue: UInt8

        static let supportsPQ = Flags(rawValue: 1)
        static let enablesPQ = Flags(rawValue: 2)
        static let isSendingPQ = Flags(rawValue: 4)
        static let isReceivingPQ = Flags(rawValue: 8)
        static let all: Flags = [.supportsPQ, .enablesPQ, .isSendingPQ, .isReceivingPQ]
    }

    var flags: Flags {
        get {
            var flags: Flags = []
            if supportsPQ { flags.insert(.supportsPQ) }
            if enablesPQ { flags.insert(.enablesPQ) }
            if isSendingPQ { flags.insert(.isSendingPQ) }
            if isReceivingPQ { flags.insert(.isReceivingPQ) }
            return flags
        }
        set {
            supportsPQ = newValue.contains(.supportsPQ)
            enablesPQ = newValue.contains(.enablesPQ)
            isSendingPQ = newValue.contains(.isSendingPQ)
            isReceivingPQ = newValue.contains(.isReceivingPQ)
        }
    }

    /// For a store, behind a byte that says the format.
    package var encoded: SecretBytes {
        // One page of a database holds it, also with a KEM.
        SecretBytes(reservingCapacity: kem == nil ? 640 : 3456) { encode(to: &$0) }
    }

    private func encode(to writer: inout WireWriter) {
        writer.write(byte: Self.format)
        writer.write(versions.current)
        writer.write(versions.maximum)
        writer.write(large: associatedData)
        writer.write(byte: flags.rawValue)
        writer.write(secret: key.raw)
        writer.write(raw: key.publicKey.raw)
        for secret in [rootKey, nextSendingHeaderKey, nextReceivingHeaderKey] { writer.write(secret: secret) }
        for count in [sentCount, receivedCount, previousSentCount] { writer.write(count) }
        writer.write(optional: sending) { writer, chain in
            writer.write(secret: chain.chainKey)
            writer.write(secret: chain.headerKey)
        }
        writer.write(optional: receiving) { writer, chain in
            writer.write(secret: chain.chainKey)
            writer.write(secret: chain.headerKey)
        }
        writer.write(optional: kem) { writer, kem in
            writer.write(secret: kem.keyPair.secretKey.bytes)
            writer.write(optional: kem.ciphertext)
        }
    }

    /// - Throws: ``RatchetError`` `malformedState` if the bytes are not of ``encoded``, or of a later format.
    package init(encoded secret: SecretBytes) throws(RatchetError) {
        do throws(WireError) {
            self = try secret.decode { parser throws(WireError) in try Ratchet(from: &parser) }
        } catch {
            throw RatchetError(.malformedState, "a stored ratchet cannot be read: \(error)")
        }
    }

    private init(from parser: inout WireParser) throws(WireError) {
        try parser.expect(Self.format)
        versions = RatchetVersions(current: try parser.read(), maximum: try parser.read())
        associatedData = try parser.large()
        let flags = try parser.ratchetFlags()
        supportsPQ = flags.contains(.supportsPQ)
        enablesPQ = flags.contains(.enablesPQ)
        isSendingPQ = flags.contains(.isSendingPQ)
        isReceivingPQ = flags.contains(.isReceivingPQ)
        key = try parser.agreementKey()
        rootKey = try parser.secret(32)
        nextSendingHeaderKey = try parser.secret(32)
        nextReceivingHeaderKey = try parser.secret(32)
        sentCount = try parser.read()
        receivedCount = try parser.read()
        previousSentCount = try parser.read()
        sending = try parser.optional { parser throws(WireError) in
            SendingChain(chainKey: try parser.secret(32), headerKey: try parser.secret(32))
        }
        receiving = try parser.optional { parser throws(WireError) in
            ReceivingChain(chainKey: try parser.secret(32), headerKey: try parser.secret(32))
        }
        kem = try parser.optional { parser throws(WireError) in
            KEM(keyPair: try parser.kemKeyPair(), ciphertext: try parser.optional())
        }
        try parser.finish()
    }
}

extension WireWriter {
    mutating func write(secret: SecretBytes) { secret.withBytes { write(raw: $0) } }
}

extension WireParser {
    mutating func ratchetFlags() throws(WireError) -> Ratchet.Flags {
        let flags = Ratchet.Flags(rawValue: try byte())
        guard flags.isSubset(of: .all) else { throw error(.invalidValue, "the flags of a ratchet") }
        return flags
    }

    mutating func secret(_ count: Int) throws(WireError) -> SecretBytes {
        SecretBytes(wiping: try take(count))
    }

    /// The public key is stored too: computing it again costs as much as an agreement.
    fileprivate mutating func agreementKey() throws(WireError) -> X448.PrivateKey {
        let start = offset
        do {
            let secret = try secret(X448.privateSize)
            return try X448.PrivateKey(raw: secret, publicKey: try X448.PublicKey(raw: try take(X448.publicSize)))
        } catch let error as WireError {
            throw error
        } catch {
            throw WireError(.invalidValue, "a key of the ratchet", at: start)
        }
    }

    /// The public key is a part of the secret key: after the two polynomials of 191 bytes each (draft-josefsson-ntruprime-streamlined,
    /// "Encoding of secret keys").
    fileprivate mutating func kemKeyPair() throws(WireError) -> SNTRUP761.KeyPair {
        let start = offset
        do {
            let secret = try secret(SNTRUP761.secretKeySize)
            let publicKey = secret[382..<382 + SNTRUP761.publicKeySize].bytes
            return SNTRUP761.KeyPair(
                publicKey: try SNTRUP761.PublicKey(publicKey), secretKey: try SNTRUP761.SecretKey(secret))
        } catch let error as WireError {
            throw error
        } catch {
            throw WireError(.invalidValue, "a KEM key of the ratchet", at: start)
        }
    }
}
