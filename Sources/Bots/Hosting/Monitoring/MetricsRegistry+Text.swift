extension MetricsRegistry {
    /// The metrics in the text format of Prometheus, version 0.0.4.
    public var text: String { PrometheusText(snapshot()).text }
}

/// Metrics in the text format of Prometheus.
package struct PrometheusText {
    package private(set) var text = ""

    /// The explanations of Parley's own metrics.
    private static let help = [
        "parley_events_total": "Events that bots received.",
        "parley_events_dropped_total": "Events dropped before any handler because too many waited in their chat.",
        "parley_handlers_total": "Runs of handlers by their outcome.",
        "parley_actions_failed_total": "Actions of rules that failed, by the code of the error.",
        "parley_handler_duration_seconds": "The run time of handlers.",
        "parley_effects_total": "Effects of bots, by kind.",
        "parley_effects_failed_total": "Effects of bots that the core refused, by the code of the error.",
    ]

    /// Creates the text of a registry's metrics; empty without a registry.
    package init(_ registry: MetricsRegistry?) { self.init(registry?.snapshot() ?? []) }

    init(_ snapshot: [(key: MetricsRegistry.Key, series: MetricsRegistry.Series)]) {
        var last = ""
        for (key, series) in snapshot {
            if key.name != last { head(key.name, series.kind, Self.help[key.name]) }
            last = key.name
            switch series {
            case .counter(let counter): sample(key.name, key.labels, "\(counter.value)")
            case .gauge(let gauge): sample(key.name, key.labels, Self.number(gauge.value))
            case .histogram(let histogram): buckets(key, histogram.value)
            }
        }
    }

    /// Adds a gauge that is computed on request.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]) {
        head(name, "gauge", help)
        for (labels, value) in samples { sample(name, MetricsRegistry.labels(labels), Self.number(value)) }
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: Double) { gauge(name, help, [([], value)]) }

    /// Adds a counter that is kept elsewhere.
    package mutating func counter(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]) {
        head(name, "counter", help)
        for (labels, value) in samples { sample(name, MetricsRegistry.labels(labels), Self.number(value)) }
    }

    private mutating func head(_ name: String, _ kind: String, _ help: String?) {
        if let help { text += "# HELP \(name) \(help)\n" }
        text += "# TYPE \(name) \(kind)\n"
    }

    private mutating func sample(_ name: String, _ labels: String, _ value: String) { text += "\(name)\(labels) \(value)\n" }

    private mutating func buckets(_ key: MetricsRegistry.Key, _ histogram: Histogram) {
        var below = 0
        for (index, count) in histogram.counts.enumerated() {
            below += count
            let bound = index < Histogram.bounds.count ? Self.number(Histogram.bounds[index]) : "+Inf"
            let labels = key.labels.isEmpty ? "{le=\"\(bound)\"}" : key.labels.dropLast() + ",le=\"\(bound)\"}"
            sample(key.name + "_bucket", labels, "\(below)")
        }
        sample(key.name + "_sum", key.labels, Self.number(histogram.sum))
        sample(key.name + "_count", key.labels, "\(histogram.count)")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return "\(whole)" }
        return "\(value)"
    }
}

extension MetricsRegistry.Series {
    fileprivate var kind: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
