internal import Synchronization
package import Tracing

/// The ids of a span and of the trace that it is part of.
package struct TelemetrySpanID: Sendable, Hashable {
    /// The id of the trace, 16 bytes that are not all zero.
    let traceHigh: UInt64
    let traceLow: UInt64
    /// The id of the span, not zero.
    let span: UInt64
    /// The id of the span around it; nil for the first of a trace.
    let parent: UInt64?
    /// False for a trace that is not recorded.
    let isSampled: Bool

    /// The id of the trace in hexadecimal.
    package var traceText: String { Self.hexadecimal(traceHigh) + Self.hexadecimal(traceLow) }
    /// The id of the span in hexadecimal.
    package var spanText: String { Self.hexadecimal(span) }
    /// The id of the parent in hexadecimal; nil for the first span.
    package var parentText: String? { parent.map(Self.hexadecimal) }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates the first span of a trace.
    ///
    /// - Parameter share: the share of traces that are recorded. The end of the id decides, so that other programs with the same share decide equally.
    static func first(share: Double, _ random: inout some RandomNumberGenerator) -> TelemetrySpanID {
        let low = number(&random)
        let isSampled = share >= 1 || Double(low >> 1) < share * Double(UInt64.max >> 1)
        return TelemetrySpanID(traceHigh: number(&random), traceLow: low, span: number(&random), parent: nil, isSampled: isSampled)
    }

    /// Creates a span within this one.
    func child(_ random: inout some RandomNumberGenerator) -> TelemetrySpanID {
        TelemetrySpanID(traceHigh: traceHigh, traceLow: traceLow, span: Self.number(&random), parent: span, isSampled: isSampled)
    }

    private static func number(_ random: inout some RandomNumberGenerator) -> UInt64 { UInt64.random(in: 1 ... .max, using: &random) }
}

/// A span that has ended.
package struct EndedSpan: Sendable {
    package let id: TelemetrySpanID
    package let name: String
    package let kind: SpanKind
    /// Nanoseconds since 1970.
    package let start: UInt64
    package let end: UInt64
    package let attributes: SpanAttributes
    /// True if an error was recorded.
    package let hasFailed: Bool
    /// The stable code of the recorded error; nil for an error without one.
    package let errorCode: String?
}

/// A span that is being recorded.
package final class TelemetrySpan: Span {
    package let context: ServiceContext
    let id: TelemetrySpanID
    private let kind: SpanKind
    private let start: UInt64
    private let errorCode: @Sendable (any Error) -> String?
    private let onEnd: @Sendable (EndedSpan) -> Void

    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var hasFailed = false
        var errorCode: String?
        var hasEnded = false
    }

    private let state: Mutex<State>

    init(
        _ name: String, _ id: TelemetrySpanID, kind: SpanKind, start: UInt64, context: ServiceContext, errorCode: @escaping @Sendable (any Error) -> String?,
        onEnd: @escaping @Sendable (EndedSpan) -> Void
    ) {
        var context = context
        context.telemetrySpan = id
        (self.context, self.id, self.kind, self.start) = (context, id, kind, start)
        (self.errorCode, self.onEnd) = (errorCode, onEnd)
        state = Mutex(State(name: name))
    }

    package var isRecording: Bool { id.isSampled && !state.withLock(\.hasEnded) }

    package var operationName: String {
        get { state.withLock(\.name) }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock(\.attributes) }
        set {
            guard id.isSampled else { return }
            state.withLock { $0.attributes = newValue }
        }
    }

    package func setStatus(_ status: SpanStatus) {
        if status.code == .error { state.withLock { $0.hasFailed = true } }
    }

    /// Events are not recorded: those of other libraries may hold texts of people.
    package func addEvent(_ event: SpanEvent) {}

    /// Records that there was an error, and its code. Its message may hold what people wrote.
    package func recordError<Instant: TracerInstant>(_ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant) {
        let code = errorCode(error)
        state.withLock { state in
            state.hasFailed = true
            state.errorCode = code ?? state.errorCode
        }
    }

    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLock { state -> State? in
            guard id.isSampled, !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let ended else { return }
        onEnd(
            EndedSpan(
                id: id, name: ended.name, kind: kind, start: start, end: max(start, instant().nanosecondsSinceEpoch), attributes: ended.attributes,
                hasFailed: ended.hasFailed, errorCode: ended.errorCode))
    }
}

extension ServiceContext {
    private enum Key: ServiceContextKey { typealias Value = TelemetrySpanID }

    /// The span in whose context something runs.
    var telemetrySpan: TelemetrySpanID? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}

/// The tracer of a process, which gives ended spans to an exporter.
package struct TelemetryTracer: Tracer {
    private let share: Double
    private let errorCode: @Sendable (any Error) -> String?
    private let onEnd: @Sendable (EndedSpan) -> Void

    init(share: Double, errorCode: @escaping @Sendable (any Error) -> String?, onEnd: @escaping @Sendable (EndedSpan) -> Void) {
        (self.share, self.errorCode, self.onEnd) = (share, errorCode, onEnd)
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind, at instant: @autoclosure () -> Instant,
        function: String, file fileID: String, line: UInt
    ) -> TelemetrySpan {
        let parent = context()
        var random = SystemRandomNumberGenerator()
        let id = parent.telemetrySpan?.child(&random) ?? .first(share: share, &random)
        return TelemetrySpan(
            operationName, id, kind: kind, start: id.isSampled ? instant().nanosecondsSinceEpoch : 0, context: parent, errorCode: errorCode, onEnd: onEnd)
    }

    /// Spans are exported after their delay.
    package func forceFlush() {}

    // Bots take no part in traces of other programs.
    package func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Carrier == Inject.Carrier {}

    package func extract<Carrier, Extract>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract: Extractor, Carrier == Extract.Carrier {}
}
