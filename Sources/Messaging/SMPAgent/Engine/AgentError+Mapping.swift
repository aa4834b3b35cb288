import EncryptedSQLite
import GRDB
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

    /// The store failed. What was to be stored did not happen; it may later, but for what cannot be read, or contradicts what is stored. One that
    /// is closed is that of an agent that has stopped.
    init(store error: any Error) {
        if let error = error as? StorageError, error.code == .closed {
            self.init(.inactive)
            return
        }
        let isLasting =
            switch error {
            case let error as StorageError: error.code == .corrupt
            case let error as DatabaseError: error.isLasting
            default: false
            }
        self.init(.critical(offerRestart: !isLasting, "the agent's store: \(error)"))
    }

    /// True if the store refuses something for the moment: the same can be done later.
    var isOfBusyStore: Bool { if case .critical(offerRestart: true, _) = reason { true } else { false } }

    /// The error for bytes of a peer or router that could not be decrypted or parsed.
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

extension DatabaseError {
    /// True if another attempt would fail again: the cause is the stored data, not the disk or other work.
    fileprivate var isLasting: Bool {
        switch resultCode.primaryResultCode {
        case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        case .SQLITE_IOERR: !isOfDisk
        default: false
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
