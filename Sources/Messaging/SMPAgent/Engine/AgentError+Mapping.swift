import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

extension AgentError {
    /// A command to a router failed.
    init(_ error: SMPClientError, server: SMPServerAddress) {
        let address = server.wireString
        switch error.code {
        case .protocol(let fault): self.init(.smp(server: address, fault))
        case .cancelled, .closed: self.init(.inactive)
        case .crypto, .invalidRequest: self.init(.internal(error.message))
        case .response, .unexpectedResponse, .timeout, .network, .transport, .incompatibleHost, .overloaded:
            self.init(.broker(address: address, error.brokerError ?? .network(.failed)))
        }
    }

    /// A command that may go through a proxy failed.
    init(_ error: PrivateRoutingError) {
        switch error {
        case .client(let fault, let server): self.init(fault, server: server)
        case .proxy(let fault, let proxy, let relay):
            self.init(.proxy(server: proxy.wireString, relay: relay.wireString, fault))
        }
    }

    /// The router answered a command with something else than it may.
    init(unexpected response: SMPBrokerMessage, to command: String, server: SMPServerAddress) {
        self.init(.broker(address: server.wireString, .unexpected("\(command): \(response.name)")))
    }

    /// The store failed. What was to be stored did not happen.
    init(store error: any Error) {
        self.init(.critical(offerRestart: true, "the agent's store: \(error)"))
    }

    /// What a peer or router sent could not be decrypted or read.
    init(receiving error: any Error) {
        switch error {
        case let error as AgentError: self = error
        case is WireError: self.init(.agent(.message))
        case let error as CryptoError:
            switch error.code {
            case .decryptionFailed: self.init(.agent(.crypto(.decryptCB)))
            case .messageTooLong: self.init(.command(.large, context: error.message))
            case .invalidKey, .invalidSignature, .invalidSize, .invalidPadding: self.init(.agent(.message))
            case .libraryFailure: self.init(.internal(error.message))
            }
        default: self.init(.internal("\(error)"))
        }
    }

    /// Link data could not be made or must not be believed.
    init(_ error: LinkDataError) {
        switch error.code {
        case .tooLarge: self.init(.command(.large, context: error.message))
        default: self.init(.agent(.link(error.message)))
        }
    }
}

extension AgentMessage {
    init(receiving bytes: Bytes) throws(AgentError) {
        do {
            try self.init(wireBytes: bytes)
        } catch {
            throw AgentError(receiving: error)
        }
    }
}

extension ClientEnvelope {
    init(receiving bytes: Bytes) throws(AgentError) {
        do {
            try self.init(wireBytes: bytes)
        } catch {
            throw AgentError(receiving: error)
        }
    }
}
