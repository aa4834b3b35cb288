internal import JSONMacroExpansion

/// The program that expands the macros of ChatProtocol and ChatAPI. The compiler starts it, sends it the declarations and compiles its answers.
///
/// It speaks the compiler's own messages instead of linking swift-syntax, whose release build takes several minutes on two cores. The messages
/// are as stable as the macros built against any version of swift-syntax: a compiler has to work with those of the years before it. What is
/// expanded here needs the declarations of fields only, which ``DeclarationParser`` reads.
@main
enum JSONMacros {
    static func main() {
        do {
            while let message = try CompilerConnection.receive() {
                try CompilerConnection.send(JSONMacroExpander.answer(to: message))
            }
        } catch {
            CompilerConnection.fail("JSONMacros: \(error)")
        }
    }
}
