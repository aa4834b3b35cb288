package import ChatProtocol

/// The answer to a health check of the API.
package struct SocketHealth: Sendable {
    /// True if the core does its work.
    package var isHealthy: Bool
    /// What is told to clients that may know it.
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
