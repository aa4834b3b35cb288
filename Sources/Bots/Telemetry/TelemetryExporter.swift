internal import AsyncPrimitives
internal import ChatProtocol
package import CoreMetrics
internal import Foundation
package import Logging
internal import Synchronization
internal import Tracing
internal import WebClient

/// The export of the spans and metrics of a process to a collector.
///
/// Bots never wait for it: spans wait in a queue with a limit, and requests have time limits. What the collector does not take in time is dropped and
/// counted in the metric `parley_telemetry_dropped_total`.
package final class TelemetryExporter: Sendable {
    /// The signals, as values of the label `signal`.
    private enum Signal: String, CaseIterable {
        case traces, metrics
    }

    /// The attempts to export a batch of spans before it is dropped.
    private static let attempts = 5
    private static let pauses = DoublingDelay(from: .seconds(1), to: .seconds(30))
    /// Bytes of an answer that are read.
    private static let answerLimit = 64 << 10

    package let tracer: TelemetryTracer
    private let configuration: TelemetryConfiguration
    private let source: OTLPEncoding.Source
    private let queue: SpanQueue
    private let logger: Logger
    private let dropped: [Signal: Counter]
    /// The signals whose last export has failed.
    private let failing = Mutex<Set<Signal>>([])
    private let start = TelemetryExporter.now()
    /// Waits for a time, or the cancellation of the task.
    private let pause: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - version: the version of the program.
    ///   - factory: the backend of the metric of drops.
    ///   - errorCode: finds the stable code of an error.
    package convenience init(
        _ configuration: TelemetryConfiguration, version: String, factory: any MetricsFactory, logger: Logger,
        errorCode: @escaping @Sendable (any Error) -> String?
    ) {
        self.init(configuration, version: version, factory: factory, logger: logger, errorCode: errorCode) { try await Task.sleep(for: $0) }
    }

    init(
        _ configuration: TelemetryConfiguration, version: String, factory: any MetricsFactory, logger: Logger,
        errorCode: @escaping @Sendable (any Error) -> String?, pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.configuration, self.logger, self.pause) = (configuration, logger, pause)
        source = OTLPEncoding.Source(resource: configuration.resource, scope: "parley", version: version)
        let queue = SpanQueue(limit: configuration.spanLimit, batch: configuration.batchLimit)
        self.queue = queue
        let dropped = Dictionary(
            uniqueKeysWithValues: Signal.allCases.map {
                ($0, Counter(label: "parley_telemetry_dropped_total", dimensions: [("signal", $0.rawValue)], factory: factory))
            })
        self.dropped = dropped
        tracer = TelemetryTracer(share: configuration.sampledShare, errorCode: errorCode) { span in
            if !queue.add(span) { dropped[.traces]?.increment() }
        }
    }

    /// True if spans are exported.
    package var recordsTraces: Bool { configuration.traces != nil }

    /// Makes the tracer the one of the process. Once in a process.
    package func install() {
        if recordsTraces { InstrumentationSystem.bootstrap(tracer) }
    }

    // MARK: Running

    /// Exports until the task is cancelled.
    ///
    /// - Parameter metrics: reads the metrics of the process.
    package func run(metrics: @escaping @Sendable () async -> [TelemetryMetric]) async {
        let signals = [configuration.traces.map { _ in Signal.traces }, configuration.metrics.map { _ in Signal.metrics }].compactMap { $0 }
        logger.info("telemetry goes to a collector", metadata: ["signals": "\(signals.map(\.rawValue).joined(separator: ","))"])
        await withTaskGroup(of: Void.self) { group in
            if let target = configuration.traces { group.addTask { try? await self.exportSpans(to: target) } }
            if let target = configuration.metrics { group.addTask { try? await self.exportMetrics(to: target, metrics) } }
        }
    }

    /// Exports what waits, after ``run(metrics:)`` has ended. Each request is tried once.
    ///
    /// - Parameter limit: the longest time of all requests. What is not exported then is dropped.
    package func finish(within limit: Duration, metrics: @escaping @Sendable () async -> [TelemetryMetric]) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.exportRest(metrics) }
            group.addTask { try? await self.pause(limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func exportRest(_ metrics: @Sendable () async -> [TelemetryMetric]) async {
        if let target = configuration.traces {
            while case let spans = queue.takeBatch(), !spans.isEmpty, !Task.isCancelled {
                guard case .done = await send(.traces, OTLPEncoding.traces(spans, from: source), to: target) else {
                    drop(.traces, spans.count)
                    break
                }
            }
        }
        if let target = configuration.metrics, !Task.isCancelled {
            _ = await send(.metrics, OTLPEncoding.metrics(await metrics(), start: start, now: Self.now(), from: source), to: target)
        }
    }

    private func exportSpans(to target: TelemetryConfiguration.Target) async throws {
        while true {
            try await waitForSpans()
            while case let spans = queue.takeBatch(), !spans.isEmpty {
                do {
                    try await export(spans, to: target)
                } catch {
                    // The task is cancelled: the last export takes these spans once more.
                    drop(.traces, queue.putBack(spans))
                    throw error
                }
            }
        }
    }

    /// Waits for a batch, or for the longest time that a span waits.
    private func waitForSpans() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.queue.waitForBatch() }
            group.addTask { [pause, delay = configuration.spanDelay] in try await pause(delay) }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    private func export(_ spans: [EndedSpan], to target: TelemetryConfiguration.Target) async throws {
        let request = OTLPEncoding.traces(spans, from: source)
        var pauses = Self.pauses
        for attempt in 1... {
            let decision = await send(.traces, request, to: target)
            try Task.checkCancellation()
            switch decision {
            case .done: return
            case .retry(let wanted) where attempt < Self.attempts:
                let next = pauses.next()
                try await pause(wanted.map { max($0, next) } ?? next)
            case .retry, .drop: return drop(.traces, spans.count)
            }
        }
    }

    /// Counters go on from their start, so that a lost export is made up for by the next one.
    private func exportMetrics(to target: TelemetryConfiguration.Target, _ metrics: @Sendable () async -> [TelemetryMetric]) async throws {
        while true {
            try await pause(configuration.metricInterval)
            let values = await metrics()
            let request = OTLPEncoding.metrics(values, start: start, now: Self.now(), from: source)
            let decision = await send(.metrics, request, to: target)
            try Task.checkCancellation()
            if case .done = decision { continue }
            drop(.metrics, values.reduce(0) { $0 + $1.samples.count })
        }
    }

    private func drop(_ signal: Signal, _ count: Int) {
        if count > 0 { dropped[signal]?.increment(by: count) }
    }

    // MARK: Requests

    private func send(_ signal: Signal, _ body: JSONValue, to target: TelemetryConfiguration.Target) async -> ExportDecision {
        var limits = WebClient.Limits()
        (limits.duration, limits.patience, limits.body) = (target.timeout, target.timeout, Self.answerLimit)
        var request = WebRequest("POST", target.url, headers: target.headers, body: Array(body.text.utf8))
        request.headers["Content-Type"] = "application/json"
        let attempt: ExportDecision.Attempt
        do throws(WebError) {
            let (response, answer) = try await WebClient(limits: limits).send(request)
            attempt = .answered(status: response.status, retryAfter: response["retry-after"], body: answer)
        } catch {
            attempt = .failed(error.description, isTemporary: error.isTemporary)
        }
        let decision = ExportDecision(attempt)
        note(signal, decision, attempt)
        return decision
    }

    /// Logs the first of several failures, and the end of them.
    private func note(_ signal: Signal, _ decision: ExportDecision, _ attempt: ExportDecision.Attempt) {
        if case .done(let rejected) = decision {
            drop(signal, rejected)
            guard failing.withLock({ $0.remove(signal) }) != nil else { return }
            return logger.notice("the collector takes telemetry again", metadata: ["signal": "\(signal.rawValue)", "code": "telemetry.healed"])
        }
        guard !Task.isCancelled, failing.withLock({ $0.insert(signal).inserted }) else { return }
        let reason =
            switch attempt {
            case .answered(let status, _, _): "status \(status)"
            case .failed(let reason, _): reason
            }
        logger.warning(
            "the collector does not take telemetry: bots go on without it",
            metadata: ["signal": "\(signal.rawValue)", "code": "telemetry.failing", "error": "\(reason)"])
    }

    private static func now() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970) * 1e9) }
}
