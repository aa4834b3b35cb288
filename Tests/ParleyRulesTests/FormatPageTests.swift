import Foundation
import Testing

@testable import ParleyRules

/// docs/bots-yaml.md, beside the declarations of checks and actions.
@Suite struct FormatPageTests {
    /// The first cells of the tables.
    private static func cells() throws -> [String] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/bots-yaml.md").standardized
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap {
            $0.split(separator: "|").first.map(String.init)
        }
    }

    @Test(arguments: (RuleChecks.all + RuleChecks.ofEvents).map { $0.key } + RuleActions.all.map { $0.key })
    func aCheckOrActionHasARow(_ key: String) throws {
        #expect(try Self.cells().contains { $0.contains("`\(key): ") }, "no table of docs/bots-yaml.md has a row for \(key)")
    }
}
