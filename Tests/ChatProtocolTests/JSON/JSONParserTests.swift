import ChatProtocol
import SMPWire
import TestSupport
import Testing

@Suite struct JSONParserTests {
    private static let readable: [(String, JSONValue)] = [
        ("null", .null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("12", 12), ("-7", -7), ("\"\"", ""),
        ("[]", []), ("{}", [:]), (" [ 1 , 2 ] ", [1, 2]), ("{\"a\":{\"b\":[null]}}", ["a": ["b": [nil]]]),
        ("\"\\u0041\\n\\t\\r\\b\\f\\/\\\\\\\"\"", "A\n\t\r\u{8}\u{C}/\\\""), ("\"\\ud83d\\ude80\"", "🚀"),
        ("\"🚀é\u{7F}\"", "🚀é\u{7F}"), ("\"\\u0000\"", "\0"), ("\t\r\n1\n", 1),
    ]

    @Test(arguments: readable)
    func whatRFC8259AllowsIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
        #expect(try JSONValue(parsing: value.text) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "01", "+1", "-", "1.", ".5", "1e", "1e+", "--1", "0x1", "NaN", "Infinity", "'a'",
        "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "\"\\", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
        "{\"a\":1,}", "{a:1}", "{1:2}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "}", "1 2", "[]]", "{}x", "//", "/**/1", "\u{FEFF}1",
        "\"\n\"", "\"\u{1}\"", "\"a\u{1F}b\\n\"",
    ])
    func whatRFC8259ForbidsIsRefused(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .malformed)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xE2, 0x82, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0xFF], [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D],
        ] as [Bytes])
    func textThatIsNotUTF8IsRefused(bytes: Bytes) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    /// Whatever comes in place of them would be as long as some of them.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC2], [0xC0, 0xAF], [0xE0, 0xA0], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98], [0xF0, 0x9F],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0xF0, 0x28, 0x8C, 0xBC],
        ] as [Bytes])
    func whatIsNotUTF8IsRefused(_ bytes: Bytes) throws {
        for (before, after) in [("", ""), ("a", ""), ("", "a"), ("é", "é"), ("😀", "a"), ("\\n", ""), ("", "\\n"), (String(repeating: "a", count: 40), "b")] {
            for text in [#"""#, #"{"a":1,""#].map({ Bytes($0.utf8) + Bytes(before.utf8) + bytes + Bytes((after + #"""#).utf8) }) {
                let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
                #expect(error?.code == .malformed)
            }
        }
    }

    @Test(arguments: ["", "a", "é", "\u{FFFD}", "a\u{FFFD}b", "\u{10FFFF}", "\u{7FF}\u{800}\u{FFFF}\u{10000}", "e\u{301}", "\u{7F}\u{80}", "👩‍👩‍👧‍👦"])
    func textIsReadAsItStands(_ text: String) throws {
        for length in [0, 1, 15, 16, 70] {
            let padded = text + String(repeating: "x", count: length)
            #expect(try JSONParser.parse("\"\(padded)\"").stringValue.map { Array($0.utf8) } == Array(padded.utf8))
            #expect(try JSONParser.parse("\"\\t\(padded)\"").stringValue.map { Array($0.utf8) } == Array(("\t" + padded).utf8))
        }
    }

    @Test func nestingIsBoundedAndTellsSo() throws {
        let depth = JSONParser.maximumDepth
        let deepest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try JSONValue(parsing: deepest).text == deepest)
        let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        #expect(try JSONValue(parsing: objects).text == objects)
        for text in [
            "[" + deepest + "]", "{\"a\":" + objects + "}", String(repeating: "[", count: 65_536),
            String(repeating: "{\"a\":[", count: 20_000),
        ] {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.code == .tooDeep)
        }
    }

    @Test func ofMembersWithOneNameTheFirstCounts() throws {
        let value = try JSONValue(parsing: "{\"a\":1,\"b\":2,\"a\":3}")
        #expect(value == ["a": 1, "b": 2])
        #expect(value.text == "{\"a\":1,\"b\":2}")
        let many = (0..<50).map { "\"k\($0 % 20)\":\($0)" }.joined(separator: ",")
        let object = try #require(JSONValue(parsing: "{\(many)}").objectValue)
        #expect(object.keys == (0..<20).map { "k\($0)" })
        #expect(object["k7"] == 7)
    }

    @Test func namesThatOnlyLookAlikeAreDifferent() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.objectValue?.count == 2)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
        #expect(try JSONValue(parsing: "\"\u{E9}\"") != JSONValue(parsing: "\"e\u{301}\""))
    }

    @Test func everyTruncationOfAMessageIsRefused() throws {
        let text = """
            {"v":"1-17","msgId":"Xk1pZWxkT2ZNc2c=","event":"x.msg.new","params":{"content":{"type":"text","text":"a\\u00e9🚀\\n"},\
            "mentions":{"b":{"memberId":"q83vEjRWeJA="}},"ttl":-1.5e3,"live":true,"x":[null,false,{}]}}
            """
        let bytes = Bytes(text.utf8)
        #expect(try JSONValue(parsing: bytes).bytes() != [])
        for truncated in bytes.truncations { #expect(throws: JSONError.self) { try JSONValue(parsing: truncated) } }
    }

    @Test func arbitraryBytesNeverDoHarmAndWhatIsReadIsWrittenEqual() {
        var random = SplitMix64(seed: 1)
        let alphabet = Bytes("{}[]\",:\\u0019aetrfnl-+.e \n\u{FF}".utf8)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...60, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect((try? JSONValue(parsing: value.bytes())) == value)
        }
    }

    /// In quadratic time it would take many minutes.
    @Test(.timeLimit(.minutes(10))) func largeInputTakesLinearTime() throws {
        for text in [
            "{}", "[" + String(repeating: "1,", count: 100_000) + "1]", "{" + (0..<30_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}",
            "{" + String(repeating: "\"a\":1,", count: 50_000) + "\"b\":2}", "\"" + String(repeating: "\\u00e9", count: 50_000) + "\"",
            String(repeating: "9", count: 100_000),
        ] {
            let value = try JSONValue(parsing: text)
            #expect(try JSONValue(parsing: value.bytes()) == value)
        }
    }
}
