import Foundation

/// One measured figure.
struct Figure: Sendable {
    /// What was measured, the same for every make.
    let name: String
    let value: Double
    let unit: Unit

    enum Unit: String, Sendable {
        case milliseconds = "ms", microseconds = "µs", perSecond = "/s", megabytes = "MB", kilobytes = "kB", mebibytesPerSecond = "MiB/s", count = ""
    }

    init(_ name: String, _ value: Double, _ unit: Unit) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    var text: String {
        let digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
        if unit == .count { return String(format: "%.0f", value) }
        return String(format: "%.\(digits)f %@", value, unit.rawValue)
    }
}

/// Figures of all makes, as a table in Markdown.
struct Report {
    private let makes: [String]
    private var names: [String] = []
    private var figures: [String: [String: Figure]] = [:]

    init(makes: [String]) { self.makes = makes }

    mutating func add(_ added: [Figure], of make: String) {
        for figure in added {
            if figures[figure.name] == nil { names.append(figure.name) }
            figures[figure.name, default: [:]][make] = figure
        }
    }

    var table: String {
        let head = ["| Figure | \(makes.joined(separator: " | ")) |", "|---|\(makes.map { _ in "---|" }.joined())"]
        let rows = names.map { name in
            "| \(name) | \(makes.map { figures[name]?[$0]?.text ?? "–" }.joined(separator: " | ")) |"
        }
        return (head + rows).joined(separator: "\n")
    }
}

/// Durations of one thing done many times.
struct Samples: Sendable {
    private var sorted: [Duration]

    init(_ durations: [Duration]) { sorted = durations.sorted() }

    /// The value that a share of the samples does not exceed.
    func percentile(_ share: Double) -> Duration {
        sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))]
    }

    var median: Duration { percentile(0.5) }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
    var milliseconds: Double { self / .milliseconds(1) }
}
