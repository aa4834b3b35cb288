import Foundation
import ProcessSupport
import Testing

/// `parley test` and `parley explain`, as a person and a script use them.
@Suite struct RuleCommandTests {
    private static let bots = """
        parley: 1
        profiles:
          guard:
            rules:
              - { id: links, when: { link: true, chat: group }, then: [ { moderate: true }, { reply: "No links, {{ member.name }}." } ] }
            tests:
              - { say: "https://x.io", chat: group, expect: links, replies: "No links, Ann." }
              - { say: "hello", chat: group, EXPECTATION }

        """

    @Test(arguments: [("expect-none: true", 0, "2 tests, all passed"), ("expect: links", 1, "2 tests, 1 failed"), ("expect: lnks", 2, "did you mean")])
    func testsBesideTheRulesAreRun(_ expectation: String, _ exitCode: Int32, _ words: String) async throws {
        let folder = try ScratchFolder("rule-tests")
        defer { folder.remove() }
        try folder.write(Self.bots.replacing("EXPECTATION", with: expectation), to: "bots.yaml")
        let result = try await run(["test", folder("bots.yaml")])
        #expect(result.exitCode == exitCode)
        #expect((result.output + result.errors).contains(words), "\(result)")
        if exitCode == 1 { #expect(result.output.contains("bots.yaml:8:9: failed: guard: \"hello\"\n    rules:\n      -links\n")) }
        if exitCode < 2 {
            let json = try await run(["test", folder("bots.yaml"), "--json"])
            #expect(json.exitCode == exitCode)
            #expect(json.output.contains(#""event":"done""#))
        }
        #expect(try await run(["test", folder("bots.yaml"), "--profile", "nobody"]).exitCode == 2)
    }

    @Test func rulesAreExplainedCheckByCheck() async throws {
        let folder = try ScratchFolder("rule-explain")
        defer { folder.remove() }
        try folder.write(Self.bots.replacing("EXPECTATION", with: "expect-none: true"), to: "bots.yaml")
        let result = try await run(["explain", folder("bots.yaml"), "--say", "see https://x.io", "--chat", "group", "--name", "Bob"])
        #expect(result.exitCode == 0)
        #expect(result.output.contains("yes link (line 5): links: x.io"), "\(result)")
        #expect(result.output.contains("applies: moderate, reply \"No links, Bob.\""))
        let exempt = try await run(["explain", folder("bots.yaml"), "--say", "https://x.io", "--role", "owner", "--json"])
        #expect(exempt.output.contains(#""verdict":"exempt""#))
        for arguments in [["--say", "x", "--role", "boss"], ["--with", "member"], ["--with", "colour=red"], []] {
            #expect(try await run(["explain", folder("bots.yaml")] + arguments).exitCode == 2, "\(arguments)")
        }
    }

    @Test func theSchemaIsPrintedOrWritten() async throws {
        let folder = try ScratchFolder("schema")
        defer { folder.remove() }
        let printed = try await run(["schema"])
        #expect(printed.exitCode == 0)
        #expect(printed.output.hasPrefix("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\""))
        let written = try await run(["schema", "--output", folder("parley.schema.json")])
        #expect(written.exitCode == 0)
        #expect(written.output.contains("# yaml-language-server: $schema="))
        #expect(try String(contentsOfFile: folder("parley.schema.json"), encoding: .utf8) == printed.output)
        #expect(try await run(["schema", "--output", folder("nowhere/schema.json")]).exitCode == 1)
    }

    @Test func aFirstFileIsWrittenAndRightAndNeverReplaced() async throws {
        let folder = try ScratchFolder("init")
        defer { folder.remove() }
        let made = try await run(["init", folder("bots.yaml"), "--name", "Ann Bot", "--help-text", "Write \"{{ text }}\""])
        #expect(made.exitCode == 0, "\(made)")
        let tested = try await run(["test", folder("bots.yaml")])
        #expect(tested.exitCode == 0)
        #expect(tested.output.contains("3 tests, all passed"), "\(tested)")
        #expect(try await run(["init", folder("bots.yaml")]).exitCode == 2)
        #expect(try await run(["init", folder("nowhere/bots.yaml")]).exitCode == 1)
        #expect(try await run(["init", folder("other.yaml"), "--name", " "]).exitCode == 2)
    }

    @Test(arguments: [
        ("", "3 tests", "Helper"), ("1\nBread Club\n2 3 4\n2\n", "7 tests", "Bread Club"), ("1\nBread\n4\n1\n", "4 tests", "Bread"),
        ("7\n1\nBread\nall\n1 9\n1 4\n1\n", "5 tests", "Bread"),
    ])
    func aFileIsWrittenAsTheAnswersSay(_ answers: String, _ tests: String, _ name: String) async throws {
        let folder = try ScratchFolder("init-ask")
        defer { folder.remove() }
        let file = folder("bots.yaml"), input = answers.isEmpty ? "\n\n\n\n\(file)\n" : answers + file + "\n"
        let made = try await run(["init", "--ask"], input: input)
        #expect(made.exitCode == 0, "\(made)")
        #expect(made.output.contains("describes the bot \(name)"))
        let tested = try await run(["test", file])
        #expect(tested.exitCode == 0)
        #expect(tested.output.contains("\(tests), all passed"), "\(tested)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("accept-conditions") == (name == "Bread Club"))
        // A file that is there is asked for again, and nothing is written when the input ends before.
        let again = try await run(["init", "--ask"], input: input)
        #expect(again.exitCode == 2 && again.errors.contains("[init.noAnswer]") && again.output.contains("is there already"), "\(again)")
    }

    @Test func aPackageIsWrittenWhenTheAnswersSaySo() async throws {
        let folder = try ScratchFolder("init-package")
        defer { folder.remove() }
        let made = try await run(["init", "--ask"], input: "2\nDice\n\(folder("dice"))\n")
        #expect(made.exitCode == 0 && made.output.contains("is a Swift package with the bot Dice"), "\(made)")
        #expect(FileManager.default.fileExists(atPath: folder("dice/Package.swift")))
        #expect(try await run(["init", "--ask", "--swift"]).exitCode != 0)
    }

    @Test func aPackageIsWrittenWithAModuleNamedAfterItsFolder() async throws {
        let folder = try ScratchFolder("package")
        defer { folder.remove() }
        let made = try await run(["init", "--swift", folder("dice-bot 2"), "--name", "Ann \"the\" Bot\\(1)", "--parley", "../../parley"])
        #expect(made.exitCode == 0, "\(made)")
        let source = try String(contentsOfFile: folder("dice-bot 2/Sources/DiceBot2.swift"), encoding: .utf8)
        #expect(source.contains("@main struct DiceBot2Program") && source.contains(#"Bot("Ann \"the\" Bot\\(1)","#), "\(source)")
        let manifest = try String(contentsOfFile: folder("dice-bot 2/Package.swift"), encoding: .utf8)
        #expect(manifest.contains(#".package(name: "parley", path: "../../parley")"#) && manifest.contains(#"name: "DiceBot2Tests""#))
        let tests = try String(contentsOfFile: folder("dice-bot 2/Tests/DiceBot2Tests.swift"), encoding: .utf8)
        #expect(tests.contains("@testable import DiceBot2\n"))
        let again = try await run(["init", "--swift", folder("dice-bot 2")])
        #expect(again.exitCode == 2 && again.errors.contains("[init.exists]"), "\(again)")
        let unnamed = try await run(["init", "--swift", folder("--")])
        #expect(unnamed.exitCode == 2 && unnamed.errors.contains("[init.name]"), "\(unnamed)")
        #expect(try await run(["init", folder("a.yaml"), "--parley", "x"]).exitCode != 0)
    }
}
