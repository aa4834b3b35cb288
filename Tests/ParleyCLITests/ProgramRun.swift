import Foundation
import ProcessSupport

/// Runs `parley` to its end.
func run(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
    let folder = try ScratchFolder("router-run")
    defer { folder.remove() }
    let program = try ParleyProgram.start(arguments, log: folder("errors"))
    let code = try await program.exit()
    let output = await program.restOfOutput().map { $0 + "\n" }.joined()
    return (code, output, (try? String(contentsOfFile: folder("errors"), encoding: .utf8)) ?? "")
}
