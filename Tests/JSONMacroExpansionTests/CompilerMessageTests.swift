import FoundationEssentials
import Testing

@testable import JSONMacroExpansion

@Suite("Messages of the compiler")
struct CompilerMessageTests {
    private func answer(to message: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let answer = JSONMacroExpander.answer(to: try JSONDecoder().decode(CompilerMessage.self, from: Data(message.utf8)))
        return String(decoding: try encoder.encode(answer), as: UTF8.self)
    }

    /// As the compiler of Swift 6.3 sends it, with more fields than are read.
    private func expansion(of macro: String, _ source: String) -> String {
        #"{"expandAttachedMacro":{"attributeSyntax":{"kind":"attribute","location":{"column":1,"fileID":"M/F.swift","fileName":"/F.swift","line":7,"#
            + #""offset":100},"source":"@JSONMembers"},"declSyntax":{"kind":"declaration","location":{"column":1,"fileID":"M/F.swift","#
            + #""fileName":"/F.swift","line":8,"offset":113},"source":"\#(source)"},"discriminator":"$s1M","lexicalContext":[],"#
            + #""macro":{"moduleName":"JSONMacros","name":"JSONMembers","typeName":"\#(macro)"},"macroRole":"member"}}"#
    }

    @Test func `the capability is that of Swift 5_9`() throws {
        #expect(
            try answer(to: #"{"getCapability":{"capability":{"protocolVersion":7}}}"#)
                == #"{"getCapabilityResult":{"capability":{"protocolVersion":5}}}"#)
        #expect(try answer(to: #"{"getCapability":{}}"#).contains("getCapabilityResult"))
    }

    @Test func `an expansion is source text`() throws {
        #expect(
            try answer(to: expansion(of: "JSONAnnotationMacro", "var a: Int")) == #"{"expandMacroResult":{"diagnostics":[],"expandedSource":""}}"#)
        #expect(try answer(to: expansion(of: "JSONMembersMacro", "struct S { var a: Int }")).contains(#"init(a: Int) {\n"#))
    }

    @Test func `a misuse has its position in the file`() throws {
        #expect(
            try answer(to: expansion(of: "JSONMembersMacro", "struct S { var a = 1 }"))
                == #"{"expandMacroResult":{"diagnostics":[{"fixIts":[],"highlights":[],"#
                + #""message":"'@JSONMembers' does not infer types: write 'var a: Type', with its default value behind it if it has one","#
                + #""notes":[],"position":{"fileName":"/F.swift","offset":128},"severity":"error"}]}}"#)
    }

    @Test func `a message that is not known is answered with an error`() throws {
        let answer = try answer(to: #"{"expandFreestandingMacro":{}}"#)
        #expect(answer.contains("expandFreestandingMacro") && answer.contains(#""severity":"error""#))
        #expect(throws: DecodingError.self) { try self.answer(to: "{}") }
    }
}
