/// The figures of a router in the text format of Prometheus. Names are stable, and the few labels are of fixed sets.
package struct MetricsText: Sendable {
    private let prefix: String
    package private(set) var text = ""

    /// - Parameter prefix: The beginning of all names.
    package init(prefix: String) { self.prefix = prefix }

    /// Adds a figure with several samples.
    package mutating func add(_ name: String, _ kind: String, _ help: String, _ samples: [(label: String, value: Int64)]) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind)\n"
        for sample in samples { text += "\(prefix)\(name)\(sample.label) \(sample.value)\n" }
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) { add(name, "gauge", help, [("", Int64(clamping: value))]) }

    /// Adds all counters of a router.
    package mutating func add<Counters: CounterSet>(_ counters: Counters) {
        for field in Counters.fields { add(field.name + "_total", "counter", field.help, [("", Int64(clamping: counters[keyPath: field.path]))]) }
    }

    /// Adds the figures that routers of all kinds have.
    package mutating func addHealth(certificateLifetime: Int?, uptime: Int64) {
        if let certificateLifetime { gauge("certificate_lifetime_seconds", "Time until the certificate expires.", certificateLifetime) }
        gauge("uptime_seconds", "Time since the process was started.", uptime)
    }
}
