/// Finds the handlers of an event. It looks only at the handlers of the event's kind, in the order in which they were written.
struct EventDispatcher: Sendable {
    /// The handlers of each kind of event, by its number; nil for a kind without handlers.
    private let byKind: [HandlerIndex?]

    init(_ handlers: [On]) {
        byKind = EventKind.allCases.map { kind in
            // A handler of any event gets events of the network, not timers and the start.
            let handlers = handlers.filter { $0.event == kind || $0.event == .any && kind.isOfNetwork }
            return handlers.isEmpty ? nil : HandlerIndex(handlers)
        }
    }

    /// True if no handler is about events of a kind.
    func isEmpty(_ kind: EventKind) -> Bool { byKind[kind.rawValue] == nil }

    /// The work of the handlers that take the event, in order, with their source positions: the first that matches, and those below it as far as
    /// handlers fall through.
    func handlers(of incoming: Incoming) -> [(place: HandlerPlace, run: On.Run)] { byKind[incoming.kind.rawValue]?.handlers(of: incoming) ?? [] }
}
