import ChatProtocol
import Foundation
import Parley
import Testing

@testable import ParleyRules

/// Additions of a program to the format of bots.yaml.
@Suite struct ExtensionTests {
    private let extensions: RuleExtensions

    init() throws { extensions = try RuleExtensions(plugins: [Weather.self], conditions: [digits], actions: [echoes]) }

    private func file(_ text: String) throws -> BotsFile { try BotsFile(parsing: "parley: 1\nprofiles:\n" + text, extensions: extensions) }

    private func faults(_ text: String, with extensions: RuleExtensions? = nil) -> [String] {
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: "parley: 1\nprofiles:\n" + text, extensions: extensions ?? self.extensions)
            return []
        } catch {
            return error.diagnostics.map { "\($0.position) \($0.message)" + ($0.hint.map { ": \($0)" } ?? "") }
        }
    }

    private func rule(_ when: String, _ then: String = "{ send: x }") -> String {
        "  a:\n    rules:\n      - when: \(when)\n        then: \(then)\n"
    }

    @Test func conditionsAndActionsOfAProgramAreTestedLikeOthers() throws {
        let file = try file(
            """
              a:
                rules:
                  - id: numbers
                    when: { digits: { above: 3 }, not: { digits: { above: 5 } } }
                    then: { repeat: { text: "{{ contact.name }} wrote {{ text }}" } }
                  - { id: short, when: { message: any }, unless: { digits: { above: 0 } }, then: { send: no digits } }
                tests:
                  - { say: call 1234, expect: numbers, actions: repeat }
                  - { say: call 123456, expect-none: true }
                  - { say: hello, replies: no digits }
            """)
        #expect(try file.testFailures().isEmpty)
        let wrong = try self.file(rule("{ digits: { above: 3 } }") + "    tests: [ { say: \"12\", actions: [repeat] } ]\n")
        #expect(try wrong.testFailures().map(\.failures.first?.description) == ["actions:\n  -repeat"])
    }

    @Test func anExplanationNamesThem() throws {
        let profile = try #require(try file(rule("{ digits: { above: 3 } }", "{ repeat: { text: \"got {{ text }}\" } }")).profiles.first)
        let explanation = try #require(try RuleSet(profile.rules).explain(RuleScenario([("say", "12345")]), bot: "a").first)
        #expect(explanation.verdict == .applies)
        #expect(explanation.steps.first?.steps.map(\.key) == ["digits"])
        #expect(explanation.steps.first?.steps.first?.holds == true)
        #expect(explanation.actions.map(\.description) == ["repeat \"got 12345\""])
    }

    @Test(arguments: [
        ("{ digts: { above: 3 } }", "5:17 profiles.a.rules[0].when has no key \"digts\": did you mean \"digits\"?"),
        ("{ digits: 3 }", "5:25 profiles.a.rules[0].when.digits must be a mapping of keys to values, not \"3\""),
        ("{ digits: { above: many } }", "5:34 profiles.a.rules[0].when.digits.above must be a whole number, not \"many\""),
        ("{ digits: { above: 1, below: 2 } }", "5:37 profiles.a.rules[0].when.digits has no key \"below\": expected one of: above"),
        ("{ connected: true, digits: { above: 1 } }", "5:42 \"digits\" does not go with \"connected\": it goes with message, edited"),
    ])
    func errorsInParametersHaveTheirPositions(_ when: String, _ fault: String) { #expect(faults(rule(when)) == [fault]) }

    @Test func aKeyThatIsMisspeltIsMissingAndUnknown() {
        #expect(
            faults(rule("{ digits: { abov: 3 } }")) == [
                "5:25 profiles.a.rules[0].when.digits needs the key \"above\"",
                "5:27 profiles.a.rules[0].when.digits has no key \"abov\": did you mean \"above\"?",
            ])
    }

    @Test(arguments: [
        ("{ repeet: { text: x } }", "6:17 profiles.a.rules[0].then has no key \"repeet\": did you mean \"repeat\"?"),
        ("{ repeat: { text: \"{{ match }}\" } }", "6:34 \"match\" has no value here: the rule has no pattern"),
        ("{ repeat: { text: x, times: \"2.5\" } }", "6:43 profiles.a.rules[0].then.repeat.times must be a whole number, not \"2.5\""),
        ("{ repeat: { text: x }, send: y }", "6:15 one action, not send and repeat: make a list: put \"- \" before each"),
    ])
    func errorsInActionsHaveTheirPositions(_ then: String, _ fault: String) { #expect(faults(rule("{ text: hi }", then)).contains(fault)) }

    @Test func anActionDoesNotFollowARequest() {
        #expect(faults("  a: { address: { accept: manual }, rules: [ { when: { request: true }, then: { repeat: { text: x } } } ] }").count == 1)
    }

    @Test(arguments: ["text", "member", "all", "chat"])
    func namesOfTheFormatAreTaken(_ name: String) {
        #expect(throws: RuleExtensionError.self) { try RuleExtensions(conditions: [CustomCondition(name, "", Bool.self) { $0 == $1.isFromBot }]) }
    }

    @Test func namesAreCheckedWhenTheProgramRegistersThem() {
        func code(_ body: () throws -> RuleExtensions) -> RuleExtensionError.Code? {
            do { _ = try body() } catch { return (error as? RuleExtensionError)?.code }
            return nil
        }
        #expect(code { try RuleExtensions(actions: [CustomAction("send", "", Bool.self) { _, _ in }]) } == .builtIn)
        #expect(code { try RuleExtensions(actions: [CustomAction("Send It", "", Bool.self) { _, _ in }]) } == .badName)
        #expect(code { try RuleExtensions(conditions: [digits, digits]) } == .duplicate)
        #expect(code { try RuleExtensions(plugins: [Weather.self, Weather.self]) } == .duplicate)
    }

    @Test func whatTheProgramDoesNotKnowIsRefused() {
        #expect(
            faults("  a:\n    plugin: wether\n") == ["4:13 there is no plugin \"wether\": did you mean \"weather\"?"])
        #expect(faults("  a:\n    plugin: weather\n", with: RuleExtensions.none).first?.hasPrefix("4:13 there is no plugin \"weather\"") == true)
        #expect(faults(rule("{ digits: { above: 3 } }"), with: RuleExtensions.none).first?.contains("has no key \"digits\"") == true)
    }

    @Test(arguments: [
        ("plugin: weather", "4:13 config of a needs the key \"city\""),
        ("plugin: weather\n    config: { city: Rome, unit: kelvin }", "5:33 profiles.a.config.unit cannot be \"kelvin\": expected one of: celsius, fahrenheit"),
        ("plugin: weather\n    config: { city: \"\" }", "5:13 profiles.a.config: the city has no name"),
        ("plugin: weather\n    config: { city: Rome, country: Italy }", "5:27 profiles.a.config has no key \"country\""),
        ("config: { city: Rome }", "4:13 \"config\" is the configuration of a plugin, and the profile names none: add \"plugin\""),
    ])
    func theConfigurationOfAPluginIsReadStrictly(_ profile: String, _ fault: String) {
        #expect(faults("  a:\n    \(profile)\n").first?.hasPrefix(fault) == true, "\(faults("  a:\n    \(profile)\n"))")
    }

    @Test func whatAConditionDoesNotKnowAppliesNoRule() throws {
        let unsure = CustomCondition("unsure", "", Bool.self) { _, _ in nil }
        let extensions = try RuleExtensions(conditions: [unsure])
        for when in ["{ unsure: true }", "{ message: any, not: { unsure: true } }"] {
            let file = try BotsFile(parsing: "parley: 1\nprofiles:\n" + rule(when), extensions: extensions)
            #expect(try RuleSet(try #require(file.profiles.first).rules).decide(RuleInput(event: .message, kind: .text, text: "x")).isEmpty)
        }
    }

    @Test func aConditionRefusesItsParametersWithTheirPosition() throws {
        struct Limits: Decodable {
            let least: Int
            let most: Int
        }
        let between = CustomCondition("between", "", Limits.self) { limits in
            guard limits.least <= limits.most else { throw RuleParameterError("the least is more than the most", hint: "swap them") }
            return { (limits.least...limits.most).contains($0.text.count) }
        }
        let extensions = try RuleExtensions(conditions: [between])
        #expect(
            faults(rule("{ between: { least: 2, most: 1 } }"), with: extensions) == [
                "5:26 profiles.a.rules[0].when.between: the least is more than the most: swap them"
            ])
    }

    // MARK: The kinds of parameters

    private struct Everything: Decodable {
        enum Colour: String, Decodable, CaseIterable { case red, green }
        struct Inner: Decodable { let name: String }
        let flag: Bool
        let small: UInt8
        let share: Double
        let pause: Duration
        let address: URL
        let colour: Colour
        let words: [String]
        let inner: Inner
        let table: [String: Int]
        let rest: String?
        let secret: RuleSecret?
    }

    private static let everything = """
        { flag: true, small: 200, share: 0.5, pause: 10m, address: "https://example.org/x", colour: green, words: [a, b], inner: { name: n }, table: { x: 1, y: 2 } }
        """

    @Test func parametersOfAllKindsAreRead() throws {
        let seen = Seen()
        let condition = CustomCondition("everything", "", Everything.self) { value in
            seen.value =
                "\(value.flag) \(value.small) \(value.share) \(value.pause) \(value.address) \(value.colour) \(value.words) \(value.inner.name) \(value.table["y"] ?? 0) \(value.rest ?? "-")"
            return { _ in true }
        }
        let extensions = try RuleExtensions(conditions: [condition])
        #expect(faults(rule("{ everything: \(Self.everything) }"), with: extensions) == [])
        #expect(seen.value == "true 200 0.5 600.0 seconds https://example.org/x green [\"a\", \"b\"] n 2 -")
        let bad = Self.everything.replacing("small: 200", with: "small: 300").replacing("pause: 10m", with: "pause: long")
        #expect(faults(rule("{ everything: \(bad) }"), with: extensions).first?.contains("small must be from 0 to 255, not 300") == true)
        #expect(
            faults(rule("{ everything: \(Self.everything.replacing("flag: true", with: "secret: hunter2, flag: true")) }"), with: extensions).first?.contains(
                "secret must not be in the file: write { env: NAME } or { file: PATH }") == true)
    }

    /// Noted by a closure that runs on the thread of the test.
    private final class Seen: @unchecked Sendable { var value = "" }

    @Test func secretsComeFromTheEnvironmentOrAFileAndAreNotShown() throws {
        struct Parameters: Decodable { let key: RuleSecret }
        let seen = Seen()
        let condition = CustomCondition("keyed", "", Parameters.self) { value in
            seen.value = value.key.text + " \(value) \(value.key)"
            return { _ in true }
        }
        let extensions = try RuleExtensions(conditions: [condition])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("hunter2\n".utf8).write(to: folder.appendingPathComponent("key"))
        let path = folder.appendingPathComponent("bots.yaml").path
        try Data(("parley: 1\nprofiles:\n" + rule("{ keyed: { key: { file: key } } }")).utf8).write(to: URL(fileURLWithPath: path))
        _ = try BotsFile(contentsOf: path, extensions: extensions)
        #expect(seen.value == "hunter2 Parameters(key: (secret)) (secret)")
        try Data(("parley: 1\nprofiles:\n" + rule("{ keyed: { key: { env: PARLEY_NO_SUCH_VARIABLE } } }")).utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: BotsFileError.self) { try BotsFile(contentsOf: path, extensions: extensions) }
    }

    // MARK: The schema

    @Test func theSchemaHasWhatTheProgramAdds() throws {
        let everything = CustomCondition("everything", "All kinds.", Everything.self) { (_: Everything, _: RuleInput) in true }
        let extensions = try RuleExtensions(plugins: [Weather.self], conditions: [digits, everything], actions: [echoes])
        let schema = try JSONValue(parsing: BotsSchema.text(with: extensions)), validator = JSONSchemaValidator(schema)
        func faults(_ profile: JSONValue) -> [String] { validator.faults(of: ["parley": 1, "profiles": ["a": profile]]) }
        func rule(_ when: JSONValue, _ then: JSONValue = ["send": "x"]) -> JSONValue { ["rules": [["when": when, "then": then]]] }
        #expect(faults(rule(["digits": ["above": 3]], ["repeat": ["text": "x"]])) == [])
        #expect(faults(rule(["any": [["digits": ["above": 3]]]])) == [])
        #expect(faults(rule(["digits": ["above": "many"]])) != [])
        #expect(faults(rule(["digits": [:]])) != [])
        #expect(faults(rule(["text": "x"], ["repeat": ["times": 2]])) != [])
        #expect(faults(rule(["everything": ["flag": true]])) != [])
        #expect(faults(["plugin": "weather", "config": ["city": "Rome", "unit": "celsius"]]) == [])
        #expect(faults(["plugin": "weather", "config": ["city": "Rome", "unit": "kelvin"]]) != [])
        #expect(faults(["plugin": "other"]) != [])
        #expect(faults(["tests": [["say": "x", "actions": "repeat"]]]) == [])
        #expect(schema["definitions"]?["when"]?["properties"]?["digits"]?["description"] == "Digits in the text.")
        #expect(BotsSchema.text.contains("digits") == false)
    }

    @Test func theDocumentationShowsTheCodeThatIsTested() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let tested = try String(contentsOf: here.appendingPathComponent("WeatherPlugin.swift"), encoding: .utf8)
        let code = try #require(tested.components(separatedBy: "to the end.\n\n").last)
        let page = try String(contentsOf: here.appendingPathComponent("../../../docs/extending.md").standardized, encoding: .utf8)
        #expect(page.contains(code))
        let example = try #require(page.firstMatch(of: /```yaml\n(parley: 1(?s:.*?))```/))
        let file = try BotsFile(parsing: String(example.1), extensions: extensions)
        #expect(!file.profiles.flatMap(\.tests).isEmpty)
        #expect(try file.testFailures().isEmpty)
    }
}
