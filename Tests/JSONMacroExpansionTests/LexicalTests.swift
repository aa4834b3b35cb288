import Testing

@testable import JSONMacroExpansion

/// Source text whose brackets, quotes and line ends are not what they seem.
@Suite("Lexical forms")
struct LexicalTests {
    private func parameters(_ body: String) -> String {
        let source = JSONMacroExpander.expand("JSONMembersMacro", declaration: "struct S {\n\(body)\n}").source ?? "no source"
        guard let start = source.firstRange(of: "\ninit("), let end = source.firstRange(of: ") {\n") else { return source }
        return String(source[start.upperBound..<end.lowerBound])
    }

    @Test(arguments: [
        ("var a: Int /* 1 /* 2 /* 3 */ 2 */ var x: Int */ = 1", "a: Int = 1"), ("var a: Int // /*\nvar b: Int // */", "a: Int, b: Int"),
        ("var a: Int // \"\nvar b: Int", "a: Int, b: Int"), ("var a: String = \"/*\"\nvar b: String = \"*/ //\"", "a: String = \"/*\", b: String = \"*/ //\""),
        ("var a: String = \"\\\"\"\nvar b: Int", "a: String = \"\\\"\", b: Int"), ("var a: String = #\"\\\"#\nvar b: Int", "a: String = #\"\\\"#, b: Int"),
        ("var a: String = ##\"\"#\"##\nvar b: Int", "a: String = ##\"\"#\"##, b: Int"),
        ("var a: String = \"\\(b[\"}\"] ?? \"\\(\"{\")\")\"\nvar b: Int", "a: String = \"\\(b[\"}\"] ?? \"\\(\"{\")\")\", b: Int"),
        ("var a: String = #\"\\(b\"#\nvar c: Int", "a: String = #\"\\(b\"#, c: Int"),
        ("var `default`: Int = 1\nvar `in`: Int", "`default`: Int = 1, `in`: Int"), ("var ä: Größe = .größte", "ä: Größe = .größte"),
    ])
    func `comments and strings hide what is in them`(body: String, parameters: String) { #expect(self.parameters(body) == parameters) }

    @Test(arguments: [
        ("var a: A<() -> B, C>\nvar b: Int", "a: A<() -> B, C>, b: Int"), ("var a: A<B -> C>\nvar b: Int", "a: A<B -> C>, b: Int"),
        ("var a: A<B<C<D>>>\nvar b: Int", "a: A<B<C<D>>>, b: Int"), ("var a: [A<B, C>: [D]]\nvar b: Int", "a: [A<B, C>: [D]], b: Int"),
        ("var a: B &\n C\nvar b: Int", "a: B &\n C, b: Int"), ("var a: B.\n C\nvar b: Int", "a: B.\n C, b: Int"),
        ("var a: any B & C = d\nvar b: Int", "a: any B & C = d, b: Int"), ("var a: B?\nvar b: C!", "a: B? = nil, b: C!"),
        ("var a: (b: Int, c: [D])\nvar d: Int", "a: (b: Int, c: [D]), d: Int"),
        ("var a: @Sendable (B) async throws -> C\nvar b: Int", "a: @Sendable (B) async throws -> C, b: Int"),
    ])
    func `a type ends with its line unless a sign goes on`(body: String, parameters: String) { #expect(self.parameters(body) == parameters) }

    @Test(arguments: [
        ("var a: Int? = b as Int?\nvar b: Int", "a: Int? = b as Int?, b: Int"), ("var a: Int = 1 +\n 2\nvar b: Int", "a: Int = 1 +\n 2, b: Int"),
        ("var a: Int = 1\n + 2\nvar b: Int", "a: Int = 1\n + 2, b: Int"), ("var a: Int = b\n ? 1\n : 2\nvar b: Int", "a: Int = b\n ? 1\n : 2, b: Int"),
        ("var a: [Int] = [\n1,\n2\n]\nvar b: Int", "a: [Int] = [\n1,\n2\n], b: Int"), ("var a: B = { $0 > 1 }\nvar b: Int", "a: B = { $0 > 1 }, b: Int"),
        ("var a: B = .c(d: [1, 2]), e: Int = 3", "a: B = .c(d: [1, 2]), e: Int = 3"), ("var a: Int = 1; var b: Int = 2", "a: Int = 1, b: Int = 2"),
        ("var a: Int = 1 { didSet { b = [1, 2] } }\nvar b: Int", "a: Int = 1, b: Int"),
        ("var a: B = { 1 }() { willSet { c() } }\nvar b: Int", "a: B = { 1 }(), b: Int"),
    ])
    func `a default value ends with its line unless a sign goes on`(body: String, parameters: String) { #expect(self.parameters(body) == parameters) }

    @Test(arguments: [
        ("[String: Int]", true), ("[String: [Int: Int]]", true), ("[A<B, C>: D]", true), ("[(a: Int, b: Int): C]", true), ("[Int]", false),
        ("[(a: Int, b: Int)]", false), ("[[Int: Int]]", false), ("[A<[B: C]>]", false), ("(a: Int, b: Int)", false), ("[String: Int]?", false),
        ("Dictionary<String, Int>", false), ("[]", false), ("", false),
    ])
    func `a map is a dictionary and not what holds one`(type: String, isMap: Bool) {
        #expect(JSONField(name: "a", jsonName: "a", type: type, defaultValue: nil).isMap == isMap)
    }

    @Test(arguments: [
        ("userID", "userId"), ("userIDs", "userIds"), ("ID", "ID"), ("IDs", "IDs"), ("identity", "identity"), ("IDE", "IDE"), ("aIDB", "aIDB"),
        ("`case`", "case"),
        ("`xID`", "xId"), ("xIDID", "xIDId"), ("xId", "xId"), ("a", "a"),
    ])
    func `an identifier ends in JSON as it is written there`(name: String, json: String) { #expect(JSONField.jsonName(ofSwiftName: name) == json) }

    @Test func `tokens lie one behind another and lose nothing but space and comments`() {
        let source = "@A(b: \"c\\(d)\") /* e */ struct F<G>: H { // i\n let `j`: [K: L]? = #\"m\"# }"
        let tokens = SwiftLexer.tokens(of: source)
        let bytes = Array(source.utf8)
        var end = 0
        for token in tokens {
            #expect(token.offset >= end && String(decoding: bytes[token.offset..<token.end], as: UTF8.self) == token.text)
            #expect(token.isApart == (token.offset > end) || token.offset == 0)
            end = token.end
        }
        #expect(tokens.map(\.text).joined() == "@A(b:\"c\\(d)\")structF<G>:H{let`j`:[K:L]?=#\"m\"#}")
        #expect(tokens.filter(\.startsLine).map(\.text) == ["@", "let"])
    }
}
