/// The opening hours of a desk, in the time zone of its clock.
struct OpeningHours: Sendable, Hashable {
    /// Days of the week, 1 for Monday to 7 for Sunday.
    var days: ClosedRange<Int> = 1...5
    /// Minutes after midnight, the last excluded.
    var minutes: Range<Int> = 540..<1020

    /// Reads `1-5 09:00-17:00`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let days = Self.pair(parts[0], Self.day), let times = Self.pair(parts[1], Self.minute), days.0 <= days.1, times.0 < times.1
        else { return nil }
        self.days = days.0...days.1
        minutes = times.0..<times.1
    }

    func isOpen(day: Int, minute: Int) -> Bool { days.contains(day) && minutes.contains(minute) }

    /// The hours as customers read them.
    var text: String {
        let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        return "\(names[days.lowerBound - 1]) to \(names[days.upperBound - 1]), \(Self.clock(minutes.lowerBound)) to \(Self.clock(minutes.upperBound))"
    }

    private static func pair(_ text: Substring, _ read: (Substring) -> Int?) -> (Int, Int)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = read(parts[0]), let last = read(parts[1]) else { return nil }
        return (first, last)
    }

    private static func day(_ text: Substring) -> Int? { Int(text).flatMap { (1...7).contains($0) ? $0 : nil } }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]), (0...24).contains(hour), (0...59).contains(minute) else { return nil }
        let total = hour * 60 + minute
        return total <= 1440 ? total : nil
    }

    private static func clock(_ minutes: Int) -> String {
        let minute = minutes % 60
        return "\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)"
    }
}

/// The answers of a desk. A value without I/O.
struct DeskPolicy: Sendable {
    var hours: OpeningHours

    /// The first answer to a customer.
    ///
    /// - Parameter colleagues: how many were invited to the chat.
    func greeting(of customer: String, day: Int, minute: Int, colleagues: Int) -> String {
        guard hours.isOpen(day: day, minute: minute) else {
            return "Hello \(customer)! We are closed now. We are here \(hours.text). Write down what it is about: we read it first thing."
        }
        return colleagues == 0
            ? "Hello \(customer)! Nobody is at the desk yet. Write down what it is about."
            : "Hello \(customer)! A colleague will be with you soon. What is it about?"
    }
}
