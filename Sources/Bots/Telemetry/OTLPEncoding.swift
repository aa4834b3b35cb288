internal import ChatProtocol
internal import Tracing

/// The JSON encoding of OTLP 1.x: ids in hexadecimal, 64-bit integers as texts, enumerations as numbers.
enum OTLPEncoding {
    /// The process and the library that signals come from.
    struct Source: Sendable {
        let resource: [String: String]
        let scope: String
        let version: String

        fileprivate var resourceJSON: JSONValue {
            ["attributes": .array(resource.sorted { $0.key < $1.key }.map { OTLPEncoding.attribute($0.key, .string($0.value)) })]
        }

        fileprivate var scopeJSON: JSONValue { ["name": .string(scope), "version": .string(version)] }
    }

    /// Encodes an `ExportTraceServiceRequest`.
    static func traces(_ spans: [EndedSpan], from source: Source) -> JSONValue {
        [
            "resourceSpans": [
                [
                    "resource": source.resourceJSON,
                    "scopeSpans": [["scope": source.scopeJSON, "spans": .array(spans.map(span))]],
                ]
            ]
        ]
    }

    private static func span(_ span: EndedSpan) -> JSONValue {
        var object = JSONObjectWriter()
        object["traceId"] = span.id.traceText
        object["spanId"] = span.id.spanText
        object["parentSpanId"] = span.id.parentText
        object["name"] = span.name
        object["kind"] = kind(span.kind)
        object["startTimeUnixNano"] = "\(span.start)"
        object["endTimeUnixNano"] = "\(span.end)"
        var attributes: [(String, JSONValue)] = []
        span.attributes.forEach { name, value in if let value = attributeValue(value) { attributes.append((name, value)) } }
        if let code = span.errorCode { attributes.append(("error.type", ["stringValue": .string(code)])) }
        object["attributes"] = JSONValue.array(attributes.sorted { $0.0 < $1.0 }.map { ["key": .string($0.0), "value": $0.1] })
        // STATUS_CODE_ERROR
        if span.hasFailed { object["status"] = ["code": 2] as JSONValue }
        return object.json
    }

    private static func kind(_ kind: SpanKind) -> Int {
        switch kind {
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        // Also of later versions of the library.
        default: 1
        }
    }

    private static func attributeValue(_ value: SpanAttribute) -> JSONValue? {
        switch value {
        case .string(let text): ["stringValue": .string(text)]
        case .bool(let flag): ["boolValue": .bool(flag)]
        case .int32(let number): ["intValue": .string("\(number)")]
        case .int64(let number): ["intValue": .string("\(number)")]
        case .double(let number): number.isFinite ? ["doubleValue": double(number)] : nil
        case .stringConvertible(let value): ["stringValue": .string("\(value)")]
        default: nil
        }
    }

    private static func attribute(_ name: String, _ value: JSONValue) -> JSONValue { ["key": .string(name), "value": ["stringValue": value]] }

    private static func double(_ number: Double) -> JSONValue { (try? JSONValue(parsing: Array("\(number)".utf8))) ?? 0 }

    /// Encodes an `ExportMetricsServiceRequest`. Values that are not finite are left out.
    ///
    /// - Parameters:
    ///   - start: the start of the process, from which counters count, in nanoseconds since 1970.
    ///   - now: the time of the values.
    static func metrics(_ metrics: [TelemetryMetric], start: UInt64, now: UInt64, from source: Source) -> JSONValue {
        [
            "resourceMetrics": [
                [
                    "resource": source.resourceJSON,
                    "scopeMetrics": [
                        [
                            "scope": source.scopeJSON,
                            "metrics": .array(metrics.filter { !$0.samples.isEmpty }.map { metric($0, start: "\(start)", now: "\(now)") }),
                        ]
                    ],
                ]
            ]
        ]
    }

    private static func metric(_ metric: TelemetryMetric, start: String, now: String) -> JSONValue {
        var object = JSONObjectWriter()
        object["name"] = metric.name
        if !metric.summary.isEmpty { object["description"] = metric.summary }
        object["unit"] = unit(metric.name)
        let points = JSONValue.array(metric.samples.compactMap { point($0, metric.kind, start: start, now: now) })
        // AGGREGATION_TEMPORALITY_CUMULATIVE
        switch metric.kind {
        case .counter: object["sum"] = ["aggregationTemporality": 2, "isMonotonic": true, "dataPoints": points] as JSONValue
        case .gauge: object["gauge"] = ["dataPoints": points] as JSONValue
        case .histogram: object["histogram"] = ["aggregationTemporality": 2, "dataPoints": points] as JSONValue
        }
        return object.json
    }

    /// The unit in the code of UCUM, which the names of Prometheus end with.
    private static func unit(_ name: String) -> String? {
        if name.hasSuffix("_seconds") { return "s" }
        if name.hasSuffix("_bytes") || name.hasSuffix("_bytes_today") { return "By" }
        return nil
    }

    private static func point(_ sample: TelemetryMetric.Sample, _ kind: TelemetryMetric.Kind, start: String, now: String) -> JSONValue? {
        var object = JSONObjectWriter()
        object["attributes"] = JSONValue.array(sample.labels.map { attribute($0.name, .string($0.value)) })
        if kind != .gauge { object["startTimeUnixNano"] = start }
        object["timeUnixNano"] = now
        switch sample.value {
        case .count(let count): object["asInt"] = "\(count)"
        case .number(let number):
            guard number.isFinite else { return nil }
            if let whole = Int64(exactly: number) { object["asInt"] = "\(whole)" } else { object["asDouble"] = double(number) }
        case .histogram(let counts, let bounds, let sum):
            object["count"] = "\(counts.reduce(0, +))"
            if sum.isFinite { object["sum"] = double(sum) }
            object["bucketCounts"] = JSONValue.array(counts.map { .string("\($0)") })
            object["explicitBounds"] = JSONValue.array(bounds.map(double))
        }
        return object.json
    }
}
