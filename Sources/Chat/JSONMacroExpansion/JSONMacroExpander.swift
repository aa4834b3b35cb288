/// The expansion of the macros of ChatProtocol and ChatAPI, by the messages of the compiler.
package enum JSONMacroExpander {
    /// The answer to a message of the compiler.
    package static func answer(to message: CompilerMessage) -> PluginMessage {
        switch message {
        case .getCapability:
            return .getCapabilityResult(capability: .init(protocolVersion: PluginMessage.protocolVersion))
        case .expandAttachedMacro(let macro, let declaration):
            let expansion = expand(macro.typeName, declaration: declaration.source)
            return .expandMacroResult(
                expandedSource: expansion.source, diagnostics: expansion.misuses.map { PluginMessage.Diagnostic($0, in: declaration) })
        case .unknown(let name):
            return .expandMacroResult(
                expandedSource: nil, diagnostics: [.init(message: "JSONMacros does not know what the compiler asks for: '\(name)'")])
        }
    }

    /// The members that a macro adds to a declaration.
    ///
    /// - Parameters:
    ///   - macro: The name of the type in `#externalMacro`.
    ///   - declaration: The source text of the declaration, with its attributes.
    static func expand(_ macro: String, declaration: String) -> Expansion {
        do throws(Misuse) {
            let declaration = try DeclarationParser.parse(declaration)
            switch macro {
            case "JSONMembersMacro": return .init(source: try JSONMembersExpansion(declaration).source)
            case "JSONFormsMacro": return .init(source: try JSONFormsExpansion(declaration).source)
            case "JSONAnnotationMacro":
                guard [.property, .enumCase].contains(declaration.kind) else { throw Misuse(.annotationNowhere, at: 0) }
                return .init(source: "")
            default: throw Misuse(.unknownMacro(macro), at: 0)
            }
        } catch {
            return .init(misuses: error.all)
        }
    }

    /// The outcome of an expansion: source text, or the errors.
    struct Expansion {
        var source: String?
        var misuses: [Misuse] = []
    }
}
