import Testing

@testable import ParleyCLI

/// Input of people that is refused before anything is opened.
@Suite struct EmptySendTests {
    @Test(arguments: ["", " ", "\u{200B}", "\n\u{2060}"]) func aTextOfWhichNothingIsSeenIsNotSent(_ text: String) async throws {
        let result = try await run(["send", "--data", "/nowhere", "--to", "Ann", text])
        #expect(result.exitCode == 2 && result.errors.contains("[send.empty]"), "\(result)")
    }

    @Test(
        arguments: [
            ("Error: Unknown option '--foo'. Did you mean '--json'?\nUsage: x", "Error: Unknown option '--foo'.\nUsage: x"),
            ("Error: Unknown option '--jsn'. Did you mean '--json'?\nUsage: x", "Error: Unknown option '--jsn'. Did you mean '--json'?\nUsage: x"),
            ("Error: Unknown option '--datas'. Did you mean '--data'?", "Error: Unknown option '--datas'. Did you mean '--data'?"),
            ("Error: Unknown option '-x'", "Error: Unknown option '-x'"),
        ])
    func anotherWordIsNoSuggestion(_ message: String, _ expected: String) { #expect(Outcome.withoutFarSuggestion(message) == expected) }
}
