import SMPWire
import Testing

@Suite struct WireAttackTests {
    @Test func lengthsBeyondTheEndAreRefusedWithThePlace() {
        for bytes in [[0xff], [0x05, 1, 2]] as [Bytes] {
            #expect { try ShortBytes(wireBytes: bytes) } throws: { ($0 as? WireError)?.code == .truncated }
        }
        for bytes in [[0xff], [0xff, 0xff], [0, 2, 1]] as [Bytes] {
            #expect { try LargeBytes(wireBytes: bytes) } throws: { ($0 as? WireError)?.code == .truncated }
        }
        var parser = WireParser([1, 2, 3])
        #expect(throws: WireError.self) { try parser.take(-1) }
        #expect(throws: WireError.self) { try parser.take(.max) }
        #expect(parser.offset == 0)
        #expect { try UInt16(wireBytes: [1, 2, 3]) } throws: {
            ($0 as? WireError)?.code == .trailingBytes && ($0 as? WireError)?.offset == 2
        }
    }

    @Test func aListOfManyMissingElementsReservesNoMoreThanThereIs() {
        var parser = WireParser([255, 0, 1])
        #expect { try parser.list(of: UInt16.self) } throws: { ($0 as? WireError)?.code == .truncated }
    }

    @Test func aLookAheadLeavesTheParserWhereItWas() throws {
        let parser = WireParser([3, 1, 2, 3, 9])
        var ahead = parser
        #expect(try ahead.short() == [1, 2, 3])
        #expect(parser.offset == 0)
        #expect(ahead.remaining == 1)
    }

    @Test func numbersThatDoNotFitAreRefused() {
        for text in ["", "65536", "-1", "+1", "1x", " 1", "1 ", "0x1"] {
            #expect(throws: WireError.self, "\(text)") { try UInt16(wireString: text) }
        }
        for text in ["", "-", "9223372036854775808", "--1"] {
            #expect(throws: WireError.self, "\(text)") { try Int64(wireString: text) }
        }
        #expect((try? Int64(wireString: "-9223372036854775808")) == .min)
    }

    @Test(arguments: ["A", "A===", "AA=A", "AQI=x", "A\u{e9}==", "AR", "AQJ", "====", "AQI+", "AQI/"])
    func textThatIsNotBase64URLIsRefused(_ text: String) {
        #expect(throws: WireError.self) { try ShortBytes(wireString: text) }
    }

    @Test func everyLengthOfBytesComesBackFromBase64URL() throws {
        for count in 1..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            for padded in [true, false] {
                let text = Base64URL.encode(bytes, padded: padded)
                #expect(Base64URL.decode(text) == bytes)
                #expect(text.utf8.count % 4 == 0 || !padded)
            }
        }
        #expect(Base64URL.decode("") == [])
    }

    @Test func paddingHidesTheLengthAndIsTakenOff() throws {
        for count in [0, 1, 98] {
            let message = Bytes(repeating: 7, count: count)
            let padded = try Padding.pad(message, to: 100)
            #expect(padded.count == 100)
            #expect(try Padding.unpad(padded) == message)
        }
        #expect { try Padding.pad(Bytes(repeating: 7, count: 99), to: 100) } throws: { ($0 as? WireError)?.code == .tooLong }
        #expect(throws: WireError.self) { try Padding.pad([], to: 1) }
        for padded in [[], [0], [0, 1], [0xff, 0xff, 1]] as [Bytes] {
            #expect(throws: WireError.self) { try Padding.unpad(padded) }
        }
    }

    @Test func theHighestCommonVersionIsSpoken() throws {
        let ours = try #require(VersionRange(9, 18))
        #expect(ours.compatibleVersion(with: try #require(VersionRange(6, 12))) == 12)
        #expect(ours.compatibleVersion(with: VersionRange(18...30)) == 18)
        #expect(ours.compatibleVersion(with: VersionRange(8)) == nil)
        #expect(ours.compatibleVersion(with: VersionRange(19)) == nil)
        #expect(VersionRange(5, 4) == nil)
        #expect(ours.contains(9) && ours.contains(18) && !ours.contains(8) && !ours.contains(19))
    }
}
