internal import ChatProtocol
internal import Foundation
public import Logging
internal import SystemSupport

/// A log handler that writes a line for each record to standard error: `time level label message key=value …`, or a JSON object.
///
/// If systemd's journal reads standard error, the line begins with its priority for the journal (`<4>` for a warning), which the journal removes.
///
/// Values are escaped, so a record is always one line. The callers are responsible for the content: no message text, no keys, and
/// links only at `debug`.
public struct StructuredLogHandler: LogHandler {
    /// The format of a record.
    public enum Format: Sendable {
        case text, json
    }

    /// The lowest level that is logged.
    public var logLevel: Logger.Level
    /// The metadata of all entries.
    public var metadata: Logger.Metadata = [:]
    /// The provider of further metadata.
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: Format
    /// True if lines begin with their priority.
    private let isForJournal: Bool

    private static let journalReads = ServiceManager.current.reads(STDERR_FILENO)

    /// Creates a handler.
    public init(label: String, level: Logger.Level = .info, format: Format = .text) {
        self.init(label: label, level: level, format: format, isForJournal: Self.journalReads)
    }

    package init(label: String, level: Logger.Level, format: Format, isForJournal: Bool) {
        self.label = label
        self.format = format
        self.isForJournal = isForJournal
        logLevel = level
    }

    /// The metadata under a key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an entry.
    public func log(event: LogEvent) {
        // The reader may have closed standard error, which must not end the bots.
        try? FileHandle.standardError.write(contentsOf: Data((line(event) + "\n").utf8))
    }

    package func line(_ event: LogEvent) -> String {
        let level = event.level, message = event.message
        var fields = self.metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let metadata = event.metadata { fields.merge(metadata) { $1 } }
        if let error = event.error { fields["error"] = "\(error)" }
        let time = Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
        let pairs = fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: "\($0.value)") }
        let text =
            switch format {
            case .text:
                ([time, level.rawValue, label, Self.oneLine("\(message)")] + pairs.map { "\($0.key)=\(Self.value($0.value))" })
                    .joined(separator: " ")
            case .json:
                "{"
                    + ([("time", time), ("level", level.rawValue), ("label", label), ("message", "\(message)")] + pairs)
                    .map { "\(Self.quoted($0.0)):\(Self.quoted($0.1))" }.joined(separator: ",") + "}"
            }
        return isForJournal ? ServiceManager.prefixed(text, Self.priority(level)) : text
    }

    private static func priority(_ level: Logger.Level) -> ServiceManager.Priority {
        switch level {
        case .trace, .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }

    private static func value(_ text: String) -> String {
        let plain = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" && !VisibleText.isHidden($0) }
        return plain ? text : quoted(text)
    }

    private static func oneLine(_ text: String) -> String {
        // Other characters could control the terminal of the person who reads the log.
        text.unicodeScalars.contains(where: VisibleText.isHidden) ? quoted(text) : text
    }

    private static func quoted(_ text: String) -> String { VisibleText.escapedJSON(JSONValue.string(text).text) }
}
