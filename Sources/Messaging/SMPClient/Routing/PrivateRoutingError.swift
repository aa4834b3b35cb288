public import SMPProtocol

/// Why a command that may go through a proxy failed.
package enum PrivateRoutingError: Error, Sendable {
    /// At this router: the proxy while there was no session with the destination yet, else the destination.
    case client(SMPClientError, server: SMPServerAddress)
    /// The proxy could not pass a command on.
    case proxy(ProxyFault, proxy: SMPServerAddress, relay: SMPServerAddress)

    /// True if the proxy or the router behind it cannot be used in this way, now or later: the fallback applies.
    var isHostError: Bool {
        switch self {
        case .client(let error, _):
            switch error.code {
            case .incompatibleHost, .transport(.version): true
            case .protocol(.proxy(.broker(let fault))): Self.isHostError(fault)
            default: false
            }
        case .proxy(.protocol(.proxy(.broker(let fault))), _, _): Self.isHostError(fault)
        case .proxy: false
        }
    }

    private static func isHostError(_ fault: BrokerErrorType) -> Bool {
        switch fault {
        case .host, .transport(.version): true
        default: false
        }
    }
}

/// A proxy's error in place of an answer of the router behind it.
public enum ProxyFault: Error, Hashable, Sendable, Codable {
    /// It answered with an error.
    case `protocol`(SMPErrorType)
    /// It answered with this message, which is no answer to the command.
    case unexpectedResponse(String)
    /// Its answer cannot be read.
    case response(SMPErrorType)

    /// - Returns: nil if the proxy said nothing.
    init?(_ error: SMPClientError) {
        switch error.code {
        case .protocol(let fault): self = .protocol(fault)
        case .unexpectedResponse(let name): self = .unexpectedResponse(name)
        case .response(let fault): self = .response(fault)
        default: return nil
        }
    }
}
