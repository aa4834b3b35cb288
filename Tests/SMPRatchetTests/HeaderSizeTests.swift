import SMPCrypto
import Testing
import VectorSupport

@testable import SMPRatchet

@Suite struct HeaderSizeTests {
    @Test("Headers have the recorded sizes, with and without room for a KEM", arguments: try Vectors.cases("ratchet", kinds: "header-size"))
    func size(recorded: VectorCase) throws {
        let version = UInt16(try #require(recorded["version"].int))
        let supportsPQ = try #require(recorded["pq_support"].bool as Bool?)
        let length = MessageHeader.paddedLength(version: version, supportsPQ: supportsPQ)
        #expect(length == Int(try #require(recorded["padded_header_len"].int)))

        let random = SeededRandomSource(seed: [1])
        let header = MessageHeader(
            maximumVersion: 3, key: X448.generateKeyPair(random).publicKey, kem: nil, previousCount: 0, number: 0)
        let encrypted = try EncryptedHeader.seal(
            header, version: version, paddedTo: length, key: random.secret(32), iv: random.bytes(16), associatedData: [1, 2, 3])
        // The recorded total counts a one-byte length also where the header has two bytes for it.
        let lengthBytes = version >= RatchetVersion.kem ? 2 : 1
        #expect(encrypted.count - lengthBytes + 1 == Int(try #require(recorded["encoded_header_total"].int)))
    }
}
