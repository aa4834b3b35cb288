#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A place that processes received data, in which a fault could end the process.
///
/// Tests add such a fault: with `PARLEY_TRAP=bot.handle:poison`, the process crashes, as with a failed check of Swift, when data with the
/// text `poison` reaches that place. Without the variable, a place costs the reading of one constant.
package enum TrapPoint: String, CaseIterable, Sendable {
    /// The body of a received message is about to be parsed.
    case chatParse = "chat.parse"
    /// A received message is about to be stored.
    case chatReceive = "chat.receive"
    /// A bot is about to look for a handler.
    case botHandle = "bot.handle"

    /// The name of the environment variable.
    package static let variable = "PARLEY_TRAP"

    /// Passes the place with data, which crashes the process if the place is armed and the data has the text.
    @inlinable @inline(__always)
    package func pass(_ bytes: @autoclosure () -> [UInt8]) { if let armed = Self.armed { armed.pass(self, bytes()) } }

    /// The armed place, read from the environment when the first place is passed.
    package static let armed: ArmedTrapPoint? = getenv(variable).flatMap { ArmedTrapPoint(String(cString: $0)) }
}

/// The place where this process crashes.
package final class ArmedTrapPoint: Sendable {
    private let point: TrapPoint
    private let text: [UInt8]

    /// Reads `name:text`; nil for other texts.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let point = TrapPoint(rawValue: String(parts[0])) else { return nil }
        self.point = point
        self.text = Array(parts[1].utf8)
    }

    package func pass(_ point: TrapPoint, _ bytes: [UInt8]) {
        guard point == self.point, bytes.count >= text.count else { return }
        let isThere = (0...bytes.count - text.count).contains { bytes[$0..<$0 + text.count].elementsEqual(text) }
        guard isThere else { return }
        // The signal of a failed check.
        raise(SIGILL)
        // No code runs after this.
        while true { _ = pause() }
    }
}
