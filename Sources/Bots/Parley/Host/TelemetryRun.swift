internal import Telemetry

/// The export of metrics and traces while a process runs bots.
struct TelemetryRun: Sendable {
    /// The longest time of the last export.
    private static let lastExport = Duration.seconds(5)

    private let exporter: TelemetryExporter?
    private let metrics: @Sendable () async -> [TelemetryMetric]
    private let task: Task<Void, Never>?

    /// Begins the export.
    ///
    /// - Parameter exporter: nil to export nothing.
    init(_ exporter: TelemetryExporter?, metrics: @escaping @Sendable () async -> [TelemetryMetric]) {
        self.exporter = exporter
        self.metrics = metrics
        task = exporter.map { exporter in Task { await exporter.run(metrics: metrics) } }
    }

    /// Ends the export, after a last one within a bound.
    func stop() async {
        task?.cancel()
        await task?.value
        await exporter?.finish(within: Self.lastExport, metrics: metrics)
    }
}
