internal import Parley

/// Reads `metrics:`, where metrics and health are served.
enum MonitoringSpec {
    static let ports = 1...65_535

    static func read(_ node: NodeReader) -> MonitoringAddress? {
        guard let mapping = node.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.metrics)
        guard let port = mapping.required("port")?.integer(in: ports) else { return nil }
        return MonitoringAddress(host: mapping.value("address")?.listenAddress() ?? "127.0.0.1", port: UInt16(port))
    }
}
