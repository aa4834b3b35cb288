package import ChatProtocol

/// The answer to a health check of the API.
package struct SocketHealth: Sendable {
    /// True if the core does its work.
    package var isHealthy: Bool
    /// The details for clients that may know them.
    package var details: JSONValue

    package init(isHealthy: Bool, details: JSONValue) {
        self.isHealthy = isHealthy
        self.details = details
    }

    /// The body of the answer.
    func body(isDetailed: Bool) -> String {
        (isDetailed ? details : ["status": isHealthy ? "ok" : "unavailable"]).text + "\n"
    }
}
