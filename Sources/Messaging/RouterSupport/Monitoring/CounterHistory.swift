/// The daily counts of a router, and their sum since its creation.
///
/// Its text is readable for people, too: a line for the total and one for each day, `20778 queues_created=3 …`, in days since 1970.
struct CounterHistory<Counters: CounterSet>: Sendable, Equatable {
    /// Days that are remembered.
    static var length: Int { 30 }
    private static var title: String { "parley-router-statistics 1" }

    /// Seconds since 1970.
    private(set) var since: Int64
    private(set) var total = Counters()
    private var days: [UInt16: Counters] = [:]

    init(since: Int64) { self.since = since }

    /// Adds the counts since the last call.
    mutating func add(_ counted: Counters, on day: UInt16) {
        total = total + counted
        days[day] = (days[day] ?? Counters()) + counted
        if days.count > Self.length { days = days.filter { Int($0.key) > Int(day) - Self.length } }
    }

    /// Adds up the counts of the last days.
    func sum(of count: Int, until day: UInt16) -> Counters {
        days.reduce(Counters()) { sum, one in Int(one.key) > Int(day) - count && one.key <= day ? sum + one.value : sum }
    }

    var text: String {
        let lines = days.sorted { $0.key < $1.key }.map { "\($0.key)\(Self.text($0.value))" }
        return ([Self.title, "since \(since)", "total\(Self.text(total))"] + lines).joined(separator: "\n") + "\n"
    }

    private static func text(_ counters: Counters) -> String {
        counters.named.filter { $0.value > 0 }.map { " \($0.name)=\($0.value)" }.joined()
    }

    /// Reads ``text``; nil if it is not valid. Unknown names are left out: a later version may have written them.
    init?(_ text: String) {
        let lines = text.split(separator: "\n")
        guard lines.count >= 3, lines[0] == Self.title, lines[1].hasPrefix("since "), let since = Int64(lines[1].dropFirst(6)) else {
            return nil
        }
        self.init(since: since)
        for line in lines.dropFirst(2) {
            var words = line.split(separator: " ")
            guard !words.isEmpty else { continue }
            let name = words.removeFirst()
            var counters = Counters()
            for word in words {
                let parts = word.split(separator: "=")
                guard parts.count == 2, let value = UInt64(parts[1]) else { return nil }
                if let field = Counters.fields.first(where: { $0.name == parts[0] }) { counters[keyPath: field.path] = value }
            }
            if name == "total" {
                total = counters
            } else if let day = UInt16(name) {
                days[day] = counters
            } else {
                return nil
            }
        }
    }
}
