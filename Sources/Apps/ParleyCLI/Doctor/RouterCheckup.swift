internal import Hosting

/// The test of one router, as `parley doctor` sees it.
struct RouterCheckup: Sendable, Equatable {
    /// The host, with the port if the address names one.
    var name: String
    var isForFiles: Bool
    var hasPassword: Bool
    /// The names of its hosts that are looked up.
    var names: [String] = []
    /// nil if the test took too long.
    var outcome: RouterProbe.Outcome?

    /// The time of a connection above which there is a warning.
    private static let slow = Duration.seconds(3)

    /// The findings for routers that have an address.
    static func findings(_ routers: [RouterCheckup], unresolved: Set<String>) -> [DoctorFinding] {
        routers.filter { $0.names.isEmpty || !unresolved.isSuperset(of: $0.names) }.map(\.finding)
    }

    var finding: DoctorFinding {
        let kind = isForFiles ? "file router" : "router"
        let firewall = "check its address and port, the firewall, and that it runs"
        switch outcome?.failure {
        case _ where outcome == nil, .timeout:
            return .error("router.timeout", name, "the \(kind) did not answer in time", do: firewall)
        case .unreachable(let reason):
            return .error("router.unreachable", name, "there is no connection to the \(kind): \(reason)", do: firewall)
        case .identity:
            return .error(
                "router.identity", name, "the \(kind) has another certificate than the fingerprint in its address says",
                do: "copy the whole address from its operator. If the address was right, something between here and there answers for the router")
        case .version:
            return .error("router.version", name, "the \(kind) and this program have no common version of the protocol", do: "update the older one")
        case .password:
            return .error(
                "router.password", name, hasPassword ? "the \(kind) refuses the password" : "the \(kind) requires a password, and its address has none",
                do: "use the address with the password: \(isForFiles ? "xftp" : "smp")://FINGERPRINT:PASSWORD@HOST")
        case .refused(let reason):
            return .error("router.refused", name, "the \(kind) refuses \(isForFiles ? "files" : "queues"): \(reason)", do: "ask its operator")
        case nil: return reached(kind)
        }
    }

    private func reached(_ kind: String) -> DoctorFinding {
        let time = outcome?.connecting ?? .zero
        let milliseconds = time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000
        let text = "the \(kind) speaks version \(outcome?.version ?? 0) and was connected after \(milliseconds) ms"
        return time > Self.slow
            ? .warning("router.slow", name, text, do: "check the network, and choose a nearer router") : .ok("router", name, text)
    }
}
