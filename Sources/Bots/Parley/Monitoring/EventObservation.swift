internal import ChatAPI
internal import Logging
internal import Tracing

/// The log, the metrics and the trace of one event, from the handlers that it is given to, to what they do.
struct EventObservation: Sendable {
    /// The id that the records of the event share, such as `2/item/41`: the profile and the name of the event. Empty outside of events.
    let id: String
    /// The logger of the bot, without the id: most records of events are for a level that is off.
    private let base: Logger
    let metrics: BotMetrics?
    /// Keeps a failure, by its code and source position, among the last ones.
    private let noteFailure: (@Sendable (_ code: String, _ place: String) -> Void)?

    /// The observation of effects outside of handlers, which records nothing.
    static let none = EventObservation(id: "", logger: Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }, metrics: nil)

    init(id: String, logger: Logger, metrics: BotMetrics?, noteFailure: (@Sendable (_ code: String, _ place: String) -> Void)? = nil) {
        self.id = id
        base = logger
        self.metrics = metrics
        self.noteFailure = noteFailure
    }

    /// A logger with the bot and the id.
    var logger: Logger {
        var logger = base
        if !id.isEmpty { logger[metadataKey: "event"] = "\(id)" }
        return logger
    }

    private func debug(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
        guard base.logLevel <= .debug else { return }
        logger.debug(message, metadata: metadata())
    }

    /// Runs the handling of an event as a span, if the program records traces.
    func handling(_ kind: EventKind, of bot: String, _ body: () async throws -> Void) async throws {
        metrics?.event(kind)
        debug("event", ["kind": "\(kind.metricsName)"])
        guard Self.isTraced else { return try await body() }
        try await withSpan("parley.event", ofKind: .consumer) { span in
            span.attributes["parley.bot"] = bot
            span.attributes["parley.event"] = id
            span.attributes["parley.kind"] = kind.metricsName
            try await body()
        }
    }

    /// Runs a handler as a span, and counts its outcome.
    func handler(_ place: HandlerPlace, _ body: () async throws -> Void) async throws {
        let start = ContinuousClock.now
        do {
            if Self.isTraced {
                try await withSpan("parley.handler") { span in
                    span.attributes["parley.handler"] = place.description
                    try await body()
                }
            } else {
                try await body()
            }
            let duration = start.duration(to: .now)
            metrics?.handler(.completed, for: duration)
            debug("handler completed", ["handler": "\(place)", "milliseconds": "\(Int(duration.seconds * 1000))"])
        } catch {
            metrics?.handler(Task.isCancelled ? .interrupted : .failed, for: start.duration(to: .now))
            throw error
        }
    }

    /// Counts an action that failed without its handler.
    func actionFailed(_ code: String, at place: String) {
        metrics?.actionFailed(code)
        noteFailure?(code, place)
    }

    /// Runs what a bot does as a span, and counts it.
    func effect<Result>(_ name: String, _ body: () async throws(ChatCoreError) -> Result) async throws(ChatCoreError) -> Result {
        // The handle of a span cannot throw a typed error through its closure: what came of the effect is carried around it.
        var outcome: Swift.Result<Result, ChatCoreError>?
        func run() async {
            do throws(ChatCoreError) {
                outcome = .success(try await body())
            } catch {
                outcome = .failure(error)
            }
        }
        if Self.isTraced {
            await withSpan("parley.effect", ofKind: .producer) { span in
                span.attributes["parley.effect"] = name
                await run()
                if case .failure(let error) = outcome { span.recordError(error) }
            }
        } else {
            await run()
        }
        switch outcome {
        case .success(let result):
            metrics?.effect(name)
            debug("effect", ["effect": "\(name)"])
            return result
        case .failure(let error):
            metrics?.effectRefused(error.code.rawValue)
            debug("effect refused", ["effect": "\(name)", "code": "\(error.code.rawValue)"])
            throw error
        case nil: throw ChatCoreError(.invalidResponse, "the effect \(name) has no outcome")
        }
    }

    /// True if the program has a tracer: without one, spans would cost and say nothing.
    private static var isTraced: Bool { !(InstrumentationSystem.instrument is NoOpInstrument) }
}
