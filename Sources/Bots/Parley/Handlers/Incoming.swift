internal import ChatAPI

/// The kinds of event that handlers are sorted by.
enum EventKind: Sendable, Hashable, CaseIterable {
    case message, edited, deleted, reaction, connected, request, any
}

/// An event on its way to the handlers of one bot.
struct Incoming: Sendable {
    enum Content: Sendable {
        case message(MessageContext)
        case edited(EditContext)
        case deleted(DeletionContext)
        case reaction(ReactionContext)
        case connected(ContactContext)
        case request(RequestContext)
        case other
    }

    let content: Content
    /// The event as the core reported it; what was found unhandled at a start is shown as the event that it would have been.
    let source: EventContext

    var kind: EventKind {
        switch content {
        case .message: .message
        case .edited: .edited
        case .deleted: .deleted
        case .reaction: .reaction
        case .connected: .connected
        case .request: .request
        case .other: .any
        }
    }

    var message: MessageContext? { if case .message(let context) = content { context } else { nil } }
    var edit: EditContext? { if case .edited(let context) = content { context } else { nil } }
    var deletion: DeletionContext? { if case .deleted(let context) = content { context } else { nil } }
    var reaction: ReactionContext? { if case .reaction(let context) = content { context } else { nil } }
    var contact: ContactContext? { if case .connected(let context) = content { context } else { nil } }
    var request: RequestContext? { if case .request(let context) = content { context } else { nil } }
}
