package import Logging
package import SystemSupport

extension OpenFiles {
    /// The number of connections that is enough for a router without an operator: below it, a lowered number is logged as a warning.
    private static let enough = 1_000

    /// Lowers the numbers of connections and of other open files to what the system permits, and logs a warning. Otherwise the journal could not open
    /// its files when all clients are connected.
    ///
    /// - Parameter isOperated: whether the router has an operator, who has chosen the numbers.
    package static func fit(connections: Int, besides others: Int, isOperated: Bool, _ logger: Logger) -> (connections: Int, others: Int) {
        let fitting = fit(connections: connections, besides: others)
        if fitting.connections < connections, isOperated || fitting.connections < enough {
            logger.warning(
                "the router takes \(fitting.connections) connections and not \(connections), because the process may have \(limit) files and connections open: raise that limit (LimitNOFILE= of a unit, or ulimit -n)",
                metadata: ["code": "\(code)"])
        }
        return fitting
    }
}
