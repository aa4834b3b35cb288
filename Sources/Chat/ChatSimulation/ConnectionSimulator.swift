import ChatEngine
import ChatRules
import ChatStore
package import Foundation
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

/// Connections between simulated agents, in memory: the state of all agents, and the links by which they connect.
///
/// A message is in the inbox of the peer at once. The peer gets one after another, each after the acknowledgement of the one before. Nothing is encrypted,
/// no router is asked, and nothing fails but what must: a link that is gone, a peer that has deleted the connection.
///
/// The state of an agent outlives the agent, as its database would. All calls take one lock: a test of a bot has few parties.
package final class ConnectionSimulator: Sendable {
    struct State {
        var devices: [String: Device] = [:]
        var connections: [ConnectionID: SimulatedConnection] = [:]
        /// The invitations and addresses, by the ids in their full links.
        var queues: [SenderID: ConnectionID] = [:]
        var links: [LinkKey: SimulatedLink] = [:]
        /// The parties that have joined and wait to be allowed.
        var confirmations: [ConfirmationID: ConnectionID] = [:]
        /// The parties that have asked to connect by an address.
        var requests: [InvitationID: ConnectionID] = [:]
        /// The records of registered names.
        var names: [SimpleXDomain: NameRecord] = [:]
        var lastEvent: Int64 = 0
        /// The messages and events that were acknowledged, confirmed or deleted.
        var finishedCount = 0
        let random = SystemRandomSource()
    }

    /// The agent of one core.
    struct Device {
        var users: [AgentUserID: SMPServerAddress] = [:]
        var lastUser: AgentUserID = 0
        /// The durable events that are not confirmed.
        var unconfirmed: [AgentNotification] = []
        var isRunning = false
        var reports: AsyncStream<AgentNotification>.Continuation?

        func report(_ notification: AgentNotification) { if isRunning { reports?.yield(notification) } }
    }

    private let state = Mutex(State())
    private let time: @Sendable () -> Date
    /// The keys in all full links: nobody encrypts with them.
    let encryptionKey: X25519.PublicKey
    let ratchetParameters: RatchetParametersURI
    private let storage = SimulatedFileStorage()
    private let services = Mutex<[String: SimulatedFileService]>([:])

    /// - Parameter now: The time at which messages are sent.
    package init(now: @escaping @Sendable () -> Date = { Date() }) {
        time = now
        let random = SystemRandomSource()
        encryptionKey = X25519.generateKeyPair(random).publicKey
        ratchetParameters = RatchetParametersURI(
            versions: VersionRange(2), key1: X448.generateKeyPair(random).publicKey, key2: X448.generateKeyPair(random).publicKey, kemKey: nil)
    }

    /// The messages that no agent has acknowledged yet, and the events, such as those of a handshake, that no core has stored.
    package var unfinishedCount: Int {
        state.withLock { state in
            state.connections.values.reduce(0) { $0 + $1.inbox.count + ($1.delivery == nil ? 0 : 1) }
                + state.devices.values.reduce(0) { $0 + $1.unconfirmed.count }
        }
    }

    /// The messages and events that agents and cores have done with so far. Between two equal numbers nothing was taken in.
    package var finishedCount: Int { state.withLock(\.finishedCount) }

    /// Registers a name for links.
    package func register(name: String, contacts: [String] = [], channels: [String] = []) throws {
        let domain = try SimpleXDomain(wireString: name)
        let record: [String: Any] = [
            "name": domain.fullName, "nickname": "", "website": "", "location": "", "simplexContact": contacts, "simplexChannel": channels, "owner": "",
            "resolver": "",
        ]
        let parsed = try NameRecord(json: Bytes(try JSONSerialization.data(withJSONObject: record)))
        read { $0.names[domain] = parsed }
    }

    /// Forgets a name.
    package func unregister(name: String) { read { state in state.names = state.names.filter { $0.key.fullName != name } } }

    /// The transfer of files of a core.
    func files(of device: String) -> SimulatedFileService {
        services.withLock { services in
            let service = services[device] ?? SimulatedFileService(storage)
            services[device] = service
            return service
        }
    }

    /// Milliseconds since 1970.
    var now: Int64 { Int64((time().timeIntervalSince1970 * 1000).rounded()) }

    func withState<Value: Sendable>(_ body: (inout State) throws(AgentError) -> Value) throws(AgentError) -> Value {
        // The lock's closure throws any error.
        let result: Result<Value, AgentError> = state.withLock { state in
            do throws(AgentError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    func read<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }
}

/// One side of a connection.
struct SimulatedConnection {
    enum Stage: String {
        /// Made, and not joined.
        case new
        /// An invitation that nobody has joined, or whose joiner is not allowed.
        case invitation
        /// A contact address.
        case address
        /// Messages can be sent.
        case duplex
    }

    /// Something that waits in a queue.
    enum Content {
        case message(Bytes, MessageFlags, number: Int64, id: AgentMessageID, sentAt: Int64)
        case receipt(AgentMessageID)
    }

    /// A message that was reported and is not acknowledged.
    struct Delivery {
        let id: AgentMessageID
        let event: AgentEvent
        /// The number that the sender's agent gave the message; nil for a receipt.
        let sentID: AgentMessageID?
    }

    let id: ConnectionID
    let device: String
    let user: AgentUserID
    let server: SMPServerAddress
    var stage: Stage
    /// The full link of an invitation or address.
    var request: ConnectionRequestURI?
    var link: LinkKey?
    var peer: ConnectionID?
    /// The same on both sides.
    var securityCode: Bytes = []
    /// True once both sides have been told that messages go both ways.
    var isConnected = false
    /// The last number of a message, sent or received.
    var lastID: AgentMessageID = 0
    var lastSent: Int64 = 0
    /// The messages that were accepted, by the numbers of the caller.
    var accepted: [Int64: AcceptedMessage] = [:]
    var inbox: [Content] = []
    var delivery: Delivery?
}

/// A short link with what it shows.
struct SimulatedLink {
    let connection: ConnectionID
    let fixed: FixedLinkData
    var user: ConnectionLinkData
    let key: Ed25519.PrivateKey
    /// The agent that has opened a one-time link: nobody else can.
    var openedBy: String?
}

extension AgentError {
    static func prohibited(_ context: String) -> AgentError { AgentError(.command(.prohibited, context: context)) }
    static func noConnection(_ id: ConnectionID) -> AgentError { AgentError(.connection(.notFound, context: "no connection \(id)")) }
    /// The answer of a router about a queue or link that is not there.
    static func gone(_ server: SMPServerAddress) -> AgentError { AgentError(.smp(server: server.wireString, .auth)) }
}
