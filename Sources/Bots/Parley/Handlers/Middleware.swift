/// Code around handlers: it runs when a handler is about to run, and decides whether and when that happens.
///
/// ```swift
/// let bot = Bot("Shop") {
///     Use { call, next in
///         let start = ContinuousClock.now
///         try await next()
///         logger.info("handled", metadata: ["handler": "\(call.handler)", "took": "\(start.duration(to: .now))"])
///     }
///     On(.text) { message in … }
/// }
/// ```
///
/// Middleware surrounds the handlers below it in its block, the first outermost. It sees only events that a handler takes. Middleware that is used
/// ``Use/beforeMatching(_:)`` sees every event of the bot before a handler is looked for.
public struct Middleware: Sendable {
    /// The rest: the middleware below, and the handler.
    public typealias Next = @Sendable () async throws -> Void

    let run: @Sendable (HandlerCall, Next) async throws -> Void

    /// - Parameter run: calls the second argument to continue. Without that call the event counts as handled, and no handler runs.
    public init(_ run: @escaping @Sendable (HandlerCall, Next) async throws -> Void) { self.run = run }
}

/// Middleware in a block of handlers.
public struct Use: Sendable {
    let middleware: Middleware
    let isBeforeMatching: Bool

    /// Surrounds the handlers below.
    public init(_ middleware: Middleware) { self.init(middleware, isBeforeMatching: false) }

    /// Surrounds the handlers below.
    public init(_ run: @escaping @Sendable (HandlerCall, Middleware.Next) async throws -> Void) { self.init(Middleware(run)) }

    /// Surrounds everything that the bot does for an event: it runs before the handler is chosen, and also if no handler matches. It is at the top of a
    /// bot.
    public static func beforeMatching(_ run: @escaping @Sendable (HandlerCall, Middleware.Next) async throws -> Void) -> Use {
        Use(Middleware(run), isBeforeMatching: true)
    }

    private init(_ middleware: Middleware, isBeforeMatching: Bool) {
        self.middleware = middleware
        self.isBeforeMatching = isBeforeMatching
    }
}

/// A run of a handler, as middleware sees it.
public struct HandlerCall: Sendable {
    /// The bot.
    public let bot: BotIdentity
    /// The source position of the handler, as `File.swift:12`; empty before a handler is looked for.
    public let handler: String
    /// The tags of the handler.
    public let tags: Set<String>
    /// The chat of the event; nil for an event outside of chats.
    public let chat: BotChat?
    /// The person that the event is about; nil if it is about nobody.
    public let person: PersonID?
    /// The message, if the event is one.
    public let message: MessageContext?
    /// True for events that the bot itself causes: timers and its start.
    let isOwn: Bool

    init(_ incoming: Incoming, handler: On? = nil) {
        bot = incoming.bot
        self.handler = handler?.place.description ?? ""
        tags = handler?.tags ?? []
        chat = incoming.chat
        person = incoming.person
        message = incoming.message
        isOwn = incoming.timer != nil || incoming.start != nil
    }
}

/// A block of handlers within a bot, with settings and middleware of its own.
///
/// ```swift
/// Handlers(in: .groups) {
///     Use(.limit(5, per: .seconds(10)))
///     On(.command("rules")) { … }
/// }
/// ```
public struct Handlers: Sendable {
    var handlers: [On]
    var beforeMatching: [Middleware] = []

    init(_ handlers: [On], beforeMatching: [Middleware] = []) {
        self.handlers = handlers
        self.beforeMatching = beforeMatching
    }

    /// - Parameters:
    ///   - kinds: the kinds of chat of handlers that name none themselves; those of a block within this one hold before them.
    ///   - catching: takes the errors that handlers of the block throw; errors that it throws itself propagate outwards.
    public init(
        in kinds: ChatKinds? = nil, catching: (@Sendable (any Error, HandlerCall) async throws -> Void)? = nil, @HandlerBuilder _ handlers: () -> Handlers
    ) {
        self = handlers()
        for index in self.handlers.indices {
            if let kinds, !self.handlers[index].namesKinds { self.handlers[index].answer(in: kinds) }
            guard let catching else { continue }
            self.handlers[index].surround(
                Middleware { call, next in
                    do {
                        try await next()
                    } catch {
                        // Only the end of the bots cancels the tasks of handlers: such an event is handled at the next start.
                        guard !Task.isCancelled else { throw error }
                        try await catching(error, call)
                    }
                })
        }
    }
}

/// Puts handlers one below the other.
@resultBuilder public enum HandlerBuilder {
    /// A part of a block.
    public struct Component: Sendable {
        enum Part: Sendable {
            case handlers([On])
            case use(Use)
            case block(Handlers)

            fileprivate var handlerCount: Int {
                switch self {
                case .handlers(let handlers): handlers.count
                case .use: 0
                case .block(let block): block.handlers.count
                }
            }
        }

        var parts: [Part]
    }

    /// Takes one handler.
    public static func buildExpression(_ handler: On) -> Component { Component(parts: [.handlers([handler])]) }
    /// Takes a list of handlers.
    public static func buildExpression(_ handlers: [On]) -> Component { Component(parts: [.handlers(handlers)]) }
    /// Takes a block of handlers.
    public static func buildExpression(_ block: Handlers) -> Component { Component(parts: [.block(block)]) }
    /// Takes middleware for the handlers below.
    public static func buildExpression(_ use: Use) -> Component { Component(parts: [.use(use)]) }
    /// Joins the handlers of a block in their order.
    public static func buildBlock(_ components: Component...) -> Component { Component(parts: components.flatMap(\.parts)) }
    /// Takes the handlers of an `if` without `else`.
    public static func buildOptional(_ component: Component?) -> Component { component ?? Component(parts: []) }
    /// Takes the handlers of the first branch.
    public static func buildEither(first component: Component) -> Component { component }
    /// Takes the handlers of the second branch.
    public static func buildEither(second component: Component) -> Component { component }
    /// Joins the handlers of a loop.
    public static func buildArray(_ components: [Component]) -> Component { Component(parts: components.flatMap(\.parts)) }

    /// Surrounds the handlers with the middleware above them.
    public static func buildFinalResult(_ component: Component) -> Handlers {
        var all = Handlers([]), middleware: [Middleware] = []
        // No more than is needed: handlers are large, and a process may have thousands of bots.
        all.handlers.reserveCapacity(component.parts.reduce(0) { $0 + $1.handlerCount })
        func add(_ handlers: [On]) {
            for var handler in handlers {
                for used in middleware.reversed() { handler.surround(used) }
                all.handlers.append(handler)
            }
        }
        for part in component.parts {
            switch part {
            case .use(let use) where use.isBeforeMatching: all.beforeMatching.append(use.middleware)
            case .use(let use): middleware.append(use.middleware)
            case .handlers(let handlers): add(handlers)
            case .block(let block):
                add(block.handlers)
                all.beforeMatching += block.beforeMatching
            }
        }
        return all
    }
}
