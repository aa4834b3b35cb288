internal import ChatProtocol

/// The decision after an attempt to export.
enum ExportDecision: Equatable {
    /// The collector has the data, except for a number of rejected spans or points.
    case done(rejected: Int)
    /// The data is sent again, after this time if the collector names one.
    case retry(after: Duration?)
    /// The collector does not take the data, now and later.
    case drop(String)

    /// The result of one attempt.
    enum Attempt: Equatable {
        case answered(status: Int, retryAfter: String?, body: [UInt8])
        case failed(String, isTemporary: Bool)
    }

    /// The longest time that a collector can ask for.
    static let longestPause = Duration.seconds(300)

    init(_ attempt: Attempt) {
        switch attempt {
        case .failed(let reason, let isTemporary): self = isTemporary ? .retry(after: nil) : .drop(reason)
        case .answered(200..<300, _, let body): self = .done(rejected: Self.rejected(body))
        // These four are the statuses that the specification of OTLP/HTTP allows to try again.
        case .answered(429, let pause, _), .answered(502, let pause, _), .answered(503, let pause, _), .answered(504, let pause, _):
            let seconds = pause.flatMap { Int64($0) }.map { Duration.seconds(max(0, $0)) }
            self = .retry(after: seconds.map { min($0, Self.longestPause) })
        case .answered(let status, _, _): self = .drop("status \(status)")
        }
    }

    /// The number of spans or points that a partial success rejects.
    private static func rejected(_ body: [UInt8]) -> Int {
        guard let partial = (try? JSONValue(parsing: body))?["partialSuccess"] else { return 0 }
        for name in ["rejectedSpans", "rejectedDataPoints"] {
            if let text = partial[name]?.stringValue, let number = Int(text) { return max(0, number) }
            if let number = partial[name]?.intValue { return max(0, Int(number)) }
        }
        return 0
    }
}
