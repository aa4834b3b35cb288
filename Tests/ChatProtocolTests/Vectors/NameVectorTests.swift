import ChatProtocol
import Testing
import VectorSupport

@Suite struct NameVectorTests {
    @Test(arguments: try Vectors.cases("names", kinds: "valid-name"))
    func namesAreMadeValidAsRecorded(item: VectorCase) throws {
        let input = try item.text("input")
        let expected = try item.text("valid")
        let valid = DisplayName.valid(input)
        #expect(Array(valid.unicodeScalars) == Array(expected.unicodeScalars))
        #expect(DisplayName.isValid(input) == (item["unchanged"].bool == true && !input.isEmpty))
        #expect(DisplayName.quoted(valid) == item["view"].string)
        #expect(DisplayName.valid(valid) == valid, "a valid name stays as it is")
    }

    @Test(arguments: try Vectors.cases("names", kinds: "json-length"))
    func textsHaveTheRecordedLengthInJSON(item: VectorCase) throws {
        let input = try item.text("input")
        #expect(Int64(input.jsonLength) == item["length"].int)
        #expect(JSONValue.string(input).bytes().count == input.jsonLength + 2)
    }
}
