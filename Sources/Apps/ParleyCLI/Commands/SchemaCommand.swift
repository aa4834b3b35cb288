internal import ArgumentParser
internal import Foundation
internal import ParleyRules

/// `parley schema`: the JSON Schema of bots.yaml, for editors.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of bots.yaml, for completion and hints in editors.",
        discussion: """
            With this line at the top of a file, editors with a YAML language server use the schema:
            \(BotsSchema.header(path: "./parley.schema.json"))
            """)

    @Option(help: "The file to write instead of standard output.")
    var output: String?

    func run() throws {
        let data = Data(BotsSchema.text.utf8)
        guard let output else {
            try FileHandle.standardOutput.write(contentsOf: data)
            return
        }
        do {
            try data.write(to: URL(fileURLWithPath: output), options: .atomic)
        } catch {
            throw Outcome.Failed("schema.notWritten", description: "\(output) cannot be written: \(error.localizedDescription)")
        }
        Output.line("\(output): put this line at the top of bots.yaml: \(BotsSchema.header(path: output.contains("/") ? output : "./\(output)"))")
    }
}
