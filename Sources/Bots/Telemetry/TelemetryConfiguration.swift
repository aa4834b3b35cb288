internal import Foundation

/// The settings of the export of traces and metrics to a collector of OpenTelemetry, over OTLP/HTTP in JSON.
package struct TelemetryConfiguration: Sendable, Hashable {
    /// The receiver of one signal.
    package struct Target: Sendable, Hashable {
        /// The complete address, such as `http://localhost:4318/v1/traces`.
        package var url: String
        /// Header fields of each request. They may hold secrets.
        package var headers: [String: String]
        /// The longest time of a request.
        package var timeout: Duration
    }

    /// The receiver of traces; nil to record none.
    package var traces: Target?
    /// The receiver of metrics; nil to send none.
    package var metrics: Target?
    /// The attributes of the process.
    package var resource: [String: String]
    /// The time between two exports of metrics.
    package var metricInterval: Duration = .seconds(60)
    /// The share of traces that are recorded, 0 to 1.
    package var sampledShare = 1.0
    /// The longest time for which an ended span waits before its export.
    package var spanDelay: Duration = .seconds(5)
    /// The maximum number of ended spans that wait. Further spans are dropped.
    package var spanLimit = 2_048
    /// The maximum number of spans in a request.
    package var batchLimit = 512

    /// An error in the value of a variable.
    package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        package let variable: String
        package let reason: String

        package var description: String { "\(variable) \(reason)" }
    }

    /// Reads the variables of OpenTelemetry.
    ///
    /// - Parameter version: the version of the program, an attribute of the process.
    /// - Returns: nil if no endpoint is named, or `OTEL_SDK_DISABLED` is true.
    /// - Throws: ``Fault`` for a value that cannot be used. Its text has no value of a header field.
    package init?(environment: [String: String], version: String) throws(Fault) {
        let variables = TelemetryVariables(environment)
        if try variables.flag("OTEL_SDK_DISABLED") { return nil }
        let traces = try variables.target("TRACES", path: "v1/traces"), metrics = try variables.target("METRICS", path: "v1/metrics")
        guard traces != nil || metrics != nil else { return nil }
        (self.traces, self.metrics) = (traces, metrics)
        var resource = try variables.pairs("OTEL_RESOURCE_ATTRIBUTES")
        if let name = variables["OTEL_SERVICE_NAME"] { resource["service.name"] = name }
        resource["service.name"] = resource["service.name"] ?? "parley"
        resource["service.version"] = resource["service.version"] ?? version
        resource["telemetry.sdk.name"] = "parley"
        resource["telemetry.sdk.language"] = "swift"
        resource["telemetry.sdk.version"] = version
        self.resource = resource
        if let interval = try variables.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", in: 1_000...86_400_000) { metricInterval = interval }
        if let delay = try variables.milliseconds("OTEL_BSP_SCHEDULE_DELAY", in: 100...3_600_000) { spanDelay = delay }
        if let limit = try variables.integer("OTEL_BSP_MAX_QUEUE_SIZE", in: 1...1_000_000) { spanLimit = limit }
        if let limit = try variables.integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", in: 1...10_000) { batchLimit = limit }
        batchLimit = min(batchLimit, spanLimit)
        sampledShare = try variables.sampledShare()
        if sampledShare == 0 { self.traces = nil }
        guard self.traces != nil || self.metrics != nil else { return nil }
    }

    /// Creates a configuration, as a test may.
    init(traces: String?, metrics: String?, resource: [String: String] = ["service.name": "parley"]) {
        self.traces = traces.map { Target(url: $0, headers: [:], timeout: .seconds(60)) }
        self.metrics = metrics.map { Target(url: $0, headers: [:], timeout: .seconds(60)) }
        self.resource = resource
    }
}

/// The variables of the environment, by the names and rules of OpenTelemetry. An empty value is the same as none.
private struct TelemetryVariables {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    subscript(_ name: String) -> String? {
        environment[name].map { $0.trimmingCharacters(in: .whitespaces) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value for one signal, or else the one for all.
    private func value(_ signal: String, _ name: String) -> (variable: String, text: String)? {
        for variable in ["OTEL_EXPORTER_OTLP_\(signal)_\(name)", "OTEL_EXPORTER_OTLP_\(name)"] {
            if let text = self[variable] { return (variable, text) }
        }
        return nil
    }

    func flag(_ name: String) throws(TelemetryConfiguration.Fault) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false": return false
        case "true": return true
        default: throw TelemetryConfiguration.Fault(variable: name, reason: "is neither true nor false")
        }
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(TelemetryConfiguration.Fault) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw TelemetryConfiguration.Fault(variable: name, reason: "is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func milliseconds(_ name: String, in range: ClosedRange<Int>) throws(TelemetryConfiguration.Fault) -> Duration? {
        try integer(name, in: range).map { .milliseconds($0) }
    }

    /// Reads `key=value,key=value`, in which values are percent-encoded.
    func pairs(_ name: String) throws(TelemetryConfiguration.Fault) -> [String: String] {
        var pairs: [String: String] = [:]
        for part in (self[name] ?? "").split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = sides[0].trimmingCharacters(in: .whitespaces)
            guard sides.count == 2, !key.isEmpty, let value = sides[1].trimmingCharacters(in: .whitespaces).removingPercentEncoding else {
                throw TelemetryConfiguration.Fault(variable: name, reason: "is not a list as key=value,key=value")
            }
            pairs[key] = value
        }
        return pairs
    }

    func target(_ signal: String, path: String) throws(TelemetryConfiguration.Fault) -> TelemetryConfiguration.Target? {
        let exporter = "OTEL_\(signal)_EXPORTER"
        switch self[exporter] {
        case nil, "otlp": break
        case "none": return nil
        default: throw TelemetryConfiguration.Fault(variable: exporter, reason: "is neither otlp nor none")
        }
        guard let endpoint = value(signal, "ENDPOINT") else { return nil }
        guard let parts = URLComponents(string: endpoint.text), ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false else {
            throw TelemetryConfiguration.Fault(variable: endpoint.variable, reason: "is not an address that begins with http:// or https://")
        }
        if let format = value(signal, "PROTOCOL"), format.text != "http/json" {
            throw TelemetryConfiguration.Fault(
                variable: format.variable, reason: "is not http/json: collectors accept JSON at the same address as http/protobuf, by default on port 4318")
        }
        // The address for one signal is used as it is.
        let isComplete = endpoint.variable.contains(signal)
        let url = isComplete ? endpoint.text : endpoint.text + (endpoint.text.hasSuffix("/") ? "" : "/") + path
        var headers = try pairs("OTEL_EXPORTER_OTLP_HEADERS")
        headers.merge(try pairs("OTEL_EXPORTER_OTLP_\(signal)_HEADERS")) { $1 }
        var timeout = Duration.seconds(10)
        for variable in ["OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_\(signal)_TIMEOUT"] {
            if let named = try milliseconds(variable, in: 100...600_000) { timeout = named }
        }
        return TelemetryConfiguration.Target(url: url, headers: headers, timeout: timeout)
    }

    func sampledShare() throws(TelemetryConfiguration.Fault) -> Double {
        let name = "OTEL_TRACES_SAMPLER"
        switch self[name] {
        case nil, "always_on", "parentbased_always_on": return 1
        case "always_off", "parentbased_always_off": return 0
        case "traceidratio", "parentbased_traceidratio":
            guard let text = self[name + "_ARG"] else { return 1 }
            guard let share = Double(text), (0...1).contains(share) else {
                throw TelemetryConfiguration.Fault(variable: name + "_ARG", reason: "is not a number from 0 to 1")
            }
            return share
        default:
            throw TelemetryConfiguration.Fault(
                variable: name, reason: "is not one of always_on, always_off, traceidratio, with or without parentbased_ before it")
        }
    }
}
