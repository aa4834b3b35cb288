package import Logging
package import SystemSupport

extension ServiceManager {
    /// Notifies the service manager. If this fails, the failure is logged, and the service continues.
    package func tell(_ report: Report, logger: Logger) {
        do throws(ServiceManagerError) {
            try tell(report)
        } catch {
            logger.warning("the service manager may take this for a service that does not start", metadata: ["reason": "\(error)"])
        }
    }
}
