import ChatProtocol
import Foundation
import HTTPEndpoint
import Logging
import NIOHTTP1
import ProcessSupport
import Synchronization
import TestSupport
import Testing

/// `parley run` with a collector of OpenTelemetry.
@Suite(.timeLimit(.minutes(10))) struct TelemetryProcessTests {
    private final class Collector: Sendable {
        let received = Mutex<[(path: String, body: JSONValue)]>([])

        /// The spans so far.
        var spans: [JSONValue] {
            received.withLock { $0 }.flatMap { $0.body["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? [] }
        }

        /// The names of the metrics so far.
        var metrics: Set<String> {
            Set(
                received.withLock { $0 }.flatMap { $0.body["resourceMetrics"]?[0]?["scopeMetrics"]?[0]?["metrics"]?.arrayValue ?? [] }.compactMap {
                    $0["name"]?.stringValue
                })
        }
    }

    @Test func aMessageIsATraceFromItsReceptionToTheAnswerWithoutItsText() async throws {
        let folder = try ScratchFolder("telemetry")
        defer { folder.remove() }
        let collector = Collector()
        var limits = HTTPServer.Limits()
        limits.body = 4 << 20
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            if let body = try? JSONValue(parsing: $0.body) { collector.received.withLock { [path = $0.path] in $0.append((path, body)) } }
            return .text(.ok, "{}", contentType: "application/json")
        }
        try folder.write(
            "parley: 1\nprofiles:\n  echo:\n    address: { accept: automatic }\n    rules: [ { id: greet, when: { message: text }, then: { reply: \"hello secret-answer\" } } ]\n",
            to: "bots.yaml")
        let environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(server.port)", "OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_METRIC_EXPORT_INTERVAL": "1000",
            "OTEL_SERVICE_NAME": "test-bots",
        ]
        let bots = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots"), "--json"], environment: environment, log: folder("log"))
        let link = try #require(try await bots.ready().profiles?.first?.shortAddress)
        let talk = try await run(
            ["chat", "--data", folder("ann"), "--name", "Ann Example", "--connect", link, "--exec", "secret-question", "--exec", ":wait secret-answer"])
        #expect(talk.exitCode == 0, "\(talk)")
        try await eventually("the trace of the message") { collector.spans.contains { $0["name"] == "parley.event" && $0.text.contains("\"message\"") } }
        try await eventually("the gauges of the process") { collector.metrics.isSuperset(of: ["parley_profiles", "parley_build_info", "parley_chats"]) }
        bots.send(.terminate)
        #expect(try await bots.exit() == 0)
        await server.stop()
        let log = try String(contentsOfFile: folder("log"), encoding: .utf8)
        #expect(!log.contains("cannot be asked") && !log.contains("not listed"), "the last export asks nothing that is closed")

        let spans = collector.spans
        let event = try #require(spans.first { $0["name"] == "parley.event" && $0["attributes"]?.text.contains("\"message\"") == true })
        let handler = try #require(spans.first { $0["name"] == "parley.handler" && $0["parentSpanId"] == event["spanId"] })
        let effect = try #require(spans.first { $0["name"] == "parley.effect" && $0["parentSpanId"] == handler["spanId"] })
        #expect(effect["traceId"] == event["traceId"] && effect["kind"] == 4 && event["kind"] == 5)
        #expect(collector.metrics.isSuperset(of: ["parley_events_total", "parley_handler_duration_seconds"]))
        let all = collector.received.withLock { $0.map { $0.path + $0.body.text }.joined() }
        #expect(all.contains("test-bots"))
        for text in ["secret-question", "secret-answer", "Ann Example"] { #expect(!all.contains(text), "\(text)") }
    }

    @Test func aVariableThatCannotBeUsedEndsTheStart() async throws {
        let folder = try ScratchFolder("telemetry")
        defer { folder.remove() }
        try folder.write("parley: 1\nprofiles:\n  echo: { rules: [ { when: { text: hi }, then: { send: hello } } ] }\n", to: "bots.yaml")
        let bots = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots")],
            environment: ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], log: folder("log"))
        #expect(try await bots.exit() == 2)
        #expect(try String(contentsOfFile: folder("log"), encoding: .utf8).contains("[telemetry]"))
    }
}
