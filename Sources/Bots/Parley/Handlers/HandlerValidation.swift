/// Finds handlers that can never run.
enum HandlerValidation {
    static func faults(of handlers: [On]) -> [HandlerFault] {
        var faults = handlers.compactMap(\.fault)
        faults += unreachable(handlers)
        faults += duplicates(handlers, "recurring handler", \.recurrence?.name)
        faults += duplicates(handlers, "conversation", \.conversation)
        return faults
    }

    /// Handlers and answers for requests that do not come to the bot.
    static func requestFaults(of bot: Bot) -> [HandlerFault] {
        var faults: [HandlerFault] = []
        if case .manual = bot.address {
        } else {
            faults += bot.handlers.filter { $0.event == .request && !$0.isChoosing }.map {
                $0.fault("no contact request comes to this handler, because the address accepts everybody or is missing: give the bot `address: .manual(…)`")
            }
        }
        if bot.answersChannelInvitation != nil, !bot.isRelay {
            faults.append(
                HandlerFault(
                    message: "\(bot.id) answers invitations to relay and is not a relay: set `isRelay`, or leave `answersChannelInvitation` out", file: bot.id,
                    line: 1, column: 1))
        }
        return faults + untrustedNames(of: bot)
    }

    /// Names in groups that give rights and are no trusted contacts.
    private static func untrustedNames(of bot: Bot) -> [HandlerFault] {
        bot.groups.flatMap { group in
            (group.moderators + group.members).filter { !bot.trustedContacts.contains($0) }.map { name in
                HandlerFault(
                    message:
                        "the group \(group.id) of \(bot.id) names \"\(name)\", who is not a trusted contact, and anybody can take the name: add it to `trustedContacts`",
                    file: bot.id, line: 1, column: 1)
            }
        }
    }

    private static func unreachable(_ handlers: [On]) -> [HandlerFault] {
        var faults: [HandlerFault] = [], above: [On] = []
        for handler in handlers where handler.event == .message {
            for other in above {
                guard let reason = hindrance(of: handler, by: other) else { continue }
                faults.append(handler.fault(reason))
                break
            }
            if !handler.fallsThrough, !handler.isConditional { above.append(handler) }
        }
        return faults
    }

    /// Why a handler gets no events because of one above it; nil if it can get some.
    private static func hindrance(of handler: On, by other: On) -> String? {
        guard other.kinds.isSuperset(of: handler.kinds) else { return nil }
        // Messages of other bots, which there are in all chats but those with contacts, pass a handler that does not include them.
        guard other.includesBots || !handler.includesBots || handler.kinds == .contacts else { return nil }
        if !handler.possibleKinds.isEmpty, other.takenKinds.isSuperset(of: handler.possibleKinds) {
            let taken = other.takenKinds == MessageKind.open ? "every message" : "every message of its kind"
            return "the handler at \(other.place) takes \(taken) before this one can: put it below"
        }
        guard let command = other.command, command == handler.command else { return nil }
        return "the command /\(command) has a handler at \(other.place) already: remove one of them, or let the first fall through"
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
