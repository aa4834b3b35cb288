/// Finds the handlers of an event. It looks only at the handlers of the event's kind, in the order in which they were written.
struct EventDispatcher: Sendable {
    private let byEvent: [EventKind: HandlerIndex]

    init(_ handlers: [On]) {
        var byEvent: [EventKind: HandlerIndex] = [:]
        for kind in EventKind.allCases where kind != .any {
            // A handler of any event is about what the network does, not about timers and the start.
            byEvent[kind] = HandlerIndex(handlers.filter { $0.event == kind || $0.event == .any && kind != .timer && kind != .started })
        }
        byEvent[.any] = HandlerIndex(handlers.filter { $0.event == .any })
        self.byEvent = byEvent
    }

    /// True if no handler is about events of a kind.
    func isEmpty(_ kind: EventKind) -> Bool { byEvent[kind]?.isEmpty ?? true }

    /// The work of the handlers that take the event, in order, with their source positions: the first that matches, and those below it as far as
    /// handlers fall through.
    func handlers(of incoming: Incoming) -> [(place: String, run: On.Run)] {
        guard let handlers = byEvent[incoming.kind], !handlers.isEmpty else { return [] }
        return handlers.handlers(of: incoming)
    }
}
