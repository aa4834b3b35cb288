import Logging
import Testing

@testable import Hosting

@Suite struct StructuredLogHandlerTests {
    private func line(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:], format: StructuredLogHandler.Format = .text,
        isForJournal: Bool = false
    ) -> String {
        let handler = StructuredLogHandler(label: "parley.test", level: .trace, format: format, isForJournal: isForJournal)
        return handler.line(LogEvent(level: level, message: message, metadata: metadata, source: "test", file: "", function: "", line: 1))
    }

    @Test(arguments: [(Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2)])
    func aLineForTheJournalBeginsWithItsPriority(_ level: Logger.Level, _ priority: Int) {
        for format in [StructuredLogHandler.Format.text, .json] {
            let text = line(level, "it rains", format: format, isForJournal: true)
            #expect(text.hasPrefix(format == .text ? "<\(priority)>2" : "<\(priority)>{\"time\""))
            #expect(!line(level, "it rains", format: format).hasPrefix("<"))
        }
    }

    /// Else a name could add records of its own, with a priority of its choice.
    @Test func whateverIsLoggedIsOneLine() {
        for hostile in ["a\n<2>b", "a\r\nb", "a\u{0}b", "a\u{1b}[2Jb", "a\u{9b}2Jb", "a\u{7f}b", "a\u{202e}b", "a\u{2028}b", "\"a\" b=c\n"] {
            for format in [StructuredLogHandler.Format.text, .json] {
                let text = line(.info, "\(hostile)", ["name": "\(hostile)"], format: format, isForJournal: true)
                #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && ![0x7F, 0x9B, 0x202E, 0x2028].contains($0.value) }, "\(text)")
            }
        }
        #expect(line(.info, "it rains", ["much": "1", "long": "two hours"]).hasSuffix(#" info parley.test it rains long="two hours" much=1"#))
    }
}
