internal import ArgumentParser
internal import Foundation
internal import Parley
internal import ParleyRules

/// `parley init`: writes a first bots.yaml or a Swift package with a test, ready to be run.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a first bots.yaml or, with --swift, a Swift package; each with a test.",
        discussion: "Without arguments, in a terminal, it asks what the bot should do. An existing file is never replaced.")

    @Argument(help: "The file to write or, with --swift, the folder of the package. [default: bots.yaml, or bot]")
    var path: String?

    @Flag(help: "Write a Swift package instead of a bots.yaml.")
    var swift = false

    @Option(help: "With --swift, the folder of Parley's sources, from the package's folder. [default: ../parley]")
    var parley: String?

    @Option(help: "The display name of the bot. [default: Helper]")
    var name: String?

    @Option(name: .customLong("help-text"), help: "Answer with this text when somebody writes /help.")
    var helpText: String?

    @Flag(help: "Ask about the bot, also if the input is not a terminal. Cannot be combined with other options.")
    var ask = false

    private var hasOptions: Bool { path != nil || swift || parley != nil || name != nil || helpText != nil }

    func validate() throws {
        if ask, hasOptions { throw ValidationError("--ask asks for everything: leave the other options out") }
        if parley != nil, !swift { throw ValidationError("--parley means nothing without --swift") }
        if helpText != nil, swift { throw ValidationError("--help-text is for a bots.yaml, not for --swift") }
    }

    func run() throws {
        guard ask || (!hasOptions && isatty(STDIN_FILENO) == 1 && Output.isTerminal) else {
            let name = name ?? "Helper"
            if swift { return try writePackage(path ?? "bot", name: name) }
            let help = helpText ?? "Write something, and I will repeat it."
            return try write(BotsFileTemplate(name: name, help: help, features: [.echo], isPublic: false), to: path ?? "bots.yaml")
        }
        let answers = try InitQuestions(
            ask: { question in
                Output.show(prompt: question)
                defer { Output.endPrompt() }
                return readLine()
            }, show: Output.line
        ).answers()
        if answers.isSwift { return try writePackage(answers.path, name: answers.name) }
        let help = answers.features.map { "I " + $0.title + "." }.joined(separator: "\n")
        try write(BotsFileTemplate(name: answers.name, help: help, features: answers.features, isPublic: answers.isPublic), to: answers.path)
    }

    private func write(_ template: BotsFileTemplate, to file: String) throws {
        let name = template.name, text = template.text
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
        guard !template.isPublic else { return }
        Output.line(
            """
            Only this machine reaches the bot. This line in \(file) lets phones reach it, and accepts the conditions of use, \(InitQuestions.conditions):
              \(BotsFileTemplate.publicNetwork)
            """)
    }

    private func writePackage(_ folder: String, name: String) throws {
        // The name is judged as that of a bots.yaml.
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: BotsFileTemplate(name: name, help: "help", features: [], isPublic: false).text)
        } catch {
            throw Outcome.BadInput(description: error.diagnostics.map { $0.message + ($0.hint.map { ": " + $0 } ?? "") }.joined(separator: "; "))
        }
        guard let package = SwiftPackageTemplate(folder: folder, parley: parley ?? "../parley", botName: name) else {
            throw Outcome.BadInput(
                "init.name", description: "\(folder) makes no name of a module: name a folder with letters, as in parley init --swift my-bot")
        }
        guard !package.isNamedAsParley else {
            throw Outcome.BadInput(
                "init.name", description: "\(folder) has the name of the folder of Parley, which the build cannot tell apart: name another folder")
        }
        try package.write()
        if !FileManager.default.fileExists(atPath: package.parleyFolder + "/Package.swift") {
            Output.warning(
                """
                There are no sources of Parley at \(package.parleyFolder), so the package does not build yet. Move the package beside the checkout of \
                Parley, or write the folder of the checkout into its Package.swift, as in .package(name: "parley", path: "../parley").
                """)
        }
        Output.line(
            """
            \(folder) is a Swift package with the bot \(VisibleText.name(name)).
              cd \(folder)
              swift test     runs its tests
              swift run      runs the bot, and prints its address
            Only this machine reaches the bot. This call in \(package.sourceFile) lets phones reach it, and accepts the conditions of use, \(InitQuestions.conditions):
              \(SwiftPackageTemplate.publicRun)
            """)
    }
}
