import ChatProtocol
import Testing

@Suite struct FileDescriptionTests {
    private func assembled(_ parts: [FileDescription]) throws -> FileDescription {
        var whole = FileDescription.pending
        for part in parts { try whole.append(part) }
        return whole
    }

    @Test(arguments: [0, 1, 13_999, 14_000, 14_001, 28_000, 50_000])
    func descriptionsAreSplitAndPutTogetherAgain(length: Int) throws {
        let text = String(repeating: "yaml: é\n", count: length / 8 + 1).prefix(length)
        let parts = FileDescription.parts(of: String(text))
        #expect(parts.allSatisfy { $0.text.utf8.count <= ChatLimits.fileDescriptionPart })
        #expect(parts.map(\.partNumber) == Array(1...parts.count))
        #expect(parts.map(\.isComplete) == Array(repeating: false, count: parts.count - 1) + [true])
        let whole = try assembled(parts)
        #expect(whole.text == text)
        #expect(whole.isComplete)
    }

    @Test func aPartFitsAMessage() throws {
        let text = String(repeating: "\"\n", count: 7000)
        for part in FileDescription.parts(of: text) {
            // Quotation marks and line feeds take two bytes each in JSON; descriptions have few of them.
            #expect(part.json.bytes().count <= 2 * ChatLimits.fileDescriptionPart + 100)
        }
        let plain = FileDescription.parts(of: String(repeating: "a", count: 20_000))
        for part in plain {
            let message = ChatMessage(event: .fileDescription(messageID: SharedMessageID([1]), part))
            #expect(throws: Never.self) { try message.body(limit: ChatLimits.encodedMessage) }
        }
    }

    @Test func partsOutOfOrderAreRefusedAndChangeNothing() throws {
        let parts = FileDescription.parts(of: String(repeating: "a", count: 30_000))
        var whole = FileDescription.pending
        try whole.append(parts[0])
        let before = whole
        for wrong in [
            parts[0], parts[2], FileDescription(text: "x", partNumber: Int.max, isComplete: true),
            FileDescription(text: "x", partNumber: Int.min, isComplete: true),
        ] {
            var copy = whole
            let error = #expect(throws: ChatProtocolError.self) { try copy.append(wrong) }
            #expect(error?.code == .outOfOrder)
            #expect(copy == before)
        }
        try whole.append(parts[1])
        try whole.append(parts[2])
        #expect(throws: ChatProtocolError.self) { try whole.append(FileDescription(text: "x", partNumber: 4, isComplete: true)) }
        var last = FileDescription(text: "", partNumber: .max, isComplete: false)
        #expect(throws: ChatProtocolError.self) { try last.append(FileDescription(text: "", partNumber: .min, isComplete: false)) }
    }

    @Test func partsWithoutEndAreRefused() throws {
        var whole = FileDescription.pending
        let text = String(repeating: "a", count: ChatLimits.fileDescriptionPart)
        let error = #expect(throws: ChatProtocolError.self) {
            while true { try whole.append(FileDescription(text: text, partNumber: whole.partNumber + 1, isComplete: false)) }
        }
        #expect(error?.code == .tooLarge)
        #expect(whole.text.utf8.count <= ChatLimits.fileDescription)
    }

    @Test func emptyPartsAndTooManySmallOnesAreRefused() throws {
        var whole = FileDescription.pending
        #expect(throws: ChatProtocolError.self) { try whole.append(FileDescription(text: "", partNumber: 1, isComplete: false)) }
        let error = #expect(throws: ChatProtocolError.self) {
            while true { try whole.append(FileDescription(text: "a", partNumber: whole.partNumber + 1, isComplete: false)) }
        }
        #expect(error?.code == .tooLarge && whole.partNumber == ChatLimits.fileDescriptionParts)
        // What clients send fits, also the largest and one whose last part is empty.
        let largest = FileDescription.parts(of: String(repeating: "é", count: ChatLimits.fileDescription / 2))
        #expect(largest.count < ChatLimits.fileDescriptionParts)
        var short = FileDescription.pending
        try short.append(FileDescription(text: "", partNumber: 1, isComplete: true))
        #expect(short.isComplete)
    }

    @Test func longNamesAreShortenedForForwarding() {
        #expect(DisplayName.shortened("alice") == "alice")
        #expect(DisplayName.shortened(String(repeating: "a", count: 16)) == String(repeating: "a", count: 16))
        #expect(DisplayName.shortened(String(repeating: "é", count: 17)) == String(repeating: "é", count: 16) + "…")
    }
}
