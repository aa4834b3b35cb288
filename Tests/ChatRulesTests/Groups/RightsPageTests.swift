import Foundation
import Testing

@testable import ChatRules

@Suite("The page about rights")
struct RightsPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../docs/rights.md").standardized

    @Test("docs/rights.md shows the table of rights as it is; PARLEY_WRITE_PAGES=1 writes it anew")
    func page() throws {
        if ProcessInfo.processInfo.environment["PARLEY_WRITE_PAGES"] != nil { try RightsPage.text.write(to: Self.page, atomically: true, encoding: .utf8) }
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(written == RightsPage.text, "run the test with PARLEY_WRITE_PAGES=1, and commit the page")
    }

    @Test("each action has a row of its own")
    func rows() {
        let rows = RightsPage.text.split(separator: "\n").filter { $0.contains("`x.") && $0.hasPrefix("| ") }
        #expect(Set(rows).count == rows.count && rows.count == GroupAction.allCases.count - 1, "all but that of anything else name their messages")
    }
}
