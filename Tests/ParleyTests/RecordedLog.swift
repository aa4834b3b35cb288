import Logging
import Synchronization

/// A log whose records a test reads.
final class RecordedLog: Sendable {
    struct Record: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
            log.records.withLock { $0.append(Record(level: event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" })) }
        }
    }

    private let records = Mutex<[Record]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
    var all: [Record] { records.withLock(\.self) }
}
