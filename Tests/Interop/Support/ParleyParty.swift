import ChatAPI
import ChatEngine
import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import SMPAgent
import SMPClient
import SMPProtocol
import SMPWire
import Synchronization

/// Parley's own core in this process, with one profile, driven as the official client is: by command lines, answered in JSON.
final class ParleyParty: Party {
    let name: String
    let events = Mailbox<JSONValue>(label: OfficialClient.label)
    let folder: ScratchFolder
    private let servers: [String]
    private let fileServers: [String]
    private let network: NetworkOptions
    private let agent: Mutex<AgentConfiguration>
    private let silenceLimit: Duration?
    private let running = Mutex<NativeCore?>(nil)

    var implementation: Implementation { .parley }

    /// Opens a core and makes the profile.
    ///
    /// - Parameters:
    ///   - agent: another one than ``comeBack()`` gives it, to be an older program at first.
    ///   - silenceLimit: how long a router that does not answer must have been silent before its connection is given up; nil for 15 minutes.
    init(
        _ name: String, servers: [String], fileServers: [String] = [], isBot: Bool = false, network: NetworkOptions = NetworkOptions(),
        agent: AgentConfiguration = AgentConfiguration(), silenceLimit: Duration? = nil
    ) async throws {
        self.silenceLimit = silenceLimit
        self.name = name
        self.servers = servers
        self.fileServers = fileServers
        self.network = network
        self.agent = Mutex(agent)
        folder = try ScratchFolder("parley-party")
        try FileManager.default.createDirectory(atPath: folder("files"), withIntermediateDirectories: true)
        try await open()
        let profile: JSONValue = ["displayName": .string(name), "fullName": "", "peerType": isBot ? "bot" : "human"]
        let user: JSONValue = ["profile": profile, "pastTimestamp": false, "userChatRelay": false]
        _ = try await send("/_create user \(user.text)")
        try await start()
    }

    func send(_ command: String) async throws -> JSONValue {
        guard let core = running.withLock({ $0 }) else { throw PeerError(.ended, "\(name) is not running") }
        let response: ChatResult
        do {
            response = .response(try await core.send(ChatCommand(parsing: command)))
        } catch {
            guard let fault = (error as? ChatCoreError)?.chatError ?? error as? ChatError else { throw error }
            throw PeerError(.refused, "\(name): \(command.prefix(200))", response: ChatResult.error(fault).json)
        }
        return response.json
    }

    func leave() async throws {
        let core = running.withLock { core in
            defer { core = nil }
            return core
        }
        await core?.close()
    }

    func comeBack() async throws {
        agent.withLock { $0 = AgentConfiguration() }
        try await open()
        try await start()
    }

    private func start() async throws {
        try await running.withLock { $0 }?.start()
    }

    private func open() async throws {
        var configuration = NativeCoreConfiguration(
            prefix: folder.path + "/parley", servers: try servers.map { try SMPServerWithAuth(wireString: $0) })
        configuration.fileServers = fileServers
        configuration.filesFolder = folder("files")
        configuration.network = network
        configuration.agent = agent.withLock { $0 }
        if let silenceLimit { configuration.client.silenceLimit = silenceLimit }
        let core = try NativeCore.open(configuration)
        running.withLock { $0 = core }
        let (mailbox, stream) = (events, core.events())
        Task { for try await event in stream { mailbox.put(event.json) } }
    }
}
