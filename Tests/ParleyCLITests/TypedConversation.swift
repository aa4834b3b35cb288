import Foundation
import ProcessSupport
import TestSupport
import Testing

// What a `parley chat --json` says to a person who types.

extension ChildProcess {
    /// Waits for a line of output and takes it.
    func output(_ what: String, _ match: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await output.first("\(what) (\(logTail(3)))", within: Patience.limit) { match($0) ? $0 : nil }
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
        try await output.first("a link", within: Patience.limit) { Line($0)?.link }
    }
}

/// Reports, if a conversation fails, also what its other processes said that nobody has looked at: it tells which of them did not do its part.
func reporting(_ processes: [(name: String, process: ChildProcess)], _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch {
        for (name, process) in processes { Issue.record("\(name) said: \(process.output.untaken().joined(separator: ", "))") }
        throw error
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
