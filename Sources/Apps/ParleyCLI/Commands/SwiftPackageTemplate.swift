internal import Foundation

/// A Swift package with a first bot and a test of it.
struct SwiftPackageTemplate: Sendable {
    /// The folder of the package.
    let folder: String
    /// The folder of Parley, as the package names it.
    let parley: String
    /// The display name of the bot.
    let botName: String
    /// The name of the module: that of the folder in letters and digits, with "Bot" in it.
    let module: String

    /// The name of the program: that of the folder.
    private var product: String { URL(fileURLWithPath: folder).lastPathComponent }

    /// True if the folder and that of Parley have one name: the last part of a path is the identity of a package.
    var isNamedAsParley: Bool {
        let root = URL(fileURLWithPath: folder)
        return Self.identity(root) == Self.identity(URL(fileURLWithPath: parley, relativeTo: root.appendingPathComponent("")))
    }

    /// The folder of Parley, seen from where the command runs.
    var parleyFolder: String { URL(fileURLWithPath: parley, relativeTo: URL(fileURLWithPath: folder).appendingPathComponent("")).standardizedFileURL.path }

    private static func identity(_ folder: URL) -> String { folder.standardizedFileURL.lastPathComponent.lowercased() }

    /// Nil if the name of the folder holds no letter.
    init?(folder: String, parley: String, botName: String) {
        let words = URL(fileURLWithPath: folder).lastPathComponent.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        var module = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        if module.first?.isNumber == true { module = "Bot" + module }
        guard module.contains(where: \.isLetter) else { return nil }
        // No module has the name of another one of the build: those of Parley, of its packages and of Swift hold no "Bot".
        if !module.contains("Bot") { module += "Bot" }
        (self.folder, self.parley, self.botName, self.module) = (folder, parley, botName, module)
    }

    /// The files, by their paths in the folder.
    var files: KeyValuePairs<String, String> {
        ["Package.swift": manifest, sourceFile: source, "Tests/\(module)Tests.swift": tests, ".gitignore": ".build/\nparley-data/\n"]
    }

    /// The call of `run` in the main program that lets phones reach the bot.
    static let publicRun = "await bot.run(configuration: HostConfiguration(network: .presetOperators(acceptingConditions: true)))"

    /// The main program, from the package's folder.
    var sourceFile: String { "Sources/\(module).swift" }

    private var manifest: String {
        """
        // swift-tools-version: 6.1
        import PackageDescription

        let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

        let package = Package(
            name: \(Self.literal(module)),
            // Parley runs on Linux. The line keeps editors on a Mac from warning of newer features.
            platforms: [.macOS(.v15)],
            products: [.executable(name: \(Self.literal(product)), targets: [\(Self.literal(module))])],
            dependencies: [.package(name: "parley", path: \(Self.literal(parley)))],
            targets: [
                .executableTarget(
                    name: \(Self.literal(module)), dependencies: [.product(name: "Parley", package: "parley")], path: "Sources",
                    swiftSettings: settings),
                .testTarget(
                    name: \(Self.literal(module + "Tests")),
                    dependencies: [
                        .target(name: \(Self.literal(module))), .product(name: "Parley", package: "parley"),
                        .product(name: "ParleyTesting", package: "parley"),
                    ],
                    path: "Tests", swiftSettings: settings),
            ])

        """
    }

    private var source: String {
        """
        import Parley

        @main struct \(module)Program {
            static func main() async { await bot.run() }

            static var bot: Bot {
                Bot(\(Self.literal(botName)), address: .automatic(welcome: "Hello! Send /roll or /guess.")) {
                    On.help("I roll dice, and think of numbers.")
                    On(.command("roll", "Roll a die", .integer("sides", in: 2...1_000).withDefault(6))) { command in
                        try await command.reply("You rolled \\(Int.random(in: 1...command.arguments)).")
                    }
                    Conversation("guess", on: .command("guess", "Guess my number")) { talk in
                        let number = try await talk.perform("number") { _ in Int.random(in: 1...3) }
                        let guess = try await talk.ask("Which number do I think of, from 1 to 3?", .integer(in: 1...3))
                        try await talk.say(guess == number ? "Right!" : "No, it was \\(number).")
                    }
                    On(.text) { message in try await message.reply("You said: \\(message.text)") }
                }
            }
        }

        """
    }

    private var tests: String {
        """
        import Parley
        import ParleyTesting
        import Testing

        @testable import \(module)

        @Test func itAnswersRollsAndRemembersItsNumber() async throws {
            try await withBots(\(module)Program.bot) { room in
                let ann = try await room.person("Ann")
                try await ann.expect("Hello! Send /roll or /guess.")
                try await ann.say("good morning")
                try await ann.expect("You said: good morning")
                try await ann.say("/roll 20")
                try await ann.expect(containing: "You rolled")
                try await ann.say("/guess")
                try await ann.expect("Which number do I think of, from 1 to 3?")
                // The conversation goes on after a restart of the program.
                try await room.restart()
                try await ann.say("2")
                try await ann.expect("an answer to the guess") { $0.text == "Right!" || $0.text.hasPrefix("No, it was ") }
            }
        }

        """
    }

    /// A text as Swift reads it, in quotes.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control: literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Writes the files into a folder that is new or empty.
    ///
    /// - Throws: ``Outcome/BadInput`` `init.exists`, ``Outcome/Failed`` `init.notWritten`.
    func write() throws {
        let manager = FileManager.default, root = URL(fileURLWithPath: folder)
        guard (try? manager.contentsOfDirectory(atPath: folder))?.isEmpty ?? !manager.fileExists(atPath: folder) else {
            throw Outcome.BadInput("init.exists", description: "\(folder) is there already and not empty: name another folder")
        }
        do {
            for (path, text) in files {
                let file = root.appendingPathComponent(path)
                try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file, options: .withoutOverwriting)
            }
        } catch {
            throw Outcome.Failed("init.notWritten", description: "\(folder) cannot be written: \(error.localizedDescription)")
        }
    }
}
