import ChatAPI
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// A channel: an owner, relays, and subscribers who have joined by its link.
struct ChannelScene: Sendable {
    let world: TestWorld
    private let ownerPerson: TestPerson?
    private let openedOwner: TestCore
    var owner: TestCore { ownerPerson?.core ?? openedOwner }
    let relays: [TestCore]
    let link: CreatedConnectionLink
    private let subscribers: [String: TestCore]
    /// The database id of the channel is the same everywhere: it is the only one.
    static let group: GroupID = 1

    /// `owner`, `relay` (the first), `relay2`, or a subscriber.
    subscript(_ name: String) -> TestCore {
        if name == "owner" { return owner }
        if let index = Self.relayNames.firstIndex(of: name) { return relays[index] }
        return subscribers[name]!
    }

    static let relayNames = ["relay", "relay2", "relay3"]
    static let preferences = #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"off"}}"#

    /// - Parameters:
    ///   - names: The subscribers.
    ///   - relayPerson: A relay that can be killed, instead of one of `relays`.
    ///   - ownerPerson: An owner that can be killed.
    ///   - sharesCore: True if the relay is a second profile of the owner's core, and not in `relays`.
    ///   - policy: What the relays take.
    ///   - clock: The clock by which the relays wait.
    ///   - time: The time of day of the relays; the system's if it is not given.
    ///   - before: Done before anybody subscribes.
    init(
        _ names: [String], relays count: Int = 1, relayPerson: TestPerson? = nil, ownerPerson: TestPerson? = nil, sharesCore: Bool = false,
        world: TestWorld = TestWorld(),
        preferences: String = Self.preferences, policy: RelayPolicy = RelayPolicy(),
        clock: any Clock<Duration> = ContinuousClock(), time: TestClock? = nil,
        before: @Sendable (TestCore) async throws -> Void = { _ in }
    ) async throws {
        self.world = world
        self.ownerPerson = ownerPerson
        if let ownerPerson {
            openedOwner = ownerPerson.core
        } else {
            openedOwner = try await world.open(agent: .light)
            _ = try await openedOwner.createUser("owner")
        }
        let owner = openedOwner
        var relays: [TestCore] = []
        var addresses: [String] = []
        if sharesCore {
            _ = try await owner.createUser("relay", isChatRelay: true)
            addresses.append("name=relay " + (try await Self.address(of: owner, user: 2)))
            _ = try await owner.run("/_user 1")
        }
        for name in Self.relayNames.prefix(sharesCore ? 0 : count) {
            let relay: TestCore
            if let relayPerson {
                relay = relayPerson.core
            } else {
                relay = try await world.open(
                    agent: .light, clock: clock, now: { time.map { UTCTimestamp(seconds: $0.now) } ?? .current() },
                    configure: { $0.relayPolicy = policy })
                _ = try await relay.createUser(name, isChatRelay: true)
            }
            addresses.append("name=\(name) " + (try await Self.address(of: relay)))
            relays.append(relay)
        }
        self.relays = relays
        let ids = try await Self.add(addresses, to: owner)
        let command = "/_public group 1 \(ids) {\"displayName\":\"news\",\"fullName\":\"\",\(preferences)}"
        guard case .publicGroupCreated(_, _, let link, _) = try await owner.run(command) else { throw UnexpectedAnswer() }
        self.link = link.connectionLink
        var cores: [String: TestCore] = [:]
        for name in names {
            cores[name] = try await world.open(agent: .light)
            _ = try await cores[name]?.createUser(name)
        }
        subscribers = cores
        try await expectRelays(active: count)
        try await before(owner)
        for name in names { try await subscribe(name) }
    }

    static func address(of relay: TestCore, user: UserID = 1) async throws -> String {
        let made = await relay.answer("/_address \(user)")
        return try #require(made["connLinkContact"]?["connShortLink"]?.stringValue)
    }

    /// Configures relays.
    ///
    /// - Returns: Their ids, as commands name them.
    static func add(_ addresses: [String], to owner: TestCore) async throws -> String {
        _ = try await owner.run("/relays " + addresses.joined(separator: " "))
        guard case .userServers(_, let servers) = try await owner.run("/relays") else { throw UnexpectedAnswer() }
        return servers.flatMap(\.chatRelays).compactMap(\.chatRelayID).map(\.description).joined(separator: ",")
    }

    /// Waits until so many relays take subscribers.
    func expectRelays(active count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isReady = await owner.eventually {
            guard case .groupRelays(_, _, let relays)? = try? await owner.run("/_get relays #1") else { return false }
            return relays.count(where: { $0.status == .active }) == count
        }
        try #require(isReady, "the relays are not at work", sourceLocation: sourceLocation)
    }

    func prepare(_ core: TestCore) async throws {
        guard let short = link.shortLink,
            case .connectionPlan(_, let shown, _, _, .groupLink(.ok(_, let data?, _))) = try await core.run("/_connect plan 1 \(short)")
        else { throw UnexpectedAnswer() }
        _ = try await core.run("/_prepare group 1 \(shown.fullLink) \(short) direct=off \(data.jsonText)")
    }

    /// Subscribes, and waits until all relays are connected.
    func subscribe(_ name: String, incognito: Bool = false) async throws { try await subscribe(self[name], incognito: incognito) }

    func subscribe(_ core: TestCore, incognito: Bool = false) async throws {
        try await prepare(core)
        guard case .startedConnectionToGroup(_, _, _, let results) = try await core.run("/_connect group #1 incognito=\(incognito ? "on" : "off")")
        else { throw UnexpectedAnswer() }
        #expect(results.allSatisfy { $0.error == nil }, "\(results)")
        let isJoined = await core.wait { $0.count { if case .userJoinedGroup = $0 { true } else { false } } >= results.count }
        try #require(isJoined, "not subscribed: \(core.events.map(\.json.text).suffix(5))")
    }

    func members(at name: String) async -> [GroupMember] {
        guard case .groupMembers(_, let group)? = try? await self[name].run("/_members #1") else { return [] }
        return group.members
    }

    func member(_ other: String, at name: String) async throws -> GroupMember {
        let isKnown = await self[name].eventually { await members(at: name).contains { $0.localDisplayName == other } }
        try #require(isKnown, "\(name) does not know \(other)")
        return try #require(await members(at: name).first { $0.localDisplayName == other })
    }

    func info(at name: String) async throws -> GroupInfo {
        guard case .groupInfo(_, let group) = try await self[name].run("/_info #1") else { throw UnexpectedAnswer() }
        return group
    }

    func items(at name: String) async -> [ChatItem] {
        guard case .apiChat(_, let chat, _)? = try? await self[name].run("/_get chat #1 count=200") else { return [] }
        return chat.chatItems
    }

    /// The texts of messages, oldest first.
    func texts(at name: String) async -> [String] { await items(at: name).filter { $0.content.message != nil }.map(\.meta.text) }

    func item(_ text: String, at name: String) async throws -> ChatItem {
        await expect(text, at: name)
        return try #require(await items(at: name).last { $0.meta.text == text })
    }

    @discardableResult
    func post(_ text: String, as name: String = "owner", asGroup: Bool = true) async throws -> ChatItem {
        let json = JSONValue.array([["msgContent": ["type": "text", "text": .string(text)]]])
        guard case .newChatItems(_, let items) = try await self[name].run("/_send #1\(asGroup ? "(as_group=on)" : "") json \(json.text)"),
            let item = items.first
        else { throw UnexpectedAnswer() }
        return item.chatItem
    }

    func expect(_ text: String, at name: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let isThere = await self[name].eventually { await texts(at: name).contains(text) }
        let found = await texts(at: name)
        let errors = self[name].events.filter { if case .messageError = $0 { true } else if case .chatError = $0 { true } else { false } }
        #expect(isThere, "\(name) has not got \"\(text)\": \(found) \(errors.map(\.json.text))", sourceLocation: sourceLocation)
    }

    /// Waits until a condition holds at somebody.
    func eventually(
        _ what: Comment, at name: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping @Sendable () async throws -> Bool
    ) async {
        let holds = await self[name].eventually { (try? await condition()) ?? false }
        #expect(holds, what, sourceLocation: sourceLocation)
    }

    /// Sends a body past the rules of the engine, over the connection of one party with another.
    func send(_ body: Bytes, from sender: String, to receiver: String) async throws {
        let member = try await member(receiver, at: sender)
        let active = try #require(member.activeConnection)
        let connection = ConnectionID(try #require(Base64URL.decode(active.agentConnectionID)))
        let results = await self[sender].native.engine.agent.send([
            AgentSendRequest(connection: connection, body: body, flags: MessageFlags(notification: true), pqEncryption: false, key: nil)
        ])
        for result in results { _ = try result.get() }
    }

    /// Sends an event past the rules of the engine.
    func attack(_ event: ChatMessageEvent, from sender: String, to receiver: String) async throws {
        try await send(Self.body(event), from: sender, to: receiver)
    }

    static func body(_ event: ChatMessageEvent, id: SharedMessageID? = nil) throws -> Bytes {
        let id = id ?? SharedMessageID((0..<12).map { _ in UInt8.random(in: 0...255) })
        return try ChatMessage(messageID: id, event: event).body(limit: ChatLimits.encodedMessage)
    }

    /// Waits until a message error with this beginning is told.
    func expectError(_ text: String, at name: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let isTold = await self[name].wait {
            $0.contains { if case .messageError(_, _, let message) = $0 { message.hasPrefix(text) } else { false } }
        }
        let errors = self[name].events.filter { if case .messageError = $0 { true } else if case .chatError = $0 { true } else { false } }
        #expect(isTold, "\(name) tells of no error \"\(text)\": \(errors.map(\.json.text))", sourceLocation: sourceLocation)
    }

    func close() async {
        await owner.close()
        for core in relays { await core.close() }
        for core in subscribers.values { await core.close() }
    }
}

extension ItemDirection {
    /// The member who has written the item; nil in the name of a channel.
    var author: GroupMember? { if case .groupReceived(let member) = self { member } else { nil } }
}
