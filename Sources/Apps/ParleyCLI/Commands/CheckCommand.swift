internal import ArgumentParser
internal import ChatProtocol
internal import ParleyRules

/// `parley check`: reads a bots.yaml and says what is wrong with it. Starts nothing.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate a bots.yaml, without starting anything.")

    @Argument(help: "The file to read.")
    var file = "bots.yaml"

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        do throws(BotsFileError) {
            let bots = try BotsFile(contentsOf: file)
            if json {
                Output.line(
                    [
                        "file": .string(file), "profiles": .int(bots.profiles.count), "errors": [],
                        "warnings": .array(bots.warnings.diagnostics.map(Self.json)),
                    ])
            } else {
                if !bots.warnings.diagnostics.isEmpty { Output.line(bots.warnings.description) }
                let warnings = bots.warnings.diagnostics.count
                let rules = bots.profiles.reduce(0) { $0 + $1.rules.count }
                let found = warnings == 0 ? "no faults" : "no errors, " + TableColumns.counted(warnings, "warning")
                Output.line("\(file): \(TableColumns.counted(bots.profiles.count, "profile")), \(TableColumns.counted(rules, "rule")), \(found)")
            }
        } catch {
            guard json else { throw error }
            Output.line(["file": .string(file), "errors": .array(error.diagnostics.map(Self.json))])
            throw ExitCode(2)
        }
    }

    private static func json(_ diagnostic: Diagnostic) -> JSONValue { Output.object { diagnostic.write(to: &$0) } }
}
