import ChatAPI
import Logging
import Synchronization
import Testing

@testable import Parley

/// The log records of routers that come and go.
@Suite struct ConnectionLogTests {
    private final class Lines: LogHandler, @unchecked Sendable {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.withLock { $0.append("\(event.level): \(event.message)") } }
    }

    private func lines(_ events: [ChatEvent]) -> [String] {
        let handler = Lines()
        var log = ConnectionLog(Logger(label: "test") { _ in handler })
        for event in events { log.note(event) }
        return handler.lines.withLock(\.self).map { String($0.prefix { $0 != ":" }) + ($0.contains("again") ? " again" : "") }
    }

    private func status(_ server: String, _ status: SubscriptionStatus) -> ChatEvent {
        .subscriptionStatus(server: server, status: status, connections: ["a", "b"])
    }

    @Test func aRouterThatIsLostAndBackIsLoggedOnceEach() {
        let seen = lines([
            status("one", .active), status("one", .active), status("one", .pending), status("one", .pending), status("two", .pending),
            status("one", .active),
        ])
        #expect(seen == ["info", "warning again", "warning again", "notice again"])
    }

    @Test func errorsThatNoCommandReturnsAreLoggedByTheirCode() {
        let error = ChatError.store(error: .largeMessage)
        #expect(lines([.chatError(error: error), .chatErrors(errors: [error, error])]) == ["warning", "warning", "warning"])
        let many = lines([.chatErrors(errors: Array(repeating: error, count: ConnectionLog.errorLimit + 2))])
        #expect(many == Array(repeating: "warning", count: ConnectionLog.errorLimit) + ["debug", "debug"], "a contact cannot fill the log")
    }
}
