internal import Foundation

/// A secret that a file names and does not hold: `{ env: NAME }` for a variable of the environment, `{ file: /run/secrets/name }` for a file.
///
/// It is read when the file is read. A description of it does not show it.
public struct RuleSecret: Sendable, Hashable, Decodable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The secret. Keep it out of logs.
    public let text: String

    /// The longest secret, in bytes.
    static let maximumLength = 4_096
    /// Bytes of a secret with the white space around it at the most.
    private static let longestFile = 2 * maximumLength

    /// Creates the value, for tests and programs.
    public init(literal text: String) { self.text = text }

    /// Reads a secret of the file.
    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            reader.report(.wrongType, "\(reader.path) must not be in the file", hint: "write { env: NAME } or { file: PATH }")
            return nil
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.secret)
        let sources = ["env", "file"].filter { mapping.value($0) != nil }
        guard sources.count == 1, let source = mapping.value(sources[0]) else {
            reader.report(.badValue, "\(reader.path) names one source", hint: "write { env: NAME } or { file: PATH }")
            return nil
        }
        guard let name = source.nonEmptyString() else { return nil }
        if sources[0] == "env", name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) == nil {
            source.report(
                .badValue, "\"\(name.cut)\" cannot be the name of a variable",
                hint: name.hasPrefix("$") ? "write the name without \"$\"" : "letters, digits and _, as in BOT_TOKEN")
            return nil
        }
        guard reader.sink.folder != nil else {
            // Without a folder, the text is only validated.
            text = ""
            return
        }
        guard let found = sources[0] == "env" ? ProcessInfo.processInfo.environment[name] : Self.content(of: name, source) else {
            source.report(.badValue, sources[0] == "env" ? "the environment has no variable \"\(name.cut)\"" : "the file \(name.cut) cannot be read")
            return nil
        }
        let secret = String(found.trimmed)
        guard !secret.isEmpty, secret.utf8.count <= Self.maximumLength, found.utf8.count <= Self.longestFile else {
            source.report(.badValue, secret.isEmpty ? "the secret is empty" : "the secret has more than \(Self.maximumLength) bytes")
            return nil
        }
        text = secret
    }

    private static func content(of path: String, _ reader: NodeReader) -> String? {
        let path = path.hasPrefix("/") ? path : reader.sink.folder.map { "\($0)/\(path)" } ?? path
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        do {
            let (data, reading) = try FileReading.read(handle, upTo: longestFile)
            reader.sink.note(reading, of: path)
            return String(validating: data.withoutByteOrderMark, as: UTF8.self)
        } catch {
            return nil
        }
    }

    /// Throws: a secret is read from a bots.yaml only.
    public init(from decoder: any Decoder) throws { throw RuleParameterError("a secret is { env: NAME } or { file: PATH } of a bots.yaml") }

    /// A text without the secret.
    public var description: String { "(secret)" }
    /// A text without the secret.
    public var debugDescription: String { "(secret)" }
}
