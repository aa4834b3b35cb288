import ChatAPI
import ChatRules
import ChatSimulation
import SMPAgent
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// A group of cores: the first has made it, the others have joined by its link.
struct GroupScene: Sendable {
    let world: TestWorld
    let cores: [String: TestCore]
    let names: [String]
    let link: String
    /// The transfer of files and the folder for them, of each member, if files are exchanged.
    let files: [String: (service: SimulatedFileService, folder: TemporaryFolder)]
    /// The database id of the group is the same everywhere: it is the only one.
    static let group: GroupID = 1

    var owner: TestCore { cores[names[0]]! }

    subscript(_ name: String) -> TestCore { cores[name]! }

    /// - Parameters:
    ///   - names: The members; the first is the owner.
    ///   - profile: The JSON of the group's profile without its braces.
    ///   - cloud: The file routers of all; nil for members who exchange no files.
    ///   - before: Done by the owner before anybody joins.
    init(
        _ names: [String], profile: String = #""displayName":"team","fullName":"""#, cloud: SimulatedFileStorage? = nil,
        world: TestWorld = TestWorld(), before: @Sendable (TestCore) async throws -> Void = { _ in }
    ) async throws {
        self.world = world
        self.names = names
        var cores: [String: TestCore] = [:]
        var files: [String: (service: SimulatedFileService, folder: TemporaryFolder)] = [:]
        for name in names {
            if let cloud { files[name] = (SimulatedFileService(cloud), try TemporaryFolder()) }
            cores[name] = try await Self.core(name, world, files[name])
        }
        (self.cores, self.files) = (cores, files)
        let owner = cores[names[0]]!
        _ = try await owner.run("/_group 1 {\(profile)}")
        try await before(owner)
        guard case .groupLinkCreated(_, _, let link) = try await owner.run("/_create link #1") else { throw UnexpectedAnswer() }
        self.link = link.connectionLink.fullLink
        for name in names.dropFirst() { try await join(cores[name]!) }
        try await connected()
    }

    /// A core that can join.
    static func core(
        _ name: String, _ world: TestWorld, _ files: (service: SimulatedFileService, folder: TemporaryFolder)? = nil
    ) async throws -> TestCore {
        let folder = files?.folder.path
        let core = try await world.open(
            agent: .light, files: files?.service,
            configure: { configuration in
                guard let folder else { return }
                configuration.filesFolder = folder
                configuration.fileServers = [SimulatedFileStorage.address]
            })
        _ = try await core.createUser(name)
        return core
    }

    /// Asks to join, and waits until the group is there.
    func join(_ core: TestCore) async throws {
        _ = try await core.run("/_connect 1 \(link)")
        try #require(await core.wait { $0.contains { if case .groupLinkConnecting = $0 { true } else { false } } }, "the host has not answered")
    }

    /// Waits until all members are connected to all others.
    func connected() async throws {
        for name in names {
            let others = Set(names).subtracting([name])
            let isConnected = await self[name].eventually {
                let members = await self.members(at: name).filter { $0.status == .connected || $0.status == .creator || $0.status == .complete }
                return Set(members.filter { $0.activeConnection?.status == .ready }.map(\.localDisplayName)) == others
            }
            let states = await members(at: name).map { "\($0.localDisplayName) \($0.status.rawValue) \($0.activeConnection.map { "\($0.status)" } ?? "-")" }
            let errors = self[name].events.filter { event in
                switch event {
                case .messageError, .chatError, .chatErrors: true
                default: false
                }
            }
            try #require(isConnected, "\(name) is not connected to all: \(states), \(errors.map { $0.json.text })")
        }
    }

    func members(at name: String) async -> [GroupMember] {
        guard case .groupMembers(_, let group)? = try? await self[name].run("/_members #1") else { return [] }
        return group.members
    }

    func member(_ other: String, at name: String) async throws -> GroupMember {
        try #require(await members(at: name).first { $0.localDisplayName == other }, "\(name) does not know \(other)")
    }

    func info(at name: String) async throws -> GroupInfo {
        guard case .groupInfo(_, let group) = try await self[name].run("/_info #1") else { throw UnexpectedAnswer() }
        return group
    }

    /// The items of the group, or of a support chat in it.
    func items(at name: String, scope: String = "") async -> [ChatItem] {
        guard case .apiChat(_, let chat, _)? = try? await self[name].run("/_get chat #1\(scope) count=200") else { return [] }
        return chat.chatItems
    }

    /// The texts of messages, oldest first.
    func texts(at name: String, scope: String = "") async -> [String] {
        await items(at: name, scope: scope).filter { $0.content.message != nil }.map(\.meta.text)
    }

    @discardableResult
    func send(_ text: String, as name: String, scope: String = "") async throws -> ChatItem {
        let json = JSONValue.array([["msgContent": ["type": "text", "text": .string(text)]]])
        guard case .newChatItems(_, let items) = try await self[name].run("/_send #1\(scope) json \(json.text)"), let item = items.first else {
            throw UnexpectedAnswer()
        }
        return item.chatItem
    }

    /// Waits until a member has a message.
    func expect(_ text: String, at name: String, scope: String = "", sourceLocation: SourceLocation = #_sourceLocation) async {
        let isThere = await self[name].eventually { await texts(at: name, scope: scope).contains(text) }
        let found = await texts(at: name, scope: scope)
        #expect(isThere, "\(name) has not got \"\(text)\": \(found)", sourceLocation: sourceLocation)
    }

    /// Waits until a condition holds at a member.
    func eventually(
        _ what: Comment, at name: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping @Sendable () async throws -> Bool
    ) async {
        let holds = await self[name].eventually { (try? await condition()) ?? false }
        #expect(holds, what, sourceLocation: sourceLocation)
    }

    /// Sends events past the rules of the engine, over the connection of one member with another.
    func attack(_ events: [ChatMessageEvent], from sender: String, to receiver: String, id: SharedMessageID? = nil) async throws {
        let member = try await member(receiver, at: sender)
        let active = try #require(member.activeConnection)
        let connection = ConnectionID(try #require(Base64URL.decode(active.agentConnectionID)))
        for event in events {
            let id = id ?? SharedMessageID((0..<12).map { _ in UInt8.random(in: 0...255) })
            let body = try ChatMessage(messageID: id, event: event).body(limit: ChatLimits.encodedMessage)
            let results = await self[sender].native.engine.agent.send([
                AgentSendRequest(connection: connection, body: body, flags: MessageFlags(notification: true), pqEncryption: false, key: nil)
            ])
            for result in results { _ = try result.get() }
        }
    }

    func close() async {
        for core in cores.values { await core.close() }
    }
}
