import Foundation
import ProcessSupport

/// Runs `parley` to its end.
///
/// - Parameter input: Its whole standard input.
func run(_ arguments: [String], input: String = "") async throws -> (exitCode: Int32, output: String, errors: String) {
    let folder = try ScratchFolder("router-run")
    defer { folder.remove() }
    let program = try ParleyProgram.start(arguments, input: input, log: folder("errors"))
    let code = try await program.exit()
    let output = await program.restOfOutput().map { $0 + "\n" }.joined()
    return (code, output, (try? String(contentsOfFile: folder("errors"), encoding: .utf8)) ?? "")
}
