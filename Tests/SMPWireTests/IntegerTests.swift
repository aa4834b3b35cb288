import SMPWire
import TestSupport
import Testing

@Suite("Integers of the wire at their ends") struct IntegerTests {
    private func check<Integer: FixedWidthInteger & WireCodable & StringCodable>(_ type: Integer.Type) throws {
        for value in [Integer.min, .min + 1, 0, 1, .max - 1, .max] {
            #expect(try Integer(wireBytes: value.wireBytes) == value)
            #expect(value.wireBytes.count == Integer.bitWidth / 8)
            #expect(try Integer(wireString: value.wireString) == value)
            #expect(throws: WireError.self) { try Integer(wireBytes: Bytes(value.wireBytes.dropLast())) }
            #expect(throws: WireError.self) { try Integer(wireBytes: value.wireBytes + [0]) }
        }
        for text in ExtremeNumbers.texts {
            let isPlain = ExtremeNumbers.isDecimal(text) && (Integer.isSigned || !text.hasPrefix("-"))
            #expect((try? Integer(wireString: text)) == (isPlain ? NumberOracle.integer(text, type) : nil), "\(type) \(text)")
        }
        for text in ["", "+", "-", " 1", "1 ", "٣", "0x1", "1_000"] { #expect(throws: WireError.self) { try Integer(wireString: text) } }
    }

    @Test("all types read what they write, and nothing that they cannot hold")
    func integers() throws {
        try check(UInt16.self)
        try check(UInt32.self)
        try check(Int64.self)
    }

    @Test("ranges of versions are read in order only", arguments: ExtremeNumbers.texts.filter(ExtremeNumbers.isDecimal))
    func versions(_ text: String) {
        let version = text.hasPrefix("-") ? nil : NumberOracle.integer(text, UInt16.self)
        #expect((try? VersionRange(wireString: text)) == version.map { VersionRange($0) })
        #expect((try? VersionRange(wireString: "1-\(text)"))?.max == version.flatMap { $0 >= 1 ? $0 : nil })
    }

    @Test("lengths that say more than there is, and lists and byte strings of all lengths, are no trap")
    func lengths() throws {
        for count in [0, 1, 254, 255] {
            let bytes = Bytes(repeating: 7, count: count)
            #expect(try ShortBytes(wireBytes: ShortBytes(bytes).wireBytes).bytes == bytes)
            if count > 0 { #expect(try ShortBytes(wireString: ShortBytes(bytes).wireString).bytes == bytes) }
        }
        // What could not be written as a short string is not read as one.
        #expect(throws: WireError.self) { try ShortBytes(wireString: Base64URL.encode(Bytes(repeating: 7, count: 256))) }
        #expect(throws: WireError.self) { try ShortBytes(wireBytes: [255, 1]) }
        #expect(throws: WireError.self) { try LargeBytes(wireBytes: [255, 255, 1]) }
        var parser = WireParser([1, 2, 3])
        for count in [Int.min, -1, 4, Int.max] { #expect(throws: WireError.self) { try parser.take(count) } }
    }

    @Test("times in seconds stand at the nearest end of the years 0 to 9999")
    func times() {
        for (seconds, bounded) in [
            (Int64.min, -62_167_219_200), (-62_167_219_201, -62_167_219_200), (-1, -1), (0, 0), (253_402_300_799, 253_402_300_799),
            (253_402_300_800, 253_402_300_799), (.max, 253_402_300_799),
        ] as [(Int64, Int64)] {
            #expect(UnixTime.bounded(seconds) == bounded)
            #expect(!UnixTime.bounded(seconds).multipliedReportingOverflow(by: 1_000_000).overflow)
        }
    }
}
