#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit of files and connections that this process may have open.
package enum OpenFiles {
    /// The stable code of messages about the limit.
    package static let code = "openFiles"
    /// The largest limit that is requested.
    private static let highest: rlim_t = 1 << 20

    /// The limit in force.
    package static var limit: Int { current().map { Int(clamping: $0.rlim_cur) } ?? .max }

    /// Files that a process needs besides connections: event loops, which have four for each core, databases, journals, the control socket.
    package static var needed: Int { 48 + 4 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Raises the limit as far as this process may without privileges: a shell sets 1,024, and the system permits many more. May be called again.
    ///
    /// - Returns: the limit after that.
    @discardableResult
    package static func raiseLimit() -> Int {
        guard var limits = current() else { return .max }
        let wanted = min(limits.rlim_max, highest)
        if wanted > limits.rlim_cur {
            limits.rlim_cur = wanted
            _ = set(limits)
        }
        return limit
    }

    /// Returns the reason why the limit is too low for any work; nil if it is sufficient.
    package static func shortage(limit: Int = limit, needed: Int = needed) -> String? {
        guard limit < needed else { return nil }
        return
            "the process may have \(limit) files and connections open, and needs \(needed) at least: raise the limit (LimitNOFILE= of a unit, or ulimit -n)"
    }

    /// Lowers the numbers of connections and of other users of open files in the same proportion, so that both fit.
    package static func fit(
        connections: Int, besides others: Int, limit: Int = limit, needed: Int = needed
    ) -> (connections: Int, others: Int) {
        let room = max(2, limit - needed)
        let (sum, overflow) = connections.addingReportingOverflow(others)
        guard overflow || sum > room else { return (connections, others) }
        let share = Double(connections) / (Double(connections) + Double(others))
        let fitting = min(max(1, Int(Double(room) * share)), room - (others > 0 ? 1 : 0))
        return (min(connections, fitting), min(others, max(0, room - fitting)))
    }

    private static func current() -> rlimit? {
        var limits = rlimit()
        #if canImport(Glibc)
            return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 ? limits : nil
        #else
            return getrlimit(RLIMIT_NOFILE, &limits) == 0 ? limits : nil
        #endif
    }

    private static func set(_ limits: rlimit) -> Bool {
        var limits = limits
        #if canImport(Glibc)
            return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0
        #else
            return setrlimit(RLIMIT_NOFILE, &limits) == 0
        #endif
    }
}
