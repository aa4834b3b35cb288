internal import ChatAPI
internal import ChatProtocol

/// The kinds of event that handlers are sorted by.
enum EventKind: Int, Sendable, CaseIterable {
    case message, live, edited, deleted, reaction, connected, request, invitation, member, group, relay, delivery, file, timer, started, stopping, any

    /// True for events that handlers of any event get: those of the core, but no text that is still being typed, no timers, and neither the start nor the end
    /// of the program.
    var isOfNetwork: Bool { self != .live && self != .timer && self != .started && self != .stopping }
}

/// An event on its way to the handlers of one bot.
struct Incoming: Sendable {
    /// The context that its handlers get. A context is copied often and is large, so those that do not share their storage are indirect.
    enum Content: Sendable {
        case message(MessageContext)
        /// A message that is still being typed, with its text so far.
        case live(MessageContext)
        indirect case edited(EditContext)
        indirect case deleted(DeletionContext)
        indirect case reaction(ReactionContext)
        indirect case connected(ContactContext)
        indirect case request(RequestContext)
        indirect case report(ReportContext)
        indirect case invitation(InvitationContext)
        indirect case member(MemberContext)
        indirect case group(GroupContext)
        indirect case relay(RelayContext)
        indirect case delivery(DeliveryContext)
        indirect case file(FileContext)
        indirect case fileFailure(FileFailureContext)
        indirect case timer(DueTimer)
        case started(StartContext)
        case stopping(StopContext)
        case other
    }

    let content: Content
    let bot: BotIdentity
    let effects: Effects
    /// The event of the core. An item that was found unhandled at a start has the event that would have reported it. Nil for timers and the
    /// start.
    var event: ChatEvent?

    /// The event for handlers of any event.
    var source: EventContext? { event.map { EventContext(bot: bot, event: $0, effects: effects) } }

    /// The changes that its handlers make to stored state.
    var changes: HandlerChanges? { effects.changes }

    var kind: EventKind {
        switch content {
        case .message, .report: .message
        case .live: .live
        case .edited: .edited
        case .deleted: .deleted
        case .reaction: .reaction
        case .connected: .connected
        case .request: .request
        case .invitation: .invitation
        case .member: .member
        case .group: .group
        case .relay: .relay
        case .delivery: .delivery
        case .file, .fileFailure: .file
        case .timer: .timer
        case .started: .started
        case .stopping: .stopping
        case .other: .any
        }
    }

    var message: MessageContext? { if case .message(let context) = content { context } else { nil } }
    /// The message, if it is not a report: an answer of a catch-all handler to one would tell others of it.
    var openMessage: MessageContext? { message.flatMap { $0.kind == .report ? nil : $0 } }
    var live: MessageContext? { if case .live(let context) = content { context } else { nil } }
    var edit: EditContext? { if case .edited(let context) = content { context } else { nil } }
    var deletion: DeletionContext? { if case .deleted(let context) = content { context } else { nil } }
    var reaction: ReactionContext? { if case .reaction(let context) = content { context } else { nil } }
    var contact: ContactContext? { if case .connected(let context) = content { context } else { nil } }
    var report: ReportContext? { if case .report(let context) = content { context } else { nil } }
    var invitation: InvitationContext? { if case .invitation(let context) = content { context } else { nil } }
    var member: MemberContext? { if case .member(let context) = content { context } else { nil } }
    var group: GroupContext? { if case .group(let context) = content { context } else { nil } }
    var relay: RelayContext? { if case .relay(let context) = content { context } else { nil } }
    var delivery: DeliveryContext? { if case .delivery(let context) = content { context } else { nil } }
    var file: FileContext? { if case .file(let context) = content { context } else { nil } }
    var fileFailure: FileFailureContext? { if case .fileFailure(let context) = content { context } else { nil } }
    var request: RequestContext? { if case .request(let context) = content { context } else { nil } }

    var timer: DueTimer? { if case .timer(let timer) = content { timer } else { nil } }
    var start: StartContext? { if case .started(let context) = content { context } else { nil } }
    var stop: StopContext? { if case .stopping(let context) = content { context } else { nil } }

    /// The person of the event; nil without one.
    var person: PersonID? {
        switch content {
        case .message(let context), .live(let context): context.person
        case .edited(let context): context.person
        case .deleted(let context): context.person
        case .reaction(let context): context.person
        case .connected(let context): context.person
        case .report(let context): context.person
        case .invitation(let context): context.person
        case .member(let context): context.person
        case .group(let context): context.person
        case .relay(let context): context.person
        case .delivery(let context): context.person
        case .file(let context): context.person
        case .fileFailure(let context): context.person
        case .request, .timer, .started, .stopping, .other: nil
        }
    }

    /// The chat of the event; nil without one.
    var chat: BotChat? {
        switch content {
        case .message(let context), .live(let context): context.chat
        case .edited(let context): context.chat
        case .deleted(let context): context.chat
        case .reaction(let context): context.chat
        case .connected(let context): context.chat
        case .report(let context): context.chat
        case .invitation(let context): context.chat
        case .member(let context): context.chat
        case .group(let context): context.chat
        case .relay(let context): context.chat
        case .delivery(let context): context.chat
        case .file(let context): context.chat
        case .fileFailure(let context): context.chat
        case .timer(let timer): timer.chat
        case .request, .started, .stopping, .other: nil
        }
    }

    /// True for a message of another bot in a group, or a change of one. Only handlers that include bots get it.
    var isOfBotInGroup: Bool {
        let item: ChatItem
        switch content {
        case .message(let context), .live(let context): item = context.item
        case .edited(let context): item = context.item
        default: return false
        }
        return item.direction.member?.profile.peerType == .bot
    }

    /// The kind of the chat of the event; nil for an event outside of chats, which is for every handler.
    var chatKind: ChatKinds? { if case .message(let context) = content { context.chatKind } else { chat?.kind } }
}
