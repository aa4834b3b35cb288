import ChatProtocol
import Testing

@JSONMembers
private struct Sample: JSONObjectConvertible, Hashable {
    var sampleID: Int
    @JSONName("ts") var timestamp: String?
    var flag: Bool = true
    @JSONRequired var name: String = "x"
    var counts: [String: Int] = [:]
    @JSONRepeated @JSONName("again") var part: Part
    var isFlagged: Bool { flag }
}

@JSONMembers
private struct Part: JSONObjectConvertible, Hashable {
    var values: [Int] = []

    init(object: JSONObject) throws(JSONError) {
        values = try object.required("values")
        if values.isEmpty { throw JSONError(.invalidValue, "a value is expected", path: ["values"]) }
    }
}

@Suite("Structs with @JSONMembers")
struct JSONMembersTests {
    @Test func `members are written in the order of the properties, nil left out`() {
        let sample = Sample(sampleID: 3, counts: ["b": 2, "a": 1], part: Part(values: [1]))
        #expect(sample.jsonText == #"{"sampleId":3,"flag":true,"name":"x","counts":{"a":1,"b":2},"again":{"values":[1]}}"#)
        #expect(sample.json.text == sample.jsonText)
        #expect(sample.isFlagged)
    }

    @Test(arguments: ["", #","ts":null,"flag":null,"counts":null,"more":[]"#])
    func `what is absent or null has its default, and what is not known is dropped`(more: String) throws {
        let sample = try Sample(parsing: #"{"sampleId":3,"name":"y","again":{"values":[1]}\#(more)}"#)
        #expect(sample == Sample(sampleID: 3, name: "y", part: Part(values: [1])))
    }

    @Test(arguments: [
        (#"{"name":"","again":{"values":[1]}}"#, JSONError.Code.missingMember, [String]()),
        (#"{"sampleId":3,"again":{"values":[1]}}"#, .missingMember, []), (#"{"sampleId":"3"}"#, .wrongType, ["sampleId"]),
        (#"{"sampleId":3,"name":"","counts":{"a":"b"},"again":{"values":[1]}}"#, .wrongType, ["a"]),
        (#"{"sampleId":3,"name":"","again":{"values":[1,"2"]}}"#, .wrongType, ["again", "values", "1"]),
        (#"{"sampleId":3,"name":"","again":{"values":[]}}"#, .invalidValue, ["again", "values"]), ("[]", .wrongType, []),
    ])
    func `an error has the path to the value`(text: String, code: JSONError.Code, path: [String]) {
        let error = #expect(throws: JSONError.self) { try Sample(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.path == path)
    }
}
