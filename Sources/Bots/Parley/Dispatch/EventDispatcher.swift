/// Finds the handler of an event. It looks only at the handlers of the event's kind, in the order in which they were written.
struct EventDispatcher: Sendable {
    private let byEvent: [EventKind: [On]]

    init(_ handlers: [On]) {
        var byEvent: [EventKind: [On]] = [:]
        for kind in EventKind.allCases where kind != .any {
            byEvent[kind] = handlers.filter { $0.event == kind || $0.event == .any }
        }
        byEvent[.any] = handlers.filter { $0.event == .any }
        self.byEvent = byEvent
    }

    /// The action of the first matching handler, and the handler's source position; nil when none matches.
    func handler(of incoming: Incoming) -> (place: String, run: @Sendable () async throws -> Void)? {
        guard let handlers = byEvent[incoming.kind] else { return nil }
        for handler in handlers {
            if let run = handler.prepare(incoming) { return (handler.place, run) }
        }
        return nil
    }
}
