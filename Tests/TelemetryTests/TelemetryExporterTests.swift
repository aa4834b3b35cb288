import AsyncPrimitives
import ChatProtocol
import CoreMetrics
import HTTPEndpoint
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import Telemetry

/// The export to a collector on this machine.
@Suite(.timeLimit(.minutes(5))) struct TelemetryExporterTests {
    /// A collector that keeps what it gets.
    private final class Collector: Sendable {
        struct Received: Sendable {
            let path: String
            let body: JSONValue
            let authorization: String?
        }

        let received = Mutex<[Received]>([])
        /// The answers to the next requests; success when there are none.
        let answers = Mutex<[HTTPResponse]>([])
        private let server = Mutex<HTTPServer?>(nil)

        func start() async throws -> String {
            var limits = HTTPServer.Limits()
            limits.body = 1 << 20
            let server = try await HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits, logger: quiet) { [self] request in
                guard let body = try? JSONValue(parsing: request.body), request.headers.first(name: "content-type") == "application/json" else {
                    return .text(.badRequest, "")
                }
                received.withLock { $0.append(Received(path: request.path, body: body, authorization: request.headers.first(name: "authorization"))) }
                return answers.withLock { $0.isEmpty ? .text(.ok, "{}", contentType: "application/json") : $0.removeFirst() }
            }
            self.server.withLock { $0 = server }
            return "http://127.0.0.1:\(server.port)"
        }

        func stop() async { await server.withLock { $0.take() }?.stop() }

        /// The spans so far.
        var spans: [JSONValue] {
            received.withLock { $0 }.flatMap { $0.body["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? [] }
        }
    }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private struct Coded: Error {
        let secret = "what a person wrote"
    }

    /// Counts what is dropped.
    private final class Drops: CounterHandler, Sendable {
        let count = Mutex<Int64>(0)
        func increment(by amount: Int64) { count.withLock { $0 += amount } }
        func reset() {}
    }

    private struct Factory: MetricsFactory {
        let drops: Drops
        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { drops }
        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { NOOPMetricsHandler.instance }
        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyMeter(_ handler: any MeterHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    /// The pauses that the exporter asked for. None of them takes time, except for those that never end.
    private final class Pauses: Sendable {
        let asked = Mutex<[Duration]>([])
        let endless: Set<Duration>

        init(endless: Set<Duration> = []) { self.endless = endless }

        func pause(_ duration: Duration) async throws {
            asked.withLock { $0.append(duration) }
            try Task.checkCancellation()
            guard endless.contains(duration) else { return await Task.yield() }
            try await AsyncSignal().waitUnlessCancelled()
        }
    }

    private static func exporter(_ configuration: TelemetryConfiguration, _ pauses: Pauses, drops: Drops = Drops()) -> TelemetryExporter {
        TelemetryExporter(
            configuration, version: "1", factory: Factory(drops: drops), logger: quiet, errorCode: { $0 is Coded ? "test.coded" : nil }, pause: pauses.pause)
    }

    private static func configuration(_ url: String, metrics: Bool = false, _ change: (inout TelemetryConfiguration) -> Void = { _ in })
        -> TelemetryConfiguration
    {
        var configuration = TelemetryConfiguration(traces: metrics ? nil : url + "/v1/traces", metrics: metrics ? url + "/v1/metrics" : nil)
        change(&configuration)
        return configuration
    }

    /// Records three spans within each other, the last of which fails.
    private static func record(_ exporter: TelemetryExporter) {
        try? exporter.tracer.withSpan("parley.event", context: .topLevel, ofKind: .consumer) { event in
            event.attributes["parley.event"] = "1/item/41"
            try exporter.tracer.withSpan("parley.handler", context: event.context) { handler in
                try exporter.tracer.withSpan("parley.effect", context: handler.context, ofKind: .producer) { _ in throw Coded() }
            }
        }
    }

    @Test func spansOfOneTraceReachTheCollectorWithoutTheTextsOfErrors() async throws {
        let collector = Collector(), url = try await collector.start()
        let configuration = Self.configuration(url) { $0.traces?.headers = ["Authorization": "Bearer word"] }
        let exporter = Self.exporter(configuration, Pauses())
        Self.record(exporter)
        let running = Task { await exporter.run { [] } }
        try await eventually("the collector has it") { collector.spans.count == 3 }
        running.cancel()
        await running.value
        let spans = Dictionary(collector.spans.compactMap { span in span["name"]?.stringValue.map { ($0, span) } }) { $1 }
        let event = try #require(spans["parley.event"]), handler = try #require(spans["parley.handler"]), effect = try #require(spans["parley.effect"])
        #expect(event["parentSpanId"] == nil && handler["parentSpanId"] == event["spanId"] && effect["parentSpanId"] == handler["spanId"])
        #expect(Set([event, handler, effect].map { $0["traceId"]?.stringValue }).count == 1)
        #expect(effect["status"]?["code"] == 2 && effect["attributes"]?.text.contains("test.coded") == true)
        let all = collector.received.withLock { $0 }
        #expect(all.allSatisfy { $0.path == "/v1/traces" && $0.authorization == "Bearer word" && !$0.body.text.contains("person wrote") })
        await collector.stop()
    }

    @Test func aBatchIsSentAgainUntilTheCollectorTakesIt() async throws {
        let collector = Collector(), url = try await collector.start()
        collector.answers.withLock { $0 = [.text(.serviceUnavailable, ""), .text(.tooManyRequests, ""), .text(.badGateway, "")] }
        let pauses = Pauses(), drops = Drops(), exporter = Self.exporter(Self.configuration(url), pauses, drops: drops)
        Self.record(exporter)
        let running = Task { await exporter.run { [] } }
        try await eventually("the collector has it") { collector.received.withLock(\.count) == 4 }
        running.cancel()
        await running.value
        #expect(pauses.asked.withLock { $0 }.filter { [.seconds(1), .seconds(2), .seconds(4)].contains($0) } == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(drops.count.withLock { $0 } == 0)
        await collector.stop()
    }

    @Test func whatTheCollectorRefusesOrNeverTakesIsDroppedAndCounted() async throws {
        let collector = Collector(), url = try await collector.start()
        collector.answers.withLock { $0 = [.text(.badRequest, "")] + Array(repeating: .text(.serviceUnavailable, ""), count: 5) }
        let drops = Drops(), exporter = Self.exporter(Self.configuration(url), Pauses(), drops: drops)
        Self.record(exporter)
        let running = Task { await exporter.run { [] } }
        try await eventually("the collector has it") { drops.count.withLock { $0 } == 3 }
        Self.record(exporter)
        try await eventually("the collector has it") { drops.count.withLock { $0 } == 6 }
        running.cancel()
        await running.value
        #expect(collector.received.withLock(\.count) == 6)
        await collector.stop()
    }

    @Test func spansBeyondTheQueueAreDroppedAtOnce() async throws {
        let drops = Drops()
        let exporter = Self.exporter(Self.configuration("http://127.0.0.1:1") { ($0.spanLimit, $0.batchLimit) = (4, 2) }, Pauses(), drops: drops)
        Self.record(exporter)
        Self.record(exporter)
        #expect(drops.count.withLock { $0 } == 2)
    }

    @Test func aFullBatchDoesNotWaitForItsTime() async throws {
        let collector = Collector(), url = try await collector.start()
        let exporter = Self.exporter(Self.configuration(url) { ($0.batchLimit, $0.spanDelay) = (3, .seconds(77)) }, Pauses(endless: [.seconds(77)]))
        let running = Task { await exporter.run { [] } }
        Self.record(exporter)
        try await eventually("the collector has it") { collector.spans.count == 3 }
        running.cancel()
        await running.value
        await collector.stop()
    }

    @Test func whatWaitsIsExportedAtTheEndWithinABound() async throws {
        let collector = Collector(), url = try await collector.start()
        let never = Duration.seconds(77)
        let exporter = Self.exporter(
            Self.configuration(url) {
                ($0.spanDelay, $0.metricInterval) = (never, never)
                $0.metrics = .init(url: url + "/v1/metrics", headers: [:], timeout: .seconds(60))
            }, Pauses(endless: [never, .seconds(5)]))
        Self.record(exporter)
        let running = Task { await exporter.run { [] } }
        running.cancel()
        await running.value
        #expect(collector.spans.isEmpty)
        await exporter.finish(within: .seconds(5)) { [TelemetryMetric("parley_profiles", .gauge, samples: [.init([], .number(1))])] }
        #expect(collector.spans.count == 3)
        #expect(collector.received.withLock { $0.map(\.path) } == ["/v1/traces", "/v1/metrics"])
        await collector.stop()

        // A pause of no time ends the export before anything is sent.
        let late = Self.exporter(Self.configuration("http://127.0.0.1:1"), Pauses())
        Self.record(late)
        await late.finish(within: .seconds(5)) { [] }
    }

    @Test func metricsAreExportedAtIntervals() async throws {
        let collector = Collector(), url = try await collector.start()
        let exporter = Self.exporter(Self.configuration(url, metrics: true), Pauses())
        let reads = Mutex(0)
        let running = Task {
            await exporter.run {
                let count = reads.withLock { reads in
                    reads += 1
                    return reads
                }
                return [TelemetryMetric("a_total", .counter, samples: [.init([], .count(Int64(count)))])]
            }
        }
        try await eventually("the collector has it") { collector.received.withLock(\.count) >= 2 }
        running.cancel()
        await running.value
        let values = collector.received.withLock { $0 }.prefix(2).map { received in
            received.body["resourceMetrics"]?[0]?["scopeMetrics"]?[0]?["metrics"]?[0]?["sum"]?["dataPoints"]?[0]?["asInt"]?.stringValue
        }
        #expect(values == ["1", "2"])
        await collector.stop()
    }

    @Test func aTraceIsRecordedAsAWholeOrNotAtAll() {
        let spans = Mutex<[EndedSpan]>([])
        let tracer = TelemetryTracer(share: 0.5, errorCode: { _ in nil }) { span in spans.withLock { $0.append(span) } }
        for _ in 1...1_000 {
            tracer.withSpan("outer", context: .topLevel) { outer in tracer.withSpan("inner", context: outer.context) { _ in } }
        }
        let traces = Dictionary(grouping: spans.withLock { $0 }, by: \.id.traceText)
        #expect(traces.values.allSatisfy { $0.count == 2 })
        // A fair coin is outside of this range once in 10^22 times.
        #expect((350...650).contains(traces.count))
    }
}
