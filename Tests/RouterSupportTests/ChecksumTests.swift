import SMPWire
import Testing

@testable import RouterSupport

@Suite struct ChecksumTests {
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("The quick brown fox jumps over the lazy dog", 0x0B24_2D36_1FDA_71BC),
        ] as [(String, UInt64)])
    func isXXH64(_ text: String, _ expected: UInt64) { #expect(Checksum.of(Bytes(text.utf8)) == expected) }

    @Test func changesWithEveryBit() {
        let bytes = Bytes((0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let whole = Checksum.of(bytes)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(Checksum.of(changed) != whole)
            #expect(Checksum.of(Bytes(bytes.prefix(index))) != whole)
        }
    }
}
