import Testing

@testable import SMPWire

/// Text and lists as peers send them: limits, invalid bytes, and the places of errors.
@Suite struct TextLimitTests {
    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x61, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [Bytes])
    func textThatIsNotUTF8IsRefusedWithItsPlace(_ bytes: Bytes) {
        var parser = WireParser([9] + ShortBytes(bytes).wireBytes)
        #expect((try? parser.byte()) == 9)
        let error = #expect(throws: WireError.self) { try parser.read(String.self) }
        #expect(error?.code == .invalidValue && error?.offset == 1)
    }

    @Test(arguments: ["", "a", "ä€😀", "\u{0}", String(repeating: "x", count: 255)]) func textOfUTF8ComesBack(_ text: String) throws {
        #expect(try String(wireBytes: text.wireBytes) == text)
    }

    @Test(arguments: [(1, true), (254, true), (255, true), (256, false), (1_000, false)]) func shortBytesInTextHaveALimit(_ count: Int, _ isRead: Bool) throws {
        let bytes = Bytes(repeating: 0xA5, count: count), text = Base64URL.encode(bytes)
        if isRead {
            #expect(try ShortBytes(wireString: text).bytes == bytes)
        } else {
            #expect { try ShortBytes(wireString: text) } throws: { ($0 as? WireError)?.code == .tooLong }
        }
    }

    /// Lists of numbers, and the code and place of their first error.
    @Test(
        arguments: [
            ("", .invalidValue, 0), (",", .invalidValue, 0), ("1,", .invalidValue, 2), ("1,2,x", .invalidValue, 4), ("1,,2", .invalidValue, 2),
            ("12,34x,5", .trailingBytes, 5), ("1,65536", .invalidValue, 2), ("1,-2", .invalidValue, 2), ("1;2", .trailingBytes, 1),
        ] as [(String, WireError.Code, Int)])
    func anErrorInAListIsToldWithItsPlaceInTheWhole(_ text: String, _ code: WireError.Code, _ offset: Int) {
        var parser = WireParser(Bytes(text.utf8))
        let error = #expect(throws: WireError.self) { try parser.stringList(of: UInt16.self) }
        #expect(error?.code == code && error?.offset == offset)
    }

    @Test(arguments: [("1", [1], ""), ("1,2,65535", [1, 2, 65_535], ""), ("1,2 3", [1, 2], " 3"), ("7\n8", [7], "\n8")] as [(String, [UInt16], String)])
    func aListEndsAtASpaceOrALine(_ text: String, _ numbers: [UInt16], _ rest: String) throws {
        var parser = WireParser(Bytes(text.utf8))
        #expect(try parser.stringList(of: UInt16.self) == numbers)
        #expect(parser.rest() == Bytes(rest.utf8))
    }

    @Test func theOffsetsOfANestedInputAreThoseOfTheWhole() throws {
        var parser = WireParser([1, 2, 3, 4, 5, 6])
        _ = try parser.take(2)
        var nested = try parser.nested(3)
        #expect(nested.offset == 2 && nested.remaining == 3 && parser.offset == 5)
        _ = try nested.take(3)
        #expect { try nested.byte() } throws: { ($0 as? WireError)?.code == .truncated && ($0 as? WireError)?.offset == 5 }
        #expect(try parser.byte() == 6)
        for count in [-1, 1, .max] { #expect(throws: WireError.self) { try parser.nested(count) } }
        #expect(parser.isAtEnd)
    }

    @Test(arguments: 0...40) func paddingOfAnyFillComesOffWithTheRightBytes(_ count: Int) throws {
        // Short messages are copied out and long ones moved in place.
        let message = (0..<count).map { UInt8($0 + 1) }
        let padded = try Padding.pad(message, to: 42)
        let read = try Padding.unpad(padded)
        #expect(padded.count == 42 && read == message)
        if count > 0 { #expect(throws: WireError.self) { try Padding.unpad(Bytes(padded.prefix(count + 1))) } }
    }

    @Test func aMessageLongerThanALengthCanTellIsNotPadded() {
        #expect(throws: WireError.self) { try Padding.pad(Bytes(repeating: 0, count: 65_536), to: 100_000) }
        #expect((try? Padding.pad(Bytes(repeating: 0, count: 65_535), to: 100_000))?.count == 100_000)
    }
}
