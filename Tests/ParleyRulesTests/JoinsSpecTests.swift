import Parley
import ParleyRules
import Testing

/// The pace of joins in a file.
@Suite struct JoinsSpecTests {
    private func joins(_ value: String) throws -> GroupJoinPace? { try BotsFile(parsing: "parley: 1\njoins: \(value)\nprofiles: { a: {} }").joins }

    @Test func whatIsNotNamedKeepsItsDefault() throws {
        #expect(try BotsFile(parsing: "parley: 1\nprofiles: { a: {} }").joins == nil)
        #expect(try joins("{ burst: 5, per-second: 0.5 }") == GroupJoinPace(burst: 5, perSecond: 0.5))
        #expect(try joins("{ burst: 7 }") == GroupJoinPace(burst: 7))
        #expect(try joins("{ per-second: 3 }") == GroupJoinPace(perSecond: 3))
    }

    @Test(arguments: [
        "§{}", "{ burst: §0 }", "{ burst: §many }", "{ per-second: §0 }", "{ per-second: §-1 }", "{ §speed: 3 }", "§off", "{ per-second: §1e99 }",
    ])
    func aWrongPaceIsRefusedAtItsPlace(_ value: String) throws {
        let source = MarkedSource("parley: 1\njoins: \(value)\nprofiles: { a: {} }")
        let error = try #require(throws: BotsFileError.self) { try BotsFile(parsing: source.text) }
        #expect(error.diagnostics.first?.position == source.position, "\(error)")
    }
}
