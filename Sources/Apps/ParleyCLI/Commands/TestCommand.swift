internal import ArgumentParser
internal import ChatProtocol
internal import Hosting
internal import ParleyRules

/// `parley test`: runs the tests of a bots.yaml. Starts nothing.
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Run the tests in a bots.yaml.",
        discussion: "Exits with 1 if a test fails, and with 2 if the file has errors.")

    @Argument(help: "The file to read.")
    var file = "bots.yaml"

    @Option(help: "Run the tests of this profile only, by its key or name.")
    var profile: String?

    @Flag(help: "Print one JSON object for each test, and one for all.")
    var json = false

    func run() throws {
        let description = try BotsFile(contentsOf: file)
        let profiles = try ProfileChoice.profiles(of: description, named: profile)
        var count = 0, failed = 0
        for profile in profiles {
            let rules = try RuleSet(profile.rules, lists: description.lists)
            for test in profile.tests {
                let failures = test.run(rules, bot: profile.name, forms: profile.forms, texts: profile.texts)
                count += 1
                if !failures.isEmpty { failed += 1 }
                report(test, of: profile, failures)
            }
        }
        if json {
            Output.line(["event": "done", "tests": .int(count), "failed": .int(failed)])
        } else if count == 0 {
            Output.line("\(file): no tests")
        } else {
            Output.line("\(file): \(count) test\(count == 1 ? "" : "s"), " + (failed == 0 ? "all passed" : "\(failed) failed"))
        }
        if failed > 0 { throw ExitCode(1) }
    }

    private func report(_ test: RuleTest, of profile: ProfileSpec, _ failures: [RuleTestFailure]) {
        guard !json else {
            let failures = failures.map { failure in
                Output.object { object in
                    object["subject"] = failure.subject
                    object["expected"] = JSONValue.array(failure.expected.map { .string($0) })
                    object["actual"] = JSONValue.array(failure.actual.map { .string($0) })
                }
            }
            Output.line(
                [
                    "event": "test", "profile": .string(profile.id), "line": .int(test.position.line), "title": .string(test.label),
                    "passed": .bool(failures.isEmpty), "failures": .array(failures),
                ])
            return
        }
        guard !failures.isEmpty else { return }
        Output.line("\(file):\(test.position): failed: \(profile.id): \(test.label)")
        for failure in failures { Output.line(failure.description.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")) }
    }
}

/// The profiles of a file that a command looks at.
enum ProfileChoice {
    static func profiles(of file: BotsFile, named name: String?) throws -> [ProfileSpec] {
        guard let name else { return file.profiles }
        guard let profile = file.profiles.first(where: { $0.id == name }) ?? file.profiles.first(where: { $0.name == name }) else {
            // A person may give the name that others see.
            let nearest = file.profiles.first { $0.name == name }?.id ?? Spelling.nearest(to: name, among: file.profiles.map(\.id))
            throw Outcome.BadInput(
                "profile.unknown",
                description: "the file has no profile \"\(name)\": it has \(file.profiles.map(\.id).joined(separator: ", "))"
                    + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        return [profile]
    }
}
