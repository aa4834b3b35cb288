import Foundation
import ParleyRules
import Testing

/// docs/rules.md: its examples are run, and each feature has one, or a sentence why not.
@Suite struct RulesPageTests {
    private static func page(_ name: String) throws -> String {
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs").standardized
        return try String(contentsOf: docs.appendingPathComponent(name), encoding: .utf8)
    }

    /// The examples by the anchors of their headings.
    private static func examples() throws -> [String: String] {
        var examples: [String: String] = [:]
        for match in try page("rules.md").matches(of: /### ([^\n]+)\n+```yaml\n((?s:.*?))```/) {
            examples["#" + match.1.lowercased().replacing(" ", with: "-")] = String(match.2)
        }
        return examples
    }

    @Test func theExamplesDoWhatTheirTestsSay() throws {
        let examples = try Self.examples()
        #expect(examples.count > 10)
        for (anchor, text) in examples { try check(text, anchor) }
    }

    @Test func theFileOfQuestionsDoesWhatItsTestsSay() throws { try check(try Self.page("../Examples/FAQ/bots.yaml"), "FAQ") }

    /// Runs the tests of a file, which must expect each of its rules.
    private func check(_ text: String, _ name: String) throws {
        let file = try BotsFile(parsing: text)
        #expect(file.warnings.diagnostics.isEmpty, "\(name): \(file.warnings)")
        for profile in file.profiles {
            let rules = try RuleSet(profile.rules, lists: file.lists)
            #expect(!profile.tests.isEmpty, "\(name) has no tests")
            for test in profile.tests {
                #expect(test.run(rules, bot: profile.name, forms: profile.forms) == [], "\(name), line \(test.position.line): \(test.label)")
            }
            let expected = Set(profile.tests.flatMap(\.steps).flatMap { $0.rules ?? [] })
            for rule in profile.rules {
                let acts = profile.tests.flatMap(\.steps).contains { $0.actions != nil || $0.replies != nil }
                #expect(expected.contains(rule.id ?? "") || acts, "\(name): no test expects \(rule.label)")
            }
        }
    }

    @Test func eachFeatureHasAnExampleOrAReason() throws {
        let anchors = Set(try Self.examples().keys)
        var rows = 0
        for line in try Self.page("rules.md").split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[3] != "Example", !cells[1].hasPrefix("---") else { continue }
            rows += 1
            if let link = cells[3].firstMatch(of: /\((#[^)]+)\)/) {
                #expect(anchors.contains(String(link.1)), "\(cells[1]): there is no example \(link.1)")
            } else {
                #expect(cells[3] == "–" && cells[2].hasPrefix("No"), "\(cells[1]) has neither an example nor a reason")
            }
        }
        #expect(rows > 80)
    }
}
