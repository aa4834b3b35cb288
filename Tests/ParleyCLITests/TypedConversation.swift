import Foundation
import ProcessSupport
import Testing

// What a `parley chat --json` says to a person who types.

extension ChildProcess {
    /// Waits for a line of output and takes it.
    func output(_ what: String, _ match: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await output.first("\(what) (\(logTail(3)))", within: .seconds(60)) { match($0) ? $0 : nil }
    }

    /// Waits for a line of output with all of these parts and takes it.
    @discardableResult
    func said(_ parts: String...) async throws -> String {
        try await output(parts.joined(separator: " ")) { line in parts.allSatisfy(line.contains) }
    }

    /// The number of the message in such a line.
    func item(_ parts: String...) async throws -> Int {
        let line = try await output(parts.joined(separator: " ")) { line in parts.allSatisfy(line.contains) }
        return try #require(Line(line)?.item, "\(line)")
    }

    /// The link in the next line that has one.
    func link() async throws -> String {
        try await output.first("a link", within: .seconds(60)) { Line($0)?.link }
    }
}

private struct Line: Decodable {
    let item: Int?
    let link: String?

    init?(_ text: String) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)) else { return nil }
        self = line
    }
}
