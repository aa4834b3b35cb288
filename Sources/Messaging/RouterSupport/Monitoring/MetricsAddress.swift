/// An interface and a port for metrics; port 0 takes any free one.
package struct MetricsAddress: Sendable, Hashable {
    package var host: String
    package var port: Int

    package init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }
}
