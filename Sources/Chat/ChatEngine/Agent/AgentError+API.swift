import ChatAPI
import ChatProtocol
import Foundation
import SMPAgent
import SMPClient
import SMPProtocol
import SMPWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Errors and states of the agent as the API shows them.

extension AgentService {
    /// Calls this agent and reports its faults as errors of the core.
    func reporting<T>(_ call: (any AgentService) async throws(AgentError) -> T) async throws(ChatCoreError) -> T {
        do {
            return try await call(self)
        } catch {
            throw ChatCoreError(error)
        }
    }
}

extension AgentError {
    /// The same fault in the API.
    var api: MessagingError {
        switch reason {
        case .command(let fault, let context): .command(error: fault.api, context: context)
        case .connection(let fault, let context): .connection(error: fault.api, context: context)
        case .noUser: .noUser
        case .smp(let server, let error): .smp(server: server, error: error.api)
        case .broker(let address, let error): .broker(server: address, error: error.api)
        case .proxy(let server, let relay, let error): .proxy(proxyServer: server, relayServer: relay, error: error.api)
        case .agent(let fault): .agent(error: fault.api)
        case .internal(let message): .internal(message: message)
        case .critical(let offerRestart, let message): .critical(offerRestart: offerRestart, message: message)
        case .inactive: .inactive
        // The API has no other word for it.
        case .noNameServers, .noNameProxy: .other("NO_NAME_SERVERS", ["type": "NO_NAME_SERVERS"])
        }
    }

    /// The error of an item that could not be sent.
    var sendError: SendError {
        switch reason {
        case .smp(_, .auth): .auth
        case .smp(_, .quota): .quota
        case .broker(_, let error): error.sendError { .relay(serverError: $0) }
        case .smp(let proxy, .proxy(.broker(let error))): error.sendError { .proxy(proxyServer: proxy, serverError: $0) }
        case .proxy(let proxy, _, .protocol(.proxy(.broker(let error)))):
            error.sendError { .proxyRelay(proxyServer: proxy, serverError: $0) }
        default: .unexpected(message: description)
        }
    }
}

extension BrokerErrorType {
    /// - Parameter failed: says whose fault it was, for those that do not pass by themselves.
    fileprivate func sendError(_ failed: (ServerError) -> SendError) -> SendError {
        switch self {
        case .network, .timeout: .expired
        case .host: failed(.host)
        case .transport(.version): failed(.version)
        default: failed(.unexpected(message: String(describing: self)))
        }
    }
}

extension ProxyFault {
    fileprivate var api: ProxyClientError {
        switch self {
        case .protocol(let error): .protocolError(error: error.api)
        case .unexpectedResponse(let name): .unexpectedResponse(response: name)
        case .response(let error): .responseError(error: error.api)
        }
    }
}

extension AgentError.Command {
    fileprivate var api: AgentCommandError {
        switch self {
        case .prohibited: .prohibited
        case .syntax: .syntax
        case .noConnection: .noConnection
        case .size: .size
        case .large: .large
        }
    }
}

extension AgentError.Connection {
    fileprivate var api: AgentConnectionError {
        switch self {
        case .notFound: .notFound
        case .duplicate: .duplicate
        case .simplex: .simplex
        case .notAccepted: .notAccepted
        case .notAvailable: .notAvailable
        }
    }
}

extension AgentError.Peer {
    fileprivate var api: AgentProtocolError {
        switch self {
        case .message: .message
        case .prohibited(let text): .prohibited(message: text)
        case .version: .version
        case .link(let text): .link(message: text)
        case .crypto(let fault): .crypto(error: fault.api)
        case .duplicate: .duplicate(dropped: nil)
        case .queue(let text): .queue(message: text)
        }
    }
}

extension AgentError.Crypto {
    fileprivate var api: AgentCryptoError {
        switch self {
        case .decryptAES: .decryptAES
        case .decryptCB: .decryptBox
        case .ratchetHeader: .ratchetHeader
        case .ratchetEarlier(let count): .ratchetEarlier(count: Int(count))
        case .ratchetSkipped(let count): .ratchetSkipped(count: Int(count))
        case .ratchetSync: .ratchetSync
        }
    }

    /// The item that reports messages that could not be decrypted.
    var itemError: (error: MessageDecryptError, count: Int) {
        switch self {
        case .decryptAES, .decryptCB: (.other, 1)
        case .ratchetHeader: (.ratchetHeader, 1)
        case .ratchetEarlier: (.ratchetEarlier, 1)
        case .ratchetSkipped(let count): (.tooManySkipped, Int(count))
        case .ratchetSync: (.ratchetSync, 0)
        }
    }
}

extension SMPErrorType {
    /// The same error in the API.
    var api: SMPRouterError {
        switch self {
        case .block: .block
        case .session: .session
        case .command(let error): .command(error: error.api)
        case .proxy(let error): .proxy(error: error.api)
        case .auth: .auth
        case .blocked(let info): .blocked(info: info.api)
        case .service: .service
        case .crypto: .crypto
        case .quota: .quota
        case .store(let message): .store(message: message)
        case .noMessage: .noMessage
        case .largeMessage: .largeMessage
        case .expired: .expired
        case .internal: .internal
        case .name(let error): .other("NAME", ["type": "NAME", "nameErr": error.api])
        case .duplicate: .duplicate
        }
    }
}

extension NameResolutionError {
    fileprivate var api: JSONValue {
        switch self {
        case .noResolver: ["type": "NO_RESOLVER"]
        case .notFound: ["type": "NOT_FOUND"]
        case .resolver(let message): ["type": "RESOLVER", "resolverErr": .string(message)]
        }
    }
}

extension SMPCommandError {
    fileprivate var api: RouterCommandError {
        switch self {
        case .unknown: .unknown
        case .syntax: .syntax
        case .prohibited: .prohibited
        case .noAuth: .noAuth
        case .hasAuth: .hasAuth
        case .noEntity: .noEntity
        }
    }
}

extension SMPProxyError {
    fileprivate var api: ProxyError {
        switch self {
        case .protocol(let error): .protocolError(error: error.api)
        case .broker(let error): .broker(error: error.api)
        case .basicAuth: .basicAuth
        case .noSession: .noSession
        }
    }
}

extension BlockingInfo {
    fileprivate var api: BlockingDetails {
        BlockingDetails(reason: BlockingReason(rawValue: reason.rawValue), notice: notice.map { BlockingNotice(ttl: $0.ttl) })
    }
}

extension BrokerErrorType {
    /// The same error in the API.
    var api: BrokerError {
        switch self {
        case .response(let message): .response(message: message)
        case .unexpected(let message): .unexpected(message: message)
        case .network(let error): .network(error: error.api)
        case .host: .host
        case .noService: .noService
        case .transport(let error): .transport(error: error.api)
        case .timeout: .timeout
        }
    }
}

extension NetworkError {
    fileprivate var api: BrokerNetworkError {
        switch self {
        case .connect(let message): .connect(message: message)
        case .tls(let message): .tls(message: message)
        case .unknownCA: .unknownCA
        case .failed: .failed
        case .timeout: .timeout
        case .subscribe(let message): .subscribe(message: message)
        }
    }
}

extension TransportError {
    fileprivate var api: BrokerTransportError {
        switch self {
        case .badBlock: .badBlock
        case .version: .version
        case .largeMessage: .largeMessage
        case .badSession: .badSession
        case .noServerAuth: .noServerAuth
        case .handshake(let error): .handshake(error: BrokerHandshakeError(rawValue: error.rawValue))
        }
    }
}

extension AgentQueueState {
    var api: JSONValue {
        // Ids are in the alphabet of Base64 with + and /, unlike those of connections.
        [
            "server": .string(server.wireString),
            "rcvId": .string(Data(recipientID.bytes).base64EncodedString()),
            "sndId": .string(Data(senderID.bytes).base64EncodedString()),
            "status": .string(status.rawValue), "info": atRouter.api,
        ]
    }
}

extension QueueState {
    fileprivate var api: JSONValue {
        guard let data = try? JSONEncoder().encode(self), let json = try? JSONValue(parsing: String(decoding: data, as: UTF8.self)) else {
            return [:]
        }
        return json
    }
}

extension MessageIntegrity {
    /// The item that reports missing or repeated messages; nil if all is well.
    var itemError: MessageIntegrityError? {
        switch self {
        case .ok: nil
        case .skipped(let from, let to): .skipped(fromMessageID: from, toMessageID: to)
        case .badID(let id): .badID(messageID: id)
        case .badHash: .badHash
        case .duplicate: .duplicate
        }
    }
}

extension AgentSubscriptionStatus {
    var api: SubscriptionStatus {
        switch self {
        case .active: .active
        case .pending: .pending
        case .removed(let error): .removed(error: error)
        case .noSubscription: .noSubscription
        }
    }
}

extension AgentConnectionStats {
    /// The same state in the API.
    var api: ConnectionStats {
        ConnectionStats(
            agentVersion: Int(agentVersion),
            receiveQueues: receiveQueues.map {
                ReceiveQueueInfo(
                    server: $0.server.wireString, status: $0.status.rawValue, switchStatus: $0.switchStatus?.rawValue,
                    canAbortSwitch: $0.canAbortSwitch, subscriptionStatus: $0.subscription.api)
            },
            sendQueues: sendQueues.map {
                SendQueueInfo(server: $0.server.wireString, status: $0.status.rawValue, switchStatus: $0.switchStatus?.rawValue)
            },
            ratchetSyncState: ratchetSyncState.api, ratchetSyncSupported: ratchetSyncSupported, subscriptionStatus: subscription?.api)
    }
}

extension AgentRatchetSyncState {
    var api: RatchetSyncState { RatchetSyncState(rawValue: rawValue) }
}

extension AgentSwitchPhase {
    var api: SwitchPhase { SwitchPhase(rawValue: rawValue) }
}

extension ServiceSubscriptionState {
    /// The state in the API; nil for one that it has no word for.
    var api: ServiceSubEvent? {
        switch self {
        case .complete(let queues): .up(serviceError: nil, queueCount: Int64(queues))
        case .incomplete(let counted, let expected):
            .up(serviceError: counted == Int64(expected) ? "different IDs hash" : "expected \(expected) connections", queueCount: counted)
        case .allDelivered: .all
        case .ended(let queues): .end(queueCount: Int64(queues))
        case .unavailable: nil
        }
    }
}
