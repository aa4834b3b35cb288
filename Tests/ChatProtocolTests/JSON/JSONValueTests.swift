import ChatProtocol
import Foundation
import SMPWire
import Testing

@Suite struct JSONValueTests {
    @Test func theSpellingOfNumbersIsKeptAndDoesNotMatter() throws {
        for text in ["1.50", "1e2", "1E+2", "-0.0", "12345678901234567890123", "0.1e-7", "1e999999999999999999999"] {
            #expect(try JSONValue(parsing: text).text == text)
        }
        let equal = [("1", "1.0"), ("100", "1e2"), ("1500", "1.5E+3"), ("0", "-0.0e5"), ("0.001", "1e-3"), ("-20", "-2.0e1")]
        for (left, right) in equal {
            let left = try JSONValue(parsing: left), right = try JSONValue(parsing: right)
            #expect(left == right)
            #expect(left.hashValue == right.hashValue)
        }
        let different = [("1", "-1"), ("1", "10"), ("1e2", "1e3"), ("1e99999999999999999999", "2e99999999999999999999"), ("0", "1")]
        for (left, right) in different { #expect(try JSONValue(parsing: left) != JSONValue(parsing: right)) }
    }

    @Test func numbersBecomeIntegersOnlyIfTheyFit() throws {
        func integer(_ text: String) throws -> Int64? { try JSONValue(parsing: text).intValue }
        #expect(try integer("9223372036854775807") == .max)
        #expect(try integer("-9223372036854775808") == .min)
        #expect(try integer("9223372036854775808") == nil)
        #expect(try integer("5.0") == 5)
        #expect(try integer("5e3") == 5000)
        #expect(try integer("50e-1") == 5)
        #expect(try integer("5.5") == nil)
        #expect(try integer("1e999999999") == nil)
        #expect(try integer("1e30") == nil)
        #expect(try JSONValue(parsing: "65536").numberValue?.integer(UInt16.self) == nil)
        #expect(try JSONValue(parsing: "-1").numberValue?.integer(UInt16.self) == nil)
        #expect(try JSONValue(parsing: "2.5").numberValue?.double == 2.5)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
        #expect(JSONNumber(3.0)?.text == "3")
        #expect(JSONNumber(1.5)?.text == "1.5")
        let smallest = Double.leastNonzeroMagnitude
        #expect(try JSONNumber(smallest).map { try JSONValue(parsing: $0.text).numberValue?.double } == smallest)
    }

    @Test func theOrderOfMembersIsKeptAndDoesNotMatter() throws {
        let text = "{\"b\":1,\"a\":{\"d\":2,\"c\":3},\"e\":4}"
        let value = try JSONValue(parsing: text)
        #expect(value.text == text)
        #expect(String(decoding: value.bytes(order: .sorted), as: UTF8.self) == "{\"a\":{\"c\":3,\"d\":2},\"b\":1,\"e\":4}")
        let other = try JSONValue(parsing: "{\"e\":4,\"a\":{\"c\":3,\"d\":2},\"b\":1}")
        #expect(value == other)
        #expect(value.hashValue == other.hashValue)
        #expect(value != ["b": 1, "a": ["d": 2, "c": 3], "f": 4])
        #expect(value != ["b": 1, "a": ["d": 2, "c": 3]])
    }

    @Test func membersAreSetReplacedInPlaceAndRemoved() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = "x"
        object["d"] = nil
        #expect(JSONValue.object(object).text == "{\"a\":1,\"b\":\"x\",\"c\":3}")
        object["a"] = nil
        object["d"] = [true]
        #expect(JSONValue.object(object).text == "{\"b\":\"x\",\"c\":3,\"d\":[true]}")
        #expect(object["a"] == nil)
        #expect(!object.isEmpty)
    }

    @Test func stringsEscapeOnlyWhatTheyMust() throws {
        let all = String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init)))
        let text = JSONValue.string(all).text
        #expect(text.contains("\\u0000\\u0001"))
        #expect(text.contains("\\u0008\\t\\n\\u000b\\u000c\\r"))
        #expect(text.contains("\\\"") && text.contains("\\\\") && text.contains("/") && !text.contains("\\/"))
        #expect(text.contains("\u{7F}"))
        #expect(try JSONValue(parsing: text) == .string(all))
        #expect(text.utf8.count == all.jsonLength + 2)
        #expect(JSONValue.string("\u{2028}é🚀").text == "\"\u{2028}é🚀\"")
    }

    @Test func valuesAreReachedByNameAndPlace() {
        let value: JSONValue = ["a": [1, ["b": true]], "n": nil]
        #expect(value["a"]?[1]?["b"]?.boolValue == true)
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["x"] == nil)
        #expect(value["n"]?.isNull == true)
        #expect(value[0] == nil)
        #expect(value["a"]?["b"] == nil)
        #expect(value["a"]?.arrayValue?.count == 2)
        #expect(JSONValue.string("x").stringValue == "x")
        #expect(JSONValue.string("x").boolValue == nil)
    }

    @Test func foundationCodersReadAndWriteValues() throws {
        let half = try JSONValue(parsing: "2.5")
        let value: JSONValue = ["a": [1, half, -3, "x", true, nil], "b": ["c": "é"], "big": 9_007_199_254_740_993]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONValue(parsing: Bytes(data)) == value)

        let profile = Profile(displayName: "a", preferences: ChatPreferences(voice: .init(allow: .no)))
        #expect(try JSONDecoder().decode(Profile.self, from: JSONEncoder().encode(profile)) == profile)
        #expect(try JSONDecoder().decode([Profile].self, from: Data("[{\"displayName\":\"a\",\"fullName\":\"\"}]".utf8)).count == 1)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Profile.self, from: Data("{\"displayName\":1}".utf8)) }
    }

    @Test func errorsNameThePlaceAndNeverTheContent() {
        func error(_ text: String) -> JSONError? {
            do {
                _ = try Profile(parsing: text)
                return nil
            } catch {
                return error
            }
        }
        #expect(error("{\"displayName\":\"secret\"}") == JSONError(.missingMember, "\"fullName\" is missing"))
        #expect(error("{\"displayName\":\"secret\",\"fullName\":5}")?.path == ["fullName"])
        let nested = error("{\"displayName\":\"secret\",\"fullName\":\"\",\"preferences\":{\"commands\":[{\"type\":\"menu\"}]}}")
        #expect(nested?.path == ["preferences", "commands", "0"])
        #expect(nested?.code == .missingMember)
        #expect(nested?.description == "missingMember at preferences.commands.0: \"label\" is missing")
        #expect(error("[]")?.code == .wrongType)
        for text in ["{\"displayName\":\"secret\"", "{\"displayName\":\"secret\",\"fullName\":{}}"] {
            #expect(error(text)?.description.contains("secret") == false)
        }
    }
}
