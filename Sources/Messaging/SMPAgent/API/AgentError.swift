public import SMPClient
public import SMPProtocol

/// The reason why the agent could not perform a request, or a fault in a connection.
///
/// The ``reason`` mirrors the errors of the agent protocol (agent-protocol.md, Appendix A), which the chat API reports as JSON.
public struct AgentError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason of the error.
    public enum Reason: Sendable, Equatable {
        /// A call that is not allowed or cannot be done; `context` names the call.
        case command(Command, context: String)
        /// The connection is missing or in the wrong state.
        case connection(Connection, context: String)
        /// There is no such user.
        case noUser
        /// The router answered with an error.
        case smp(server: String, SMPErrorType)
        /// The router could not be reached, or its answer was not understood.
        case broker(address: String, BrokerErrorType)
        /// The proxy that a command went through did not pass it on to the router, or its answer back.
        case proxy(server: String, relay: String, ProxyFault)
        /// The peer's agent sent a forbidden or unusable message.
        case agent(Peer)
        /// A fault of ours or of the store.
        case `internal`(String)
        /// A fault that the agent cannot continue with; `offerRestart` when a restart may help.
        case critical(offerRestart: Bool, String)
        /// The agent is suspended or closed.
        case inactive
        /// No router of the user is meant to resolve names.
        case noNameServers
        /// No router of the user can be a proxy for those that resolve names.
        case noNameProxy
    }

    /// Faults of a call.
    public enum Command: String, Sendable, Hashable {
        /// Not allowed in this state.
        case prohibited = "PROHIBITED"
        /// Not well formed.
        case syntax = "SYNTAX"
        /// A connection is needed.
        case noConnection = "NO_CONN"
        /// The message has the wrong size.
        case size = "SIZE"
        /// The message does not fit in a transport block: see ``AgentLimits``.
        case large = "LARGE"
    }

    /// Faults of a connection's state.
    public enum Connection: String, Sendable, Hashable {
        case notFound = "NOT_FOUND"
        case duplicate = "DUPLICATE"
        /// The connection has a queue in one direction only.
        case simplex = "SIMPLEX"
        /// The party that invited us did not accept.
        case notAccepted = "NOT_ACCEPTED"
        /// The party that we invited or that invited us cannot be reached any more.
        case notAvailable = "NOT_AVAILABLE"
    }

    /// Faults of the peer's agent or of its messages.
    public enum Peer: Sendable, Equatable {
        /// The message could not be parsed.
        case message
        /// A message that may not be sent in this state.
        case prohibited(String)
        /// No version of client, agent or ratchet that both sides support.
        case version
        /// The data of a short link does not match the link.
        case link(String)
        /// The message could not be decrypted.
        case crypto(Crypto)
        /// The message was received before; `attempts` and `sentAt` (seconds since 1970) when it was dropped after too many attempts.
        case duplicate(dropped: DroppedMessage?)
        /// A fault in adding or removing a queue.
        case queue(String)
    }

    /// Faults of decryption.
    public enum Crypto: Sendable, Hashable {
        case decryptAES
        case decryptCB
        /// No key decrypts the header: the ratchets are out of step.
        case ratchetHeader
        case ratchetEarlier(UInt32)
        case ratchetSkipped(UInt32)
        case ratchetSync
    }

    /// A message that was not acknowledged by the user in any of several deliveries.
    public struct DroppedMessage: Sendable, Hashable {
        /// When the router got it, in seconds since 1970.
        public let brokerTime: Int64
        /// The number of deliveries.
        public let attempts: Int

        /// Creates the value from its parts.
        public init(brokerTime: Int64, attempts: Int) {
            self.brokerTime = brokerTime
            self.attempts = attempts
        }
    }

    /// The reason.
    public let reason: Reason

    /// Creates an error.
    public init(_ reason: Reason) { self.reason = reason }

    /// Stable and bounded: usable as a metric label.
    public var code: String {
        switch reason {
        case .command(let fault, _): "CMD.\(fault.rawValue)"
        case .connection(let fault, _): "CONN.\(fault.rawValue)"
        case .noUser: "NO_USER"
        case .smp: "SMP"
        case .broker(_, let fault): "BROKER.\(fault.code)"
        case .proxy: "PROXY"
        case .agent(let fault): "AGENT.\(fault.code)"
        case .internal: "INTERNAL"
        case .critical: "CRITICAL"
        case .inactive: "INACTIVE"
        case .noNameServers: "NO_NAME_SERVERS"
        case .noNameProxy: "NO_NAME_PROXY"
        }
    }

    /// True if the same call may succeed later: the network, the router or the agent is away for now.
    public var isTemporary: Bool {
        switch reason {
        case .broker(_, let fault), .smp(_, .proxy(.broker(let fault))), .proxy(_, _, .protocol(.proxy(.broker(let fault)))):
            fault.isTemporary
        case .proxy(_, _, .protocol(.proxy(.noSession))): true
        case .inactive, .critical(offerRestart: true, _): true
        default: false
        }
    }

    /// True if the router cannot be used as it is addressed or as old as it is; retried for sending, an error for a call.
    var isHostError: Bool {
        switch reason {
        case .broker(_, let fault), .smp(_, .proxy(.broker(let fault))), .proxy(_, _, .protocol(.proxy(.broker(let fault)))):
            fault.isHostError
        default: false
        }
    }

    /// A sentence for a person.
    public var description: String {
        switch reason {
        case .command(let fault, let context): "the call is refused (\(fault.rawValue)): \(context)"
        case .connection(let fault, let context): "the connection cannot be used (\(fault.rawValue)): \(context)"
        case .noUser: "there is no such user"
        case .smp(let server, let error): "\(server) answered \(error)"
        case .broker(let address, let fault): "\(address) could not be used: \(fault)"
        case .proxy(let server, let relay, let fault): "\(relay) could not be used through the proxy \(server): \(fault)"
        case .agent(let fault): "the other side's message could not be used: \(fault)"
        case .internal(let text): "internal error: \(text)"
        case .critical(_, let text): "critical error: \(text)"
        case .inactive: "the agent is suspended or closed"
        case .noNameServers: "no router is set up to resolve names: give a router the role names"
        case .noNameProxy: "names are not asked for directly: add a router of another operator that can be a proxy for those that resolve names"
        }
    }
}

// Events hold errors: how they are written is part of the store's format, which goes by the names of the cases.
extension AgentError: Codable {}
extension AgentError.Reason: Codable {}
extension AgentError.Command: Codable {}
extension AgentError.Connection: Codable {}
extension AgentError.Peer: Codable {}
extension AgentError.Crypto: Codable {}
extension AgentError.DroppedMessage: Codable {}

extension BrokerErrorType {
    /// Stable and bounded.
    var code: String {
        switch self {
        case .response: "RESPONSE"
        case .unexpected: "UNEXPECTED"
        case .network: "NETWORK"
        case .host: "HOST"
        case .noService: "NO_SERVICE"
        case .transport: "TRANSPORT"
        case .timeout: "TIMEOUT"
        }
    }

    /// True if the router may answer later.
    var isTemporary: Bool {
        switch self {
        case .network, .timeout: true
        default: false
        }
    }

    /// True if the router cannot be used as it is addressed or as old as it is.
    var isHostError: Bool {
        switch self {
        case .host, .transport(.version): true
        default: false
        }
    }
}

extension AgentError.Peer {
    /// Stable and bounded.
    public var code: String {
        switch self {
        case .message: "A_MESSAGE"
        case .prohibited: "A_PROHIBITED"
        case .version: "A_VERSION"
        case .link: "A_LINK"
        case .crypto: "A_CRYPTO"
        case .duplicate: "A_DUPLICATE"
        case .queue: "A_QUEUE"
        }
    }
}

extension AgentError {
    static func prohibited(_ context: String) -> AgentError { AgentError(.command(.prohibited, context: context)) }
    /// Nothing is sent before both sides have agreed on new keys.
    static let outOfStep = prohibited("sending: the ratchets are out of step")
    /// True if a message was refused because both sides have to agree on new keys first.
    package var isOutOfStep: Bool { self == Self.outOfStep }
    static func notFound(_ context: String) -> AgentError { AgentError(.connection(.notFound, context: context)) }
    static func peer(_ fault: Peer) -> AgentError { AgentError(.agent(fault)) }
}
