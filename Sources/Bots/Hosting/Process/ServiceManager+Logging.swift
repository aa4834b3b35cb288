package import Logging
package import SystemSupport

extension ServiceManager {
    /// Tells the manager, and the log if it cannot be told: the service goes on all the same.
    package func tell(_ report: Report, logger: Logger) {
        do throws(ServiceManagerError) {
            try tell(report)
        } catch {
            logger.warning("the service manager may take this for a service that does not start", metadata: ["reason": "\(error)"])
        }
    }
}
