package import Logging
package import SystemSupport

extension OpenFiles {
    /// Connections of a router above which nothing is said of a bots' own router that may have fewer than by default.
    private static let enough = 1_000

    /// Lowers numbers of connections, and of what has open files beside them, to what the system permits, and warns of it. The journal would otherwise
    /// find no room for its files when all clients are there.
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
