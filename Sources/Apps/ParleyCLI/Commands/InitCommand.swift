internal import ArgumentParser
internal import Foundation
internal import Parley
internal import ParleyRules

/// `parley init`: writes a first bots.yaml or a Swift package with a test, ready to be run.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a first bots.yaml or, with --swift, a Swift package; each with a test.",
        discussion: "A file that is there is never replaced.")

    @Argument(help: "The file to write or, with --swift, the folder of the package. [default: bots.yaml, or bot]")
    var path: String?

    @Flag(help: "Write a Swift package instead of a bots.yaml.")
    var swift = false

    @Option(help: "With --swift, the folder of Parley's sources, from the package's folder. [default: ../parley]")
    var parley: String?

    @Option(help: "The display name of the bot.")
    var name = "Helper"

    @Option(name: .customLong("help-text"), help: "Answer with this text when somebody writes /help.")
    var helpText: String?

    func validate() throws {
        if parley != nil, !swift { throw ValidationError("--parley means nothing without --swift") }
        if helpText != nil, swift { throw ValidationError("--help-text is for a bots.yaml, not for --swift") }
    }

    func run() throws {
        if swift { return try writePackage() }
        let file = path ?? "bots.yaml"
        let text = Self.text(name: name, help: helpText ?? "Write something, and I will repeat it.")
        // What is written must be right, whatever was given.
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: text, file: file)
        } catch {
            throw Outcome.BadInput(description: error.diagnostics.map { $0.message + ($0.hint.map { ": " + $0 } ?? "") }.joined(separator: "; "))
        }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        } catch {
            guard !FileManager.default.fileExists(atPath: file) else {
                throw Outcome.BadInput("init.exists", description: "\(file) is there already: give another name, as in parley init my-bots.yaml")
            }
            throw Outcome.Failed("init.notWritten", description: "\(file) cannot be written: \(error.localizedDescription)")
        }
        Output.line(
            """
            \(file) describes the bot \(VisibleText.name(name)).
              parley test \(file)    runs the tests in it
              parley run \(file)     runs the bot, and prints its address
            """)
    }

    private func writePackage() throws {
        let folder = path ?? "bot"
        // The name is judged as that of a bots.yaml.
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: Self.text(name: name, help: "help"))
        } catch {
            throw Outcome.BadInput(description: error.diagnostics.map { $0.message + ($0.hint.map { ": " + $0 } ?? "") }.joined(separator: "; "))
        }
        guard let package = SwiftPackageTemplate(folder: folder, parley: parley ?? "../parley", botName: name) else {
            throw Outcome.BadInput(
                "init.name", description: "\(folder) makes no name of a module: name a folder with letters, as in parley init --swift my-bot")
        }
        try package.write()
        Output.line(
            """
            \(folder) is a Swift package with the bot \(VisibleText.name(name)).
              cd \(folder)
              swift test     runs its tests
              swift run      runs the bot, and prints its address
            """)
    }

    /// A text in double quotes, as YAML reads it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "\n", "\r\n": quoted += "\\n"
            default: quoted.append(character)
            }
        }
        return quoted + "\""
    }

    /// The key of a profile with a name: its letters and digits, in lower case.
    static func key(for name: String) -> String {
        let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let key = words.joined(separator: "-")
        return key.first?.isLetter == true ? key : "helper"
    }

    private static func text(name: String, help: String) -> String {
        let reply = quoted(help.replacing("{{", with: "{{{{"))
        return """
            # parley schema --output parley.schema.json makes this line complete keys in editors.
            \(BotsSchema.header(path: "./parley.schema.json"))
            parley: 1
            profiles:
              \(key(for: name)):
                name: \(quoted(name))
                address: { accept: automatic, welcome: "Hello! Send /help." }
                rules:
                  - id: help
                    when: { command: [help, start] }
                    description: What this bot does
                    then: { reply: \(reply) }
                  - id: thanks
                    when: { words: [thanks, "thank you"] }
                    then: { react: 👍 }
                  - id: echo
                    when: { message: text }
                    then: { reply: "{{ text }}" }
                tests:
                  - { say: /help, expect: help }
                  - { say: "Thanks!", actions: react }
                  - { say: good morning, replies: good morning }

            """
    }
}
