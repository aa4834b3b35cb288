internal import Foundation
internal import NIOCore
internal import NIOPosix
package import SMPTransport

/// The reason why there is no connection, in the words of the system.
package enum ConnectionReason {
    /// Returns the reason of an error.
    package static func text(_ error: ConnectionError) -> String { text(error.message, error) }

    /// Returns the reason of the connection's error, or the message if there is none.
    static func text(_ message: String, _ cause: (any Error)?) -> String {
        switch (cause as? ConnectionError)?.cause {
        case let error as IOError: reason(error)
        case let error as NIOConnectionError:
            (error.connectionErrors.first?.error as? IOError).map(reason) ?? (error.connectionErrors.isEmpty ? "its name has no address" : message)
        default: message
        }
    }

    private static func reason(_ error: IOError) -> String { String(cString: strerror(error.errnoCode)) }
}
