import ChatProtocol
import Testing
import Tracing

@testable import Telemetry

/// The JSON that collectors read.
@Suite struct OTLPEncodingTests {
    private static let source = OTLPEncoding.Source(resource: ["service.name": "bots"], scope: "parley", version: "1")

    @Test func aSpanHasHexadecimalIdsAndTimesAsTexts() {
        var attributes = SpanAttributes()
        attributes.set("parley.kind", value: .string("message"))
        attributes.set("n", value: .int64(7))
        let id = TelemetrySpanID(traceHigh: 1, traceLow: .max, span: 0xAB, parent: 0xCD, isSampled: true)
        let span = EndedSpan(
            id: id, name: "parley.event", kind: .consumer, start: 1_800_000_000_000_000_001, end: 1_800_000_000_000_000_002, attributes: attributes,
            hasFailed: true, errorCode: "errorStore.dBException")
        #expect(
            OTLPEncoding.traces([span], from: Self.source).text
                == #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"bots"}}]},"scopeSpans":[{"scope":{"name":"parley","version":"1"},"spans":[{"traceId":"0000000000000001ffffffffffffffff","spanId":"00000000000000ab","parentSpanId":"00000000000000cd","name":"parley.event","kind":5,"startTimeUnixNano":"1800000000000000001","endTimeUnixNano":"1800000000000000002","attributes":[{"key":"error.type","value":{"stringValue":"errorStore.dBException"}},{"key":"n","value":{"intValue":"7"}},{"key":"parley.kind","value":{"stringValue":"message"}}],"status":{"code":2}}]}]}]}"#
        )
    }

    @Test func theFirstSpanHasNoParentAndOneWithoutErrorNoStatus() {
        let id = TelemetrySpanID(traceHigh: 1, traceLow: 2, span: 3, parent: nil, isSampled: true)
        let text = OTLPEncoding.traces(
            [EndedSpan(id: id, name: "a", kind: .internal, start: 1, end: 2, attributes: [:], hasFailed: false, errorCode: nil)], from: Self.source
        ).text
        #expect(!text.contains("parentSpanId") && !text.contains("status") && text.contains(#""kind":1"#))
    }

    @Test func metricsHaveTheNamesOfPrometheusAndCumulativeValues() {
        let metrics = [
            TelemetryMetric("a_total", .counter, "Things.", samples: [.init([.init("bot", "x")], .count(5))]),
            TelemetryMetric("b", .gauge, samples: [.init([], .number(1.5)), .init([], .number(.nan)), .init([], .number(2))]),
            TelemetryMetric("c_seconds", .histogram, samples: [.init([], .histogram(counts: [1, 0, 2], bounds: [0.5, 1], sum: 70.25))]),
        ]
        #expect(
            OTLPEncoding.metrics(metrics, start: 1, now: 2, from: Self.source).text
                == #"{"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"bots"}}]},"scopeMetrics":[{"scope":{"name":"parley","version":"1"},"metrics":[{"name":"a_total","description":"Things.","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"attributes":[{"key":"bot","value":{"stringValue":"x"}}],"startTimeUnixNano":"1","timeUnixNano":"2","asInt":"5"}]}},{"name":"b","gauge":{"dataPoints":[{"attributes":[],"timeUnixNano":"2","asDouble":1.5},{"attributes":[],"timeUnixNano":"2","asInt":"2"}]}},{"name":"c_seconds","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[{"attributes":[],"startTimeUnixNano":"1","timeUnixNano":"2","count":"3","sum":70.25,"bucketCounts":["1","0","2"],"explicitBounds":[0.5,1.0]}]}}]}]}]}"#
        )
    }
}
