import ChatProtocol
import Foundation
import Parley
import ProcessSupport
import Testing

/// What commands print of a file that is made to mislead, for a person and for a script.
@Suite struct CommandOutputTests {
    /// A file whose names steer terminals, turn text around and pass for lines of others.
    private static let hostile = #"""
        parley: 1
        profiles:
          "a\e[2J\u202E\nfake.yaml:1:1: error":
            name: Guard
            trusted-contacts: cd
            rules:
              - { id: "r\e]0;title\a\u009B2J", when: { contains: "x" }, then: [ { reply: "\e[31mred \u2066{{ text }}" }, { tell: { chat: "cd", text: "\u0007ring" } } ] }
              - { id: second, when: { message: any }, then: { send: hello } }
            tests:
              - { title: "t\e[1A\u202E\r", say: "x\e[2J", expect: second }
              - { say: "y\u0085\u200F", replies: "\u001b[5m" }

        """#

    private func isHarmless(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0 == "\n" || !VisibleText.isHidden($0) } }

    private func with(_ text: String, _ body: (ScratchFolder) async throws -> Void) async throws {
        let folder = try ScratchFolder("hostile-output")
        defer { folder.remove() }
        try folder.write(text, to: "bots.yaml")
        try await body(folder)
    }

    @Test func aStartThatFailsDoesNotSayThatItStarts() async throws {
        try await with("parley: 1\nprofiles: { a: {} }\n") { folder in
            try FileManager.default.createDirectory(atPath: folder("data"), withIntermediateDirectories: true)
            for name in ["parley_chat.db", "parley_agent.db"] { try folder.write("no database", to: "data/\(name)") }
            let ended = try await run(["run", folder("bots.yaml"), "--data", folder("data")])
            #expect(ended.exitCode != 0 && !ended.output.contains("Starting"), "\(ended)")
        }
    }

    @Test(.enabled(if: ServiceUser.canBeActedAs, "only root can write into a folder of somebody else"))
    func rootIsWarnedOfAFolderOfSomebodyElse() async throws {
        try await with("parley: 1\nprofiles: { a: {} }\n") { folder in
            try FileManager.default.createDirectory(atPath: folder("home"), withIntermediateDirectories: true)
            try ServiceUser.getsTo(folder, and: "home")
            let ended = try await run(["chat", "--data", folder("home/data"), "--name", "Ann", "--exec", ":list"])
            #expect(ended.errors.contains("user \(ServiceUser.id)") && ended.errors.contains("belong to root"), "\(ended)")
            let own = try await run(["chat", "--data", folder("own"), "--name", "Ann", "--exec", ":list"])
            #expect(!own.errors.contains("belongs to"), "\(own)")
        }
    }

    @Test func nothingOfAFileSteersTheTerminal() async throws {
        try await with(Self.hostile) { folder in
            let file = folder("bots.yaml")
            for (command, code) in [
                (["check", file], 0), (["test", file], 1), (["explain", file, "--say", "x\u{1B}[2J\u{202E}"], 0),
                (["explain", file, "--say", "x", "--name", "\u{1B}c"], 0),
                (["check", file, "--json"], 0), (["test", file, "--json"], 1), (["explain", file, "--say", "x", "--json"], 0),
                (["test", file, "--profile", "\u{1B}[2J"], 2),
            ] {
                let result = try await run(command)
                #expect(result.exitCode == code, "\(command): \(result)")
                #expect(isHarmless(result.output) && isHarmless(result.errors), "\(command): \(result)")
                #expect(!(result.output + result.errors).isEmpty)
                guard command.contains("--json") else { continue }
                for line in result.output.split(separator: "\n") { #expect(throws: Never.self) { try JSONValue(parsing: String(line)) } }
            }
        }
    }

    @Test func whatAScriptReadsIsWhatTheFileSays() async throws {
        try await with(Self.hostile) { folder in
            let told = try await run(["test", folder("bots.yaml"), "--json"]).output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(
                told.first?["profile"]?.stringValue == "a\u{1B}[2J\u{202E}\nfake.yaml:1:1: error" && told.first?["title"]?.stringValue == "t\u{1B}[1A\u{202E}\r"
            )
            #expect(told.first?["failures"]?[0]?["actual"]?[0]?.stringValue == "r\u{1B}]0;title\u{7}\u{9B}2J")
            #expect(told.last == ["event": "done", "tests": 2, "failed": 2])
        }
    }

    @Test func aLineOfAFileThatIsShownIsHarmlessToo() async throws {
        try await with("parley: 1\nprofiles:\n  a: { nmae: \"\u{202E}\u{2066}\u{200B}\", bio: x }\n") { folder in
            let person = try await run(["check", folder("bots.yaml")])
            #expect(person.exitCode == 2 && isHarmless(person.errors), "\(person)")
            #expect(person.errors.contains(#"nmae: "\u{202E}\u{2066}\u{200B}""#) && person.errors.contains("did you mean \"name\"?"), "\(person)")
        }
    }

    // MARK: JSON

    private func objects(_ arguments: [String]) async throws -> (exitCode: Int32, objects: [JSONValue]) {
        let result = try await run(arguments)
        return (result.exitCode, try result.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) })
    }

    private func keys(_ value: JSONValue?) -> [String] { value?.objectValue?.members.map(\.key) ?? [] }

    @Test func checkPrintsOneObjectWithItsErrorsOrWarnings() async throws {
        try await with("parley: 1\nprofiles:\n  a: { rules: [ { when: { message: any }, then: { send: x } }, { when: { text: y }, then: { send: z } } ] }\n") {
            folder in
            let file = folder("bots.yaml")
            let good = try await objects(["check", file, "--json"])
            #expect(good.exitCode == 0 && good.objects.count == 1)
            #expect(
                keys(good.objects.first) == ["file", "profiles", "errors", "warnings"] && good.objects[0]["profiles"] == 1 && good.objects[0]["errors"] == [])
            #expect(
                keys(good.objects[0]["warnings"]?[0]) == ["code", "line", "column", "message", "hint"]
                    && good.objects[0]["warnings"]?[0]?["code"] == "unreachable")
            try folder.write("parley: 1\nprofiles: { a: { nmae: x, bio: [1] } }\n", to: "bots.yaml")
            let bad = try await objects(["check", file, "--json"])
            #expect(bad.exitCode == 2 && bad.objects.count == 1 && keys(bad.objects.first) == ["file", "errors"])
            #expect(bad.objects[0]["errors"]?.arrayValue?.map { $0["code"] } == ["unknown-key", "wrong-type"])
            // A value of the wrong type has no better word.
            #expect(keys(bad.objects[0]["errors"]?[1]) == ["code", "line", "column", "message"])
            let missing = try await objects(["check", folder("none.yaml"), "--json"])
            #expect(missing.exitCode == 2 && missing.objects[0]["errors"]?[0]?["code"] == "unreadable")
        }
    }

    @Test func explainPrintsAnObjectForEachRuleThatIsAboutTheEvent() async throws {
        let rules = """
            parley: 1
            profiles:
              a:
                rules:
                  - { id: bot, when: { message: any, chat: group }, then: { send: people } }
                  - { id: any, when: { message: any, chat: any, not: { bot: false } }, then: { reply: "{{ text }}" } }
                  - { id: other, when: { connected: true }, then: { send: x } }
              b: {}
            """
        try await with(rules) { folder in
            let told = try await objects(["explain", folder("bots.yaml"), "--say", "hi", "--chat", "group", "--with", "bot=true", "--json"])
            #expect(told.exitCode == 0 && told.objects.map { $0["rule"] } == ["bot", "any"])
            #expect(told.objects.allSatisfy { keys($0) == ["profile", "rule", "line", "verdict", "actions", "steps"] })
            #expect(told.objects.map { $0["verdict"] } == ["otherBot", "applies"] && told.objects[1]["actions"] == ["reply \"hi\""])
            #expect(told.objects[1]["steps"]?[0]?["key"] == "when" && told.objects[1]["steps"]?[0]?["steps"]?[0]?["key"] == "not")
            let person = try await run(["explain", folder("bots.yaml"), "--say", "hi", "--chat", "group", "--with", "bot=true"])
            #expect(person.output.contains("is not about what other bots write in groups") && person.output.contains("applies: reply \"hi\""), "\(person)")
            #expect(person.output.contains("b: 0 rules about this event\n  no rule applies"), "\(person)")
            let twice = try await run(["explain", folder("bots.yaml"), "--say", "hi", "--with", "say=ho"])
            #expect(twice.exitCode == 2 && twice.errors.contains("the same key occurs twice: \"say\""), "\(twice)")
        }
    }

    @Test func versionsAreToldForScripts() async throws {
        let told = try await objects(["version", "--json"])
        #expect(told.exitCode == 0 && told.objects.count == 1 && keys(told.objects.first) == ["version", "protocols"])
        #expect(told.objects[0]["protocols"]?.objectValue?.members.isEmpty == false)
    }

    // MARK: Completion

    @Test(arguments: ["bash", "zsh", "fish"])
    func aShellCompletesEveryCommand(_ shell: String) async throws {
        let script = try await run(["--generate-completion-script", shell])
        #expect(script.exitCode == 0 && script.errors.isEmpty, "\(script.errors)")
        for command in [
            "run", "init", "check", "test", "explain", "replay", "schema", "chat", "send", "top", "relay", "profile", "db", "server", "api", "version",
            "quarantine", "smp", "xftp",
        ] { #expect(script.output.contains(command), "\(command)") }
        // The script for bash completes options, and not their words.
        #expect(script.output.contains("log-level") && (shell == "bash" || script.output.contains("critical")), "the words of an option")
    }

    @Test func anUnknownShellIsBadInput() async throws {
        let script = try await run(["--generate-completion-script", "cmd"])
        #expect(script.exitCode == 2 && script.output.isEmpty && script.errors.contains("cmd"), "\(script)")
    }
}
