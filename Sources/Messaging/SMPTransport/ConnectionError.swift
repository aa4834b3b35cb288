/// Why a connection could not be made, was refused or ended.
package struct ConnectionError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. Bounded and stable: usable as a metric label.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The TCP connection could not be opened: refused, unreachable, or the name did not resolve.
        case connectFailed
        /// Connecting or the TLS handshake took longer than allowed.
        case timedOut
        /// The TLS handshake failed, or a record was garbled.
        case tlsFailed
        /// The peer's certificates are not those that the fingerprint names, or do not form a valid chain.
        case wrongIdentity
        /// The peer does not offer the application protocol that was asked for.
        case wrongProtocol
        /// The peer went away without saying goodbye, possibly in the middle of a block.
        case disconnected
        /// The connection has been closed, by either side, cleanly.
        case closed
        /// Something that is not a transport block was about to be sent.
        case invalidBlock
        /// A certificate or private key could not be made, read or stored.
        case invalidCredential
        /// The listening socket could not be opened.
        case listenFailed
        /// The waiting task was cancelled.
        case cancelled
        /// The requested operation is not available.
        case unsupported
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
        return "\(code.rawValue): \(message)\(reason)"
    }

    /// True if trying again later may succeed without anything being changed.
    package var isTemporary: Bool {
        switch code {
        case .connectFailed, .timedOut, .disconnected, .closed: true
        case .tlsFailed, .wrongIdentity, .wrongProtocol, .invalidBlock, .invalidCredential, .listenFailed, .cancelled,
            .unsupported:
            false
        }
    }
}
