public import CoreMetrics
internal import Foundation
internal import Synchronization
internal import Telemetry

/// A backend of swift-metrics that keeps its metrics in memory, for the `/metrics` endpoint of bots.
///
/// Bots record into the registry of ``HostConfiguration/metrics``. A program that makes it the backend of the process, with
/// `MetricsSystem.bootstrap(registry)`, has its own metrics at the same endpoint. Names follow the rules of Prometheus: other characters become
/// underscores, and counters end in `_total`. Timers become histograms of seconds.
public final class MetricsRegistry: MetricsFactory {
    /// The maximum number of time series. Further metrics are not recorded.
    public static let limit = 100_000

    struct Key: Hashable {
        let name: String
        let dimensions: [TelemetryMetric.Label]

        /// The labels in their text format, with braces; empty for none.
        var labels: String { PrometheusText.labels(dimensions) }
    }

    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    private let series = Mutex<[Key: Series]>([:])

    /// Creates an empty registry.
    public init() {}

    /// Returns the present metrics, sorted by name.
    func snapshot() -> [(key: Key, series: Series)] {
        series.withLock { $0.map { (key: $0.key, labels: $0.key.labels, series: $0.value) } }
            .sorted { ($0.key.name, $0.labels) < ($1.key.name, $1.labels) }.map { (key: $0.key, series: $0.series) }
    }

    /// Finds the series of a key; `make` creates a missing one.
    private func find<Found>(_ key: Key, _ take: (Series) -> Found?, orMake make: () -> (Series, Found)) -> Found? {
        series.withLock { series in
            if let known = series[key] { return take(known) }
            guard series.count < Self.limit else { return nil }
            let (made, found) = make()
            series[key] = made
            return found
        }
    }

    // MARK: MetricsFactory

    /// Makes a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let name = Self.name(label), total = name.hasSuffix("_total") ? name : name + "_total"
        let found = find(
            Key(name: total, dimensions: Self.labels(dimensions)), { if case .counter(let counter) = $0 { counter } else { nil } },
            orMake: {
                let counter = CounterSeries()
                return (.counter(counter), counter)
            })
        return found ?? CounterSeries()
    }

    /// Makes a timer: a histogram of seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { histogram(label, dimensions) }

    /// Makes a recorder: a histogram if it aggregates, and a gauge otherwise.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions) : gauge(label, dimensions)
    }

    /// Makes a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { gauge(label, dimensions) }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramSeries {
        let found = find(
            Key(name: Self.name(label), dimensions: Self.labels(dimensions)), { if case .histogram(let histogram) = $0 { histogram } else { nil } },
            orMake: {
                let histogram = HistogramSeries()
                return (.histogram(histogram), histogram)
            })
        return found ?? HistogramSeries()
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
        let found = find(
            Key(name: Self.name(label), dimensions: Self.labels(dimensions)), { if case .gauge(let gauge) = $0 { gauge } else { nil } },
            orMake: {
                let gauge = GaugeSeries()
                return (.gauge(gauge), gauge)
            })
        return found ?? GaugeSeries()
    }

    /// Removes a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    /// Removes a timer.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
    /// Removes a recorder.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    /// Removes a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    private func remove(_ handler: AnyObject) {
        series.withLock { series in
            series = series.filter { _, series in
                switch series {
                case .counter(let known): known !== handler
                case .gauge(let known): known !== handler
                case .histogram(let known): known !== handler
                }
            }
        }
    }

    // MARK: Names

    private static func name(_ label: String) -> String {
        var name = String(
            String.UnicodeScalarView(label.unicodeScalars.map { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) ? $0 : "_" }))
        if name.first.map({ ("0"..."9").contains($0) }) ?? true { name = "_" + name }
        return name
    }

    private static func labels(_ dimensions: [(String, String)]) -> [TelemetryMetric.Label] { dimensions.map { .init(name($0), $1) } }
}
