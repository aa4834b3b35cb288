internal import ChatAPI
internal import Logging

/// The log records about connections: routers that are lost and back, contacts that cannot be reached, errors that no command returns.
///
/// Each change of a router's state is logged once, however many profiles and queues it concerns.
struct ConnectionLog {
    private enum State {
        case reached, lost
    }

    private let logger: Logger
    private var routers: [String: State] = [:]
    private var errors: [String: Int] = [:]

    /// Routers whose state is remembered; those beyond are logged each time.
    static let limit = 10_000
    /// Errors of one code that are logged as warnings; further ones are for `debug`, since a contact can cause any number of some.
    static let errorLimit = 20

    init(_ logger: Logger) { self.logger = logger }

    mutating func note(_ event: ChatEvent) {
        switch event {
        case .subscriptionStatus(let server, .pending, let connections):
            guard change(server, to: .lost) else { return }
            logger.warning(
                "router cannot be reached: what comes to it waits there, and it is tried again",
                metadata: ["router": "\(server)", "connections": "\(connections.count)"])
        case .subscriptionStatus(let server, .active, let connections):
            let wasKnown = routers[server] != nil
            guard change(server, to: .reached) else { return }
            let metadata: Logger.Metadata = ["router": "\(server)", "connections": "\(connections.count)"]
            if wasKnown { logger.notice("router reached again", metadata: metadata) } else { logger.info("router reached", metadata: metadata) }
        case .contactDisabled(_, let contact):
            logger.warning("contact cannot be reached any more: its queue refuses messages", metadata: ["contact": "\(contact.contactID)"])
        case .contactRatchetSync(_, let contact, let progress):
            let metadata: Logger.Metadata = ["contact": "\(contact.contactID)", "state": "\(progress.status.rawValue)"]
            if progress.status == .ok {
                logger.notice("keys agreed on again", metadata: metadata)
            } else {
                logger.warning("messages of a contact cannot be read with the keys that are there", metadata: metadata)
            }
        case .chatError(let error): note(error)
        case .chatErrors(let errors): for error in errors { note(error) }
        case .messageError(_, let severity, _): logger.info("message not understood", metadata: ["severity": "\(severity)"])
        default: break
        }
    }

    private mutating func note(_ error: ChatError) {
        let code = error.code, count = errors[code, default: 0] + 1
        errors[code] = min(count, Self.errorLimit + 1)
        let metadata: Logger.Metadata = ["code": "\(code)"]
        guard count <= Self.errorLimit else { return logger.debug("the core reported an error", metadata: metadata) }
        let end = count == Self.errorLimit ? "; further ones are logged at debug" : ""
        logger.warning("the core reported an error\(end)", metadata: metadata)
    }

    /// - Returns: false if it is so already.
    private mutating func change(_ router: String, to state: State) -> Bool {
        guard routers[router] != state else { return false }
        if routers[router] != nil || routers.count < Self.limit { routers[router] = state }
        return true
    }
}
