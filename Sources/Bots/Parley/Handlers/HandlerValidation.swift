/// Finds handlers that can never run.
enum HandlerValidation {
    static func faults(of handlers: [On]) -> [HandlerFault] {
        var faults = handlers.compactMap(\.fault)
        faults += unreachable(handlers)
        faults += duplicates(handlers, "recurring handler", \.recurrence?.name)
        faults += duplicates(handlers, "conversation", \.conversation)
        return faults
    }

    private static func unreachable(_ handlers: [On]) -> [HandlerFault] {
        var faults: [HandlerFault] = [], above: [On] = []
        for handler in handlers where handler.event == .message {
            if let other = above.first(where: {
                $0.kinds.isSuperset(of: handler.kinds) && ($0.isCatchAll || $0.command != nil && $0.command == handler.command)
            }) {
                let reason =
                    other.isCatchAll
                    ? "the handler at \(other.place) takes every message before this one can: put it below"
                    : "the command /\(other.command ?? "") has a handler at \(other.place) already: remove one of them, or let the first fall through"
                faults.append(handler.fault(reason))
            }
            if !handler.fallsThrough, !handler.isConditional { above.append(handler) }
        }
        return faults
    }

    private static func duplicates(_ handlers: [On], _ kind: String, _ name: (On) -> String?) -> [HandlerFault] {
        var places: [String: HandlerPlace] = [:]
        return handlers.compactMap { handler in
            guard let name = name(handler), let other = places.updateValue(handler.place, forKey: name) else { return nil }
            return handler.fault("the \(kind) at \(other) is called \"\(name)\" too: give each its own name")
        }
    }
}

extension On {
    fileprivate func fault(_ message: String) -> HandlerFault { HandlerFault(message: message, file: place.file, line: place.line, column: 1) }
}
