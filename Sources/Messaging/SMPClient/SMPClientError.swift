package import SMPProtocol
import SMPTransport
import SMPWire

/// Why a command did not get the response it was sent for.
package struct SMPClientError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The router answered with an error.
        case `protocol`(SMPErrorType)
        /// The router's answer cannot be read, for this reason.
        case response(SMPErrorType)
        /// The router's answer is not one to the command; its name.
        case unexpectedResponse(String)
        /// The router did not answer in time. It may have carried the command out.
        case timeout
        /// There is no connection to the router, or it broke before the answer. The router may have carried the command out.
        case network(NetworkError)
        /// The handshake failed, or a block is not right.
        case transport(TransportError)
        /// None of the router's hosts can be reached with the present network settings.
        case incompatibleHost
        /// A command could not be authorised or encrypted.
        case crypto
        /// More commands wait for answers than allowed.
        case overloaded
        /// The request itself is not possible, such as one with a correlation id that is in use.
        case invalidRequest
        /// The waiting task was cancelled. The router may have carried the command out.
        case cancelled
        /// The client has been closed.
        case closed
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
        case .crypto: "crypto"
        case .overloaded: "overloaded"
        case .invalidRequest: "invalidRequest"
        case .cancelled: "cancelled"
        case .closed: "closed"
        }
    }

    /// True if the same command may succeed later without anything being changed.
    package var isTemporary: Bool {
        switch code {
        case .network(.unknownCA): false
        case .timeout, .network, .overloaded: true
        case .protocol(.proxy(.broker(let error))): Self.isTemporary(error)
        case .protocol(.proxy(.noSession)): true
        default: false
        }
    }

    /// True if the TLS connection failed: the router's certificates, its protocol or the handshake.
    var isOfTLS: Bool {
        switch (cause as? ConnectionError)?.code {
        case .tlsFailed, .wrongIdentity, .wrongProtocol: true
        default: false
        }
    }

    private static func isTemporary(_ error: BrokerErrorType) -> Bool {
        switch error {
        case .timeout, .network: true
        default: false
        }
    }

    /// The error as the client API reports those of routers; nil when the router itself answered with an error, or when it
    /// is not about the router at all.
    package var brokerError: BrokerErrorType? {
        switch code {
        case .response(let error): .response(error.wireString)
        case .unexpectedResponse(let name): .unexpected(name)
        case .timeout: .timeout
        case .network(let error): .network(error)
        case .transport(let error): .transport(error)
        case .incompatibleHost: .host
        case .overloaded: .network(.failed)
        case .protocol, .crypto, .invalidRequest, .cancelled, .closed: nil
        }
    }
}
