internal import ArgumentParser
internal import ChatProtocol
internal import ParleyRules

/// `parley check`: reads a bots.yaml and says what is wrong with it. Starts nothing.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read a bots.yaml and say what is wrong with it, without starting anything.")

    @Argument(help: "The file to read.")
    var file = "bots.yaml"

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        do throws(BotsFileError) {
            let bots = try BotsFile(contentsOf: file)
            if json {
                Output.line(["file": .string(file), "profiles": .int(bots.profiles.count), "errors": []])
            } else {
                let rules = bots.profiles.reduce(0) { $0 + $1.rules.count }
                Output.line("\(file): \(bots.profiles.count) profile\(bots.profiles.count == 1 ? "" : "s"), \(rules) rule\(rules == 1 ? "" : "s"), no faults")
            }
        } catch {
            guard json else { throw error }
            let faults = error.diagnostics.map { fault in
                Output.object { object in
                    object["code"] = fault.code.rawValue
                    object["line"] = fault.position.line
                    object["column"] = fault.position.column
                    object["message"] = fault.message
                    object["hint"] = fault.hint
                }
            }
            Output.line(["file": .string(file), "errors": .array(faults)])
            throw ExitCode(2)
        }
    }
}
