/// A message of the compiler, as far as it matters here: what is not named is ignored.
package enum CompilerMessage: Decodable {
    case getCapability
    case expandAttachedMacro(macro: MacroReference, declaration: SourceText)
    /// A message that is not known: its name.
    case unknown(String)

    package struct MacroReference: Decodable {
        /// The name of the type in `#externalMacro`.
        var typeName: String
    }

    /// Source text and its position.
    package struct SourceText: Decodable {
        var source: String
        var location: Location

        package struct Location: Decodable {
            var fileName: String
            /// UTF-8 bytes from the beginning of the file.
            var offset: Int
        }
    }

    /// The name of a message or of one of its fields.
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Attached: Decodable {
        var macro: MacroReference
        var declSyntax: SourceText
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        guard let name = container.allKeys.first else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a message without a name"))
        }
        switch name.stringValue {
        case "getCapability": self = .getCapability
        case "expandAttachedMacro":
            let message = try container.decode(Attached.self, forKey: name)
            self = .expandAttachedMacro(macro: message.macro, declaration: message.declSyntax)
        default: self = .unknown(name.stringValue)
        }
    }
}

/// An answer to the compiler.
package enum PluginMessage: Encodable {
    case getCapabilityResult(capability: Capability)
    case expandMacroResult(expandedSource: String?, diagnostics: [Diagnostic])

    /// The version of the messages that are understood: the first one with `expandMacroResult`, of Swift 5.9.
    static let protocolVersion = 5

    package struct Capability: Encodable {
        var protocolVersion: Int
    }

    /// An error that the compiler shows at a position.
    package struct Diagnostic: Encodable {
        var message: String
        var severity = "error"
        var position = Position(fileName: "", offset: 0)
        var highlights: [Position] = []
        var notes: [Position] = []
        var fixIts: [Position] = []

        package struct Position: Encodable {
            var fileName: String
            /// UTF-8 bytes from the beginning of the file.
            var offset: Int
        }
    }
}

extension PluginMessage.Diagnostic {
    /// A misuse in a declaration.
    init(_ misuse: Misuse, in text: CompilerMessage.SourceText) {
        self.init(
            message: misuse.reason.message, position: .init(fileName: text.location.fileName, offset: text.location.offset + misuse.offset))
    }
}
