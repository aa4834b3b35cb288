import Testing

@testable import JSONMacroExpansion

@Suite("Misuse of the macros")
struct MisuseTests {
    private static let members = "JSONMembersMacro"
    private static let forms = "JSONFormsMacro"

    /// Declarations with a mark where the error is shown, and the remedy in it.
    @Test(arguments: [
        (members, "^class C { var a: Int }", "attach it to a struct"), (members, "enum ^E { case a }", "attach it to a struct"),
        (forms, "struct ^S { var a: Int }", "attach it to an enum"), (members, "struct S { var ^a = 1 }", "write 'var a: Type'"),
        (members, "struct S { let ^a: Int = 1 }", "make it 'var' for a default value"), (members, "struct S { lazy var ^a: Int = 1 }", "drop 'lazy'"),
        (members, "struct S { var ^(a, b): (Int, Int) }", "declare each with its own 'var'"),
        (members, "struct S { ^@JSONName(\"x\") var a: Int, b: Int }", "declare each on a line of its own"),
        (members, "struct S { @JSONName(^name) var a: Int }", "write them as string literals"),
        (members, "struct S { @JSONName(^\"a\\(b)\") var a: Int }", "write them as string literals"),
        (members, "struct S { var a: Int; @JSONName(\"a\") var ^b: Int }", "another '@JSONName'"),
        (members, "struct S: ExtensibleObject { @JSONFlattened var ^a: B }", "drop 'ExtensibleObject' or '@JSONFlattened'"),
        (members, "struct S { ^#if DEBUG\nvar a: Int\n#endif }", "move it to an extension"), (members, "struct S { ^#stored }", "move it to an extension"),
        (forms, "enum ^E { case a }", "add 'case other(String, JSONValue)'"), (forms, "enum ^E { case other(String) }", "add 'case other(String, JSONValue)'"),
        (forms, "enum E { case a(^Int); case other(String, JSONValue) }", "label it"),
        (forms, "enum E { case a(b: Int, ^_: Int); case other(String, JSONValue) }", "label it"),
        (forms, "enum E { case a(^type: Int); case other(String, JSONValue) }", "another '@JSONName'"),
        (forms, "enum E { @JSONName([\"b\": \"c\"]) case ^a(x: Int); case other(String, JSONValue) }", "give one of its labels"),
        (forms, "enum E { @JSONRepeated(\"b\") case ^a(x: Int); case other(String, JSONValue) }", "give one of its labels"),
        (forms, "enum E { case a; @JSONName(\"a\") case ^b; case other(String, JSONValue) }", "another '@JSONName'"),
        ("JSONAnnotationMacro", "^func f() {}", "attach it to a stored property"), ("Other", "^struct S {}", "correct the '#externalMacro'"),
    ])
    func `is shown where it is, with the remedy`(macro: String, marked: String, remedy: String) throws {
        let mark = try #require(marked.utf8.firstIndex(of: UInt8(ascii: "^")))
        let expansion = JSONMacroExpander.expand(macro, declaration: marked.replacing("^", with: "", maxReplacements: 1))
        #expect(expansion.source == nil)
        let misuse = try #require(expansion.misuses.first)
        #expect(misuse.reason.message.contains(remedy))
        #expect(misuse.offset == marked.utf8.distance(from: marked.utf8.startIndex, to: mark))
    }

    @Test func `every misuse of a declaration is shown at once`() {
        let expansion = JSONMacroExpander.expand("JSONMembersMacro", declaration: "struct S { var a = 1; lazy var b: Int = 2; var c: Int }")
        #expect(expansion.misuses.map(\.reason) == [.untyped("a"), .lazy("b")])
    }

    @Test func `an attribute of a field or a case alone adds nothing`() {
        for declaration in ["@JSONName(\"x\") public var a: Int", "@JSONName(\"x\")\ncase a(b: Int)", "private(set) var a: Int = 1"] {
            let expansion = JSONMacroExpander.expand("JSONAnnotationMacro", declaration: declaration)
            #expect(expansion.source == "" && expansion.misuses.isEmpty)
        }
    }

    @Test func `text that is no whole declaration is refused and never trapped on`() {
        let source = """
            @JSONMembers public struct S<A: B<C>>: D where A: E {
                @JSONName("x") public var a: [String: (Int) -> A?] = [:] /* c /* d */ */
                var b: String = #"\\#(c("}"))"# { didSet { d() } }
                init(_ e: Int = f(1), g: H<I>) throws(J) { k() }
                static func < (l: S, r: S) -> Bool { true }
            }
            enum T { @JSONName("y", ["a": "b"]) case a(a: Int = 1, b: [C<D>]), c; case other(String, JSONValue) }
            """
        let bytes = Array(source.utf8)
        for macro in [Self.members, Self.forms, "JSONAnnotationMacro"] {
            for end in bytes.indices {
                _ = JSONMacroExpander.expand(macro, declaration: String(decoding: bytes[..<end], as: UTF8.self))
                _ = JSONMacroExpander.expand(macro, declaration: String(decoding: bytes[end...], as: UTF8.self))
                _ = JSONMacroExpander.expand(macro, declaration: String(decoding: bytes[..<end] + bytes[(end + 1)...], as: UTF8.self))
            }
        }
        #expect(JSONMacroExpander.expand(Self.members, declaration: String(decoding: bytes[..<100], as: UTF8.self)).source == nil)
        #expect(JSONMacroExpander.expand(Self.members, declaration: source).source != nil)
    }
}
