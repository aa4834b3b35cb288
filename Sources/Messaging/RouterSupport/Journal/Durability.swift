/// The durability that a router promises for accepted data.
package enum Durability: Sendable, Hashable, CustomStringConvertible {
    /// `OK` is answered when what was accepted survives a loss of power (fdatasync, many commands sharing one).
    case always
    /// `OK` is answered when what was accepted survives the end of the process: it is written to the kernel, and put on disk every so
    /// often. A loss of power loses what was accepted in this time at most.
    case interval(Duration)

    package static let everySecond = Durability.interval(.seconds(1))

    /// The shortest and the longest time between two flushes, in milliseconds.
    package static let milliseconds = 10...60_000

    package var description: String {
        switch self {
        case .always: "always"
        case .interval(let time): "every \(time)"
        }
    }
}
