import SMPClient
package import SMPProtocol
import SMPTransport
package import XFTPProtocol

/// Why a file router did not do what it was asked.
package struct XFTPClientError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The router answered with an error.
        case `protocol`(XFTPErrorType)
        /// The router's answer cannot be read, or what it has sent is not the chunk, for this reason.
        case response(XFTPErrorType)
        /// The router's answer is not one to the command; its name.
        case unexpectedResponse(String)
        /// The router did not answer in time. It may have carried the command out.
        case timeout
        /// There is no connection to the router, or it broke before the answer. The router may have carried the command out.
        case network(NetworkError)
        /// The handshake failed, or a command does not fit a block.
        case transport(TransportError)
        /// None of the router's hosts can be reached with the present network settings.
        case incompatibleHost
        /// The router would see this machine's address, and that is not allowed.
        case visibleAddress
        /// A command could not be authorised.
        case crypto
        /// A file of this machine could not be read or written.
        case file(FileFormatError.Code)
        /// The request itself is not possible.
        case invalidRequest
        /// The waiting task was cancelled. The router may have carried the command out.
        case cancelled
    }

    package let code: Code
    /// A description of the error, for a person.
    package let message: String
    /// The error underneath, if there is one.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String {
        let reason = cause.map { " (\($0))" } ?? ""
        return "\(label): \(message)\(reason)"
    }

    /// The kind of failure without its particulars: a bounded set, usable as a metric label.
    package var label: String {
        switch code {
        case .protocol: "protocol"
        case .response: "response"
        case .unexpectedResponse: "unexpectedResponse"
        case .timeout: "timeout"
        case .network: "network"
        case .transport: "transport"
        case .incompatibleHost: "incompatibleHost"
        case .visibleAddress: "visibleAddress"
        case .crypto: "crypto"
        case .file: "file"
        case .invalidRequest: "invalidRequest"
        case .cancelled: "cancelled"
        }
    }

    /// True if the same command may succeed later without anything being changed.
    package var isTemporary: Bool {
        switch code {
        case .network(.unknownCA): false
        case .timeout, .network: true
        case .protocol(let error): error.isTemporary
        // Data that was damaged in transit may arrive intact the next time.
        case .response(.size), .response(.crypto): true
        default: false
        }
    }

    /// True if the connection is of no more use.
    package var endsSession: Bool {
        switch code {
        case .network, .transport, .timeout: true
        case .response(.block), .response(.session), .protocol(.session), .protocol(.handshake): true
        default: false
        }
    }

    init(_ error: FileFormatError) { self.init(.file(error.code), error.message) }

    init(_ error: ConnectionError) {
        let error = SMPClientError(error)
        let code: Code =
            switch error.code {
            case .network(let reason): .network(reason)
            case .cancelled: .cancelled
            case .timeout: .timeout
            case .incompatibleHost: .incompatibleHost
            case .transport(let reason): .transport(reason)
            default: .network(.failed)
            }
        self.init(code, error.message, cause: error.cause)
    }
}
