internal import RouterSupport

extension Durability {
    /// `always`, or the time between two flushes: `1s`, `200ms`.
    init?(argument: String) {
        if argument == "always" {
            self = .always
            return
        }
        let number = argument.prefix { $0.isNumber }
        guard let value = Int(number) else { return nil }
        let milliseconds: Int
        switch argument.dropFirst(number.count) {
        case "ms": milliseconds = value
        case "s": milliseconds = value.multipliedReportingOverflow(by: 1_000).partialValue
        default: return nil
        }
        guard Self.milliseconds.contains(milliseconds), value <= 60_000 else { return nil }
        self = .interval(.milliseconds(milliseconds))
    }

    /// Reads the option `--fsync`.
    init(option text: String) throws {
        guard let policy = Durability(argument: text) else { throw Outcome.BadInput(description: "--fsync: " + Durability.help(for: text)) }
        self = policy
    }

    static func help(for text: String) -> String { "\"\(text)\" is not a policy: always, or a time from 10ms to 60s such as 1s or 200ms" }

    /// As ``init(argument:)`` takes it.
    var argument: String {
        switch self {
        case .always: return "always"
        case .interval(let time):
            let milliseconds = Int(time.components.seconds) * 1_000 + Int(time.components.attoseconds / 1_000_000_000_000_000)
            return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
        }
    }
}

/// A number of bytes as people write it: `500mb`, `20gb`.
struct ByteCount {
    let bytes: Int64

    private static let units: [(name: String, factor: Int64)] = [("kb", 1 << 10), ("mb", 1 << 20), ("gb", 1 << 30), ("tb", 1 << 40)]

    init?(argument: String) {
        let text = argument.lowercased()
        guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }), let number = Int64(text.dropLast(2)), number > 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        guard !overflow else { return nil }
        self.bytes = bytes
    }

    static func help(for text: String) -> String { "\"\(text)\" is not a size: write 500mb, 20gb or 2tb" }

    /// As ``init(argument:)`` takes it.
    static func text(_ bytes: Int64) -> String {
        let unit = units.last { bytes % $0.factor == 0 && bytes >= $0.factor } ?? units[0]
        return "\(bytes / unit.factor)\(unit.name)"
    }
}
