package import Telemetry

extension MetricsRegistry {
    /// The metrics in the text format of Prometheus, version 0.0.4.
    public var text: String { PrometheusText(snapshot()).text }
}

/// The metrics of a process at one moment: their text in the format of Prometheus, and their values for a collector.
package struct PrometheusText {
    /// The metrics, in the order in which they were added.
    package private(set) var metrics: [TelemetryMetric] = []

    /// The explanations of Parley's own metrics.
    private static let help = [
        "parley_events_total": "Events that bots received.",
        "parley_events_dropped_total": "Events dropped before any handler because too many waited in their chat.",
        "parley_handlers_total": "Runs of handlers by their outcome.",
        "parley_actions_failed_total": "Actions of rules that failed, by the code of the error.",
        "parley_handler_duration_seconds": "The run time of handlers.",
        "parley_effects_total": "Effects of bots, by kind.",
        "parley_effects_failed_total": "Effects of bots that the core refused, by the code of the error.",
        "parley_telemetry_dropped_total": "Spans and values that no collector took.",
    ]

    /// Begins with the metrics of a registry; empty without a registry.
    package init(_ registry: MetricsRegistry?) { self.init(registry?.snapshot() ?? []) }

    init(_ snapshot: [(key: MetricsRegistry.Key, series: MetricsRegistry.Series)]) {
        for (key, series) in snapshot {
            if key.name != metrics.last?.name { metrics.append(TelemetryMetric(key.name, series.kind, Self.help[key.name] ?? "")) }
            metrics[metrics.count - 1].samples.append(.init(key.dimensions, series.value))
        }
    }

    /// Adds a gauge that is computed on request.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]) {
        add(name, .gauge, help, samples)
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: Double) { gauge(name, help, [([], value)]) }

    /// Adds a counter that is kept elsewhere.
    package mutating func counter(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]) {
        add(name, .counter, help, samples)
    }

    private mutating func add(
        _ name: String, _ kind: TelemetryMetric.Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        metrics.append(
            TelemetryMetric(
                name, kind, help, samples: samples.map { .init($0.labels.map { .init($0, $1) }, .number($0.value)) }))
    }

    // MARK: The text format, version 0.0.4

    package var text: String {
        var text = ""
        for metric in metrics {
            if !metric.summary.isEmpty { text += "# HELP \(metric.name) \(metric.summary)\n" }
            text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples { Self.write(metric.name, sample, to: &text) }
        }
        return text
    }

    private static func write(_ name: String, _ sample: TelemetryMetric.Sample, to text: inout String) {
        let labels = labels(sample.labels)
        switch sample.value {
        case .count(let count): text += "\(name)\(labels) \(count)\n"
        case .number(let value): text += "\(name)\(labels) \(number(value))\n"
        case .histogram(let counts, let bounds, let sum):
            var below = 0
            for (index, count) in counts.enumerated() {
                below += count
                let bound = index < bounds.count ? number(bounds[index]) : "+Inf"
                let all = labels.isEmpty ? "{le=\"\(bound)\"}" : labels.dropLast() + ",le=\"\(bound)\"}"
                text += "\(name)_bucket\(all) \(below)\n"
            }
            text += "\(name)_sum\(labels) \(number(sum))\n\(name)_count\(labels) \(below)\n"
        }
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return "\(whole)" }
        return "\(value)"
    }

    /// The labels with braces; empty for none.
    static func labels(_ labels: [TelemetryMetric.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension MetricsRegistry.Series {
    fileprivate var kind: TelemetryMetric.Kind {
        switch self {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram: .histogram
        }
    }

    fileprivate var value: TelemetryMetric.Value {
        switch self {
        case .counter(let counter): .count(counter.value)
        case .gauge(let gauge): .number(gauge.value)
        case .histogram(let series): Self.value(of: series.value)
        }
    }

    private static func value(of histogram: Histogram) -> TelemetryMetric.Value {
        .histogram(counts: histogram.counts, bounds: Histogram.bounds, sum: histogram.sum)
    }
}
