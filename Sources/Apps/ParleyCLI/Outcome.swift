internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import ParleyRules

/// The exit code of the process.
enum Outcome {
    /// An error in the input of a person: exit code 2.
    struct BadInput: Error, CustomStringConvertible {
        let code: String
        let description: String

        init(_ code: String = "badInput", description: String) {
            self.code = code
            self.description = description
        }
    }

    /// An error while running: exit code 1.
    struct Failed: Error, CustomStringConvertible {
        let code: String
        let description: String

        init(_ code: String, description: String) {
            self.code = code
            self.description = description
        }
    }

    /// The nearest command, if the first unknown word is nearly one.
    static func suggestion(for error: any Error, arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> String {
        var commands: [any ParsableCommand.Type] = ParleyCommand.configuration.subcommands, path = ["parley"]
        for word in arguments {
            let names = commands.compactMap { $0.configuration.commandName }
            if let next = commands.first(where: { $0.configuration.commandName == word }) {
                (commands, path) = (next.configuration.subcommands, path + [word])
                continue
            }
            guard !word.hasPrefix("-"), ParleyCommand.message(for: error).contains("'\(word)'"), let nearest = Spelling.nearest(to: word, among: names) else {
                return ""
            }
            return "\n  Did you mean '\((path + [nearest]).joined(separator: " "))'?"
        }
        return ""
    }

    /// A message about an unknown option without the option that it suggests, if that is another word.
    static func withoutFarSuggestion(_ message: String) -> String {
        guard let match = message.firstMatch(of: /Unknown option '-*([^']*)'\. Did you mean '-*([^']*)'\?/),
            Spelling.nearest(to: String(match.1), among: [String(match.2)]) == nil, let question = match.0.firstRange(of: " Did you mean")
        else { return message }
        return String(message[..<question.lowerBound] + message[match.range.upperBound...])
    }

    /// Prints the error where a person looks for it, and ends the process with the code for its kind.
    static func end(_ error: any Error) -> Never {
        let code = ParleyCommand.exitCode(for: error)
        switch error {
        // Everything that is wrong in a file, each with its own code.
        case let error as BotsFileError:
            if CommandLine.arguments.contains("--json") { for fault in error.faults { Output.line(fault) } }
            ProcessFault.end(saying: error.description, 2)
        case is CleanExit: ParleyCommand.exit(withError: error)
        // Help, and exit codes of commands that have said what there is to say.
        case is ExitCode: Foundation.exit(code.rawValue)
        case _ where code == .success: ParleyCommand.exit(withError: error)
        case _ where code == .validationFailure:
            ProcessFault.end(saying: withoutFarSuggestion(ParleyCommand.fullMessage(for: error)) + suggestion(for: error), 2)
        default:
            let fault = Fault(error)
            // Scripts read standard output.
            if CommandLine.arguments.contains("--json") { Output.line(fault.json) }
            ProcessFault.end(saying: "parley: \(fault.message) [\(fault.code)]", fault.exitCode)
        }
    }
}

/// An error in the form that people and scripts read: a stable code, the error and its fix.
struct Fault: Equatable {
    let code: String
    let message: String
    /// 2 when what was given is wrong, else 1.
    let exitCode: Int32

    init(_ error: any Error) {
        switch error {
        case let error as Outcome.BadInput: self.init(error.code, error.description, exitCode: 2)
        case let error as Outcome.Failed: self.init(error.code, error.description)
        case let error as ChatLine.Fault: self.init("badInput", error.message, exitCode: 2)
        default:
            let fault = ProcessFault(error)
            self.init(fault.code, fault.message, exitCode: fault.exitCode)
        }
    }

    private init(_ code: String, _ message: String, exitCode: Int32 = 1) {
        self.code = code
        self.message = message
        self.exitCode = exitCode
    }

    /// For `--json`.
    var json: JSONValue { ["event": "error", "code": .string(code), "message": .string(message)] }
}

extension BotsFileError {
    /// For `--json`: an object for each error.
    var faults: [JSONValue] {
        diagnostics.map { diagnostic in
            Output.object { object in
                object["event"] = "error"
                object["file"] = file
                diagnostic.write(to: &object)
            }
        }
    }
}

extension Diagnostic {
    /// For `--json`.
    func write(to object: inout JSONObjectWriter) {
        object["code"] = code.rawValue
        object["line"] = position.line
        object["column"] = position.column
        object["message"] = message
        object["hint"] = hint
    }
}
