/// The durability that a router promises for accepted data.
package enum Durability: Sendable, Hashable, CustomStringConvertible {
    /// The router answers `OK` when the accepted data survives a loss of power (fdatasync, shared by many commands).
    case always
    /// The router answers `OK` when the accepted data survives the end of the process: the data is written to the kernel, and flushed to the
    /// disk at this interval. A loss of power loses at most the data accepted in one interval.
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
