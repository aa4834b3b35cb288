/// A metric with all its series at one moment.
package struct TelemetryMetric: Sendable, Hashable {
    /// The value of a series.
    package enum Value: Sendable, Hashable {
        /// A whole number.
        case count(Int64)
        case number(Double)
        /// The number of values in each bucket, whose upper bounds are `bounds`; one more for the values above all bounds.
        case histogram(counts: [Int], bounds: [Double], sum: Double)
    }

    /// The kind, which decides how a collector adds values up.
    package enum Kind: String, Sendable, Hashable {
        /// A value that only grows from the start of the process.
        case counter
        case gauge
        case histogram
    }

    /// A name and its value.
    package struct Label: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// One series.
    package struct Sample: Sendable, Hashable {
        package let labels: [Label]
        package let value: Value

        package init(_ labels: [Label], _ value: Value) { (self.labels, self.value) = (labels, value) }
    }

    package let name: String
    /// The explanation; empty for none.
    package let summary: String
    package let kind: Kind
    package var samples: [Sample]

    package init(_ name: String, _ kind: Kind, _ summary: String = "", samples: [Sample] = []) {
        (self.name, self.kind, self.summary, self.samples) = (name, kind, summary, samples)
    }
}
