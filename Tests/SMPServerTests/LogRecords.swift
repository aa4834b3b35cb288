import Logging
import Synchronization

/// The records that a router writes at the default level.
final class LogRecords: Sendable {
    let lines = Mutex<[String]>([])

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(records: self) }
        logger.logLevel = .notice
        return logger
    }

    private struct Handler: LogHandler {
        let records: LogRecords
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { records.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") } }
    }
}
