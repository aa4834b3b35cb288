import SMPCrypto
import SMPWire
import Testing

@testable import SMPProtocol

/// Signed keys in another form than DER has for them, and signers that are none.
@Suite struct SignedKeyFormTests {
    private static let random = SeededRandomSource(seed: 51)
    private static let signer = Ed25519.generateKeyPair(random).privateKey
    private static let session = X25519.generateKeyPair(random).publicKey

    /// A signed key of these parts.
    private static func key(
        wrapped: Bytes = DERReader.sequence(session.spki), identifier: Bytes = DERReader.sequence([0x06, 0x03, 0x2B, 0x65, 0x70]), unused: UInt8 = 0,
        behind: Bytes = [], outside: Bytes = []
    ) -> CertifiedKey {
        let signature = DERReader.value(DERReader.Tag.bitString, [unused] + signer.signature(for: wrapped))
        return CertifiedKey(certificateChain: [[1], [2]], signedKey: DERReader.sequence(wrapped + identifier + signature + behind) + outside)
    }

    private func verified(_ key: CertifiedKey, by signer: PublicAuthKey = .ed25519(signer.publicKey)) -> Bytes? { try? key.verifiedKey(signedBy: signer) }

    @Test func aKeyIsReadOnceItsSignatureIsFoundValid() {
        #expect(verified(Self.key()) == Self.session.spki)
        let other = Ed25519.generateKeyPair(Self.random).publicKey
        #expect(verified(Self.key(), by: .ed25519(other)) == nil)
        #expect(verified(Self.key(), by: .ed448(Ed448.generateKeyPair(Self.random).publicKey)) == nil)
        #expect(verified(Self.key(), by: .x25519(Self.session)) == nil)
    }

    @Test func nothingStandsBehindASignedKeyOrItsSignature() {
        for rest in [[0], [0x05, 0x00], DERReader.sequence([])] as [Bytes] {
            #expect(verified(Self.key(behind: rest)) == nil)
            #expect(verified(Self.key(outside: rest)) == nil)
        }
    }

    @Test(arguments: [1, 7, 8, 255] as [UInt8]) func aSignatureIsOfWholeBytes(_ unused: UInt8) { #expect(verified(Self.key(unused: unused)) == nil) }

    @Test func aSignedSequenceBeginsWithAnother() {
        for wrapped in [[], DERReader.sequence([]), DERReader.sequence([0x02, 0x01, 0x00]), Self.session.spki + [0], [0x02, 0x01, 0x00]] as [Bytes] {
            #expect(verified(Self.key(wrapped: wrapped)) == nil)
        }
        // A key that is not in a sequence of its own.
        #expect(verified(Self.key(wrapped: Self.session.spki)).flatMap { try? X25519.PublicKey(spki: $0) } == nil)
        #expect(verified(Self.key(identifier: [])) == nil)
        #expect(verified(Self.key(identifier: [0x05, 0x00])) == nil)
    }

    /// Lengths of DER: in the short form, in one to three bytes, and in forms that are not read.
    @Test(arguments: [0, 1, 127, 128, 255, 256, 65_535]) func valuesOfAnyLengthComeBack(_ count: Int) throws {
        let content = Bytes(repeating: 7, count: count), whole = DERReader.sequence(content)
        var reader = DERReader(whole + [0xFF])
        let value = try reader.value(DERReader.Tag.sequence)
        #expect(value.whole == whole && value.content == content && !reader.isAtEnd)
        var short = DERReader(Bytes(whole.dropLast()))
        #expect(throws: WireError.self) { try short.value() }
    }

    @Test(arguments: [[0x30, 0x80], [0x30, 0x84, 0, 0, 0, 0], [0x30, 0xFF], [0x30, 0x83, 0xFF, 0xFF, 0xFF, 1], [0x30, 0x82, 1], [0x30], []] as [Bytes])
    func lengthsThatCannotBeAreRefused(_ bytes: Bytes) {
        var reader = DERReader(bytes)
        #expect(throws: WireError.self) { try reader.value() }
    }

    /// A certificate of the fields that are looked at, with this key in it.
    private static func certificate(_ spki: Bytes, version: Bytes = DERReader.value(DERReader.Tag.context0, [2, 1, 2])) -> Bytes {
        let sequence = DERReader.sequence([])
        return DERReader.sequence(DERReader.sequence(version + [2, 1, 7] + sequence + sequence + sequence + sequence + spki))
    }

    @Test func aLeafHasAKeyThatSigns() throws {
        for key in [.ed25519(Self.signer.publicKey), .ed448(Ed448.generateKeyPair(Self.random).publicKey)] as [PublicAuthKey] {
            for version in [[], DERReader.value(DERReader.Tag.context0, [2, 1, 2])] as [Bytes] {
                let chain = [Self.certificate(key.spki, version: version)]
                #expect(try CertifiedKey(certificateChain: chain, signedKey: []).leafKey() == key)
            }
        }
        for spki in [Self.session.spki, X448.generateKeyPair(Self.random).publicKey.spki, DERReader.sequence([1, 2, 3]), [0x02, 0x01, 0x00], []] as [Bytes] {
            let key = CertifiedKey(certificateChain: [Self.certificate(spki)], signedKey: [])
            #expect(throws: WireError.self) { try key.leafKey() }
        }
        #expect { try CertifiedKey(certificateChain: [], signedKey: []).leafKey() } throws: { ($0 as? WireError)?.code == .truncated }
    }
}
