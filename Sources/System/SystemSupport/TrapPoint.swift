#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A place that processes what somebody sent, and that could have a fault which ends the process.
///
/// Tests give it one: with `PARLEY_TRAP=bot.handle:poison` the process crashes, as by a failed check of Swift, when something that contains
/// the text `poison` comes to that place. Without the variable a place costs the reading of one constant.
package enum TrapPoint: String, CaseIterable, Sendable {
    /// The body of a received message is about to be parsed.
    case chatParse = "chat.parse"
    /// A received message is about to be stored.
    case chatReceive = "chat.receive"
    /// A bot's handler is about to be looked for.
    case botHandle = "bot.handle"

    /// The name of the environment variable.
    package static let variable = "PARLEY_TRAP"

    /// Comes to the place with something.
    @inlinable @inline(__always)
    package func pass(_ bytes: @autoclosure () -> [UInt8]) { if let armed = Self.armed { armed.pass(self, bytes()) } }

    /// Made by the first place that is passed.
    package static let armed: ArmedTrapPoint? = getenv(variable).flatMap { ArmedTrapPoint(String(cString: $0)) }
}

/// The place where this process crashes.
package final class ArmedTrapPoint: Sendable {
    private let point: TrapPoint
    private let text: [UInt8]

    /// nil unless the text is `name:text`.
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
        // Nothing is done behind this.
        while true { _ = pause() }
    }
}
