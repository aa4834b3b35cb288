internal import ChatAPI
internal import ChatEngine
internal import ChatProtocol
internal import ChatSimulation
public import Foundation
internal import Logging
public import Parley
internal import SMPAgent
internal import SMPClient
internal import SMPProtocol
internal import SMPSimulation
internal import SMPWire
internal import Synchronization
internal import XFTPProtocol
internal import XFTPServer

/// Bots at work, and the people of a test.
public final class TestRoom: Sendable {
    /// The longest wait for something that is expected: 30 seconds, or as many as the environment variable `PARLEY_TEST_PATIENCE` says. A test that passes
    /// does not come near it, unless the machine stops for a while.
    static let patience = Duration.seconds(
        ProcessInfo.processInfo.environment["PARLEY_TEST_PATIENCE"].flatMap { Int($0) }.map { min(max($0, 1), 3_600) } ?? 30)

    private struct Running: Sendable {
        let host: CoreHost
        let session: BotSession
        let task: Task<Void, any Error>
        let profiles: [HostReady.Profile]
    }

    private struct State {
        var running: Running?
        var people: [TestPerson] = []
        var suppressed: [SuppressedEffect] = []
        /// The router of files; nil before the first start, and where the bots have one of their own.
        var fileRouter: FileRouter?
        /// The files that were made for people.
        var files = 0
    }

    private let bots: [Bot]
    private let depth: TestDepth
    private let relay: HostRelay
    private let isDryRun: Bool
    private let time: TestTime
    private let folder: String
    /// The connections, with ``TestDepth/chat``.
    private let simulator: ConnectionSimulator
    /// The network, with ``TestDepth/engine``.
    private let internet = SimulatedInternet()
    private let router: SimulatedRouter
    /// The routers that clients are given; none for those of the bots' process.
    private var routerAddresses: [String] { depth == .live ? [] : [router.address.wireString] }
    /// True if the test moves the time.
    private var controlsTime: Bool { depth != .live }
    private let state = Mutex(State())
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init(_ bots: [Bot], depth: TestDepth, startingAt date: Date, relay: HostRelay, isDryRun: Bool) throws {
        self.bots = bots
        self.relay = relay
        self.isDryRun = isDryRun
        self.depth = depth
        let time = TestTime(date)
        self.time = time
        simulator = ConnectionSimulator(now: { time.nextMoment() })
        folder = Self.temporaryFolder + "parley-test-" + UUID().uuidString
        // The clients' cores use the system time, also if their bots have another time: with a router whose clock is behind, forwarded group messages would be
        // older than the membership, and taken for history.
        router = internet.addRouter("router.example", now: { Int64(Date().timeIntervalSince1970) })
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The folder for temporary folders, with a slash: in memory, if the system has such a folder with room and no other is asked for. On a disk, most of
    /// a test would be waiting for it.
    private static let temporaryFolder: String = {
        let memory = "/dev/shm/"
        guard ProcessInfo.processInfo.environment["TMPDIR"] == nil, FileManager.default.isWritableFile(atPath: memory),
            let free = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? NSNumber, free.int64Value >= 1 << 28
        else { return NSTemporaryDirectory() }
        return memory
    }()

    // MARK: The bots

    /// The time as the bots see it.
    public var now: Date { controlsTime ? time.now : Date() }

    /// A bot by its id or name, to look at its state or to have it do something outside of handlers.
    public func bot(_ id: String) throws -> BotClient {
        guard let profile = profiles.first(where: { $0.id == id || $0.name == id }) else { throw TestRoomError("there is no bot \"\(id)\"") }
        return profile.client
    }

    /// The effects that the bots would have had in a dry run, in their order. Call ``settle()`` before.
    public var suppressed: [SuppressedEffect] { state.withLock(\.suppressed) }

    private func note(_ effect: SuppressedEffect) { state.withLock { $0.suppressed.append(effect) } }

    var profiles: [HostReady.Profile] { state.withLock { $0.running?.profiles ?? [] } }

    /// The path of a new file for a person, in a folder of its own.
    func newFile(named name: String) throws -> String {
        let number = state.withLock { state in
            state.files += 1
            return state.files
        }
        let place = "\(folder)/files-\(number)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        return "\(place)/\((name as NSString).lastPathComponent)"
    }

    /// Starts the router of files. It is real, on a loopback port: only messages are passed on in memory.
    private func startFileRouter() async throws {
        guard depth == .engine, state.withLock({ $0.fileRouter == nil }) else { return }
        var configuration = FileRouterConfiguration(folder: "\(folder)/file-router")
        (configuration.host, configuration.port) = ("127.0.0.1", 0)
        let router = try await FileRouter.start(configuration, logger: Self.logger)
        state.withLock { $0.fileRouter = router }
    }

    func start() async throws {
        try await startFileRouter()
        let host = try await open("bots", servers: routerAddresses)
        do {
            var dryRun: (@Sendable (SuppressedEffect) -> Void)?
            if isDryRun { dryRun = { [weak self] effect in self?.note(effect) } }
            let session = try await BotSession(
                bots, on: host, now: { [time, controlsTime] in controlsTime ? time.now : Date() },
                sleep: { [time, controlsTime] in if controlsTime { try await time.sleep($0) } else { try await Task.sleep(for: $0) } },
                logger: Self.logger, dryRun: dryRun)
            let ready = AsyncStream<[HostReady.Profile]>.makeStream()
            let task = Task {
                defer { ready.continuation.finish() }
                try await session.run { ready.continuation.yield($0) }
            }
            for await profiles in ready.stream {
                state.withLock { $0.running = Running(host: host, session: session, task: task, profiles: profiles) }
                return
            }
            try await task.value
            throw TestRoomError("the bots ended before they were ready")
        } catch {
            await host.close()
            throw error
        }
    }

    private func stop() async {
        guard let running = state.withLock({ $0.running.take() }) else { return }
        running.task.cancel()
        _ = await running.task.result
        try? await running.session.close()
        await running.host.close()
    }

    /// Stops the program of the bots in good order, and starts it again on the same data.
    ///
    /// - Parameter downtime: the time that passes between both, unless it passes by itself.
    public func restart(after downtime: Duration = .zero) async throws {
        try await settle()
        await stop()
        try await moveTime(to: now.addingTimeInterval(Double(downtime.components.seconds)))
        try await start()
    }

    /// Moves the time forward for timers, dialogues and limits: each timer that becomes due runs at its time. With ``TestDepth/chat``, messages disappear
    /// by it, too.
    ///
    /// - Throws: ``TestRoomError`` with ``TestDepth/live``.
    public func advance(by duration: Duration) async throws {
        guard controlsTime else { throw TestRoomError("time passes by itself with routers on loopback ports") }
        try await settle()
        let end = time.now.addingTimeInterval(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
        while let session = state.withLock({ $0.running?.session }), let next = try await session.nextTimer(), next <= end {
            try await moveTime(to: next)
            await session.settle()
        }
        try await moveTime(to: end)
        try await settle()
    }

    /// Moves the time. Messages whose time is over are gone before anybody wakes.
    private func moveTime(to date: Date) async throws {
        time.move(to: date)
        if depth == .chat { for host in hosts { try await host.removeExpiredMessages() } }
        time.wake()
    }

    /// The clients of the bots and of people.
    private var hosts: [CoreHost] { state.withLock { state in (state.running.map { [$0.host] } ?? []) + state.people.map(\.host) } }

    /// Returns when everything that people have said has been handled, and everything that bots have said has arrived.
    public func settle() async throws {
        let end = ContinuousClock.now + Self.patience
        while let reason = try await unrest() {
            if ContinuousClock.now >= end { throw TestRoomError("the bots did not come to rest within \(Self.patience): \(reason)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Something that has still to be handled or to arrive; nil if there is nothing.
    ///
    /// One look follows the way of a message: from a handler or timer to a core, over the network to another core, and as an event to a handler. Nothing can
    /// pass the look unless it passes the handlers or the network meanwhile, and these are counted.
    private func unrest() async throws -> String? {
        guard let running = state.withLock({ $0.running }) else { return nil }
        await running.session.settle()
        let before = motion(of: running)
        guard before.handlers != nil else { return "a handler runs" }
        if let reason = try await rest(of: running) { return reason }
        await running.session.settle()
        return motion(of: running) == before ? nil : "something has moved during the look"
    }

    /// The handlers that have begun, nil while one runs, and the messages that cores have taken from the network.
    private func motion(of running: Running) -> (handlers: Int?, messages: Int) {
        let messages =
            switch depth {
            case .chat: simulator.finishedCount
            case .engine: router.acknowledgedCount
            case .live: running.host.takenMessages
            }
        return (running.session.countAtRest, messages)
    }

    private func rest(of running: Running) async throws -> String? {
        for profile in running.profiles {
            if let text = try await unsent(running.host.core, profile.client.bot.userID) { return "\(profile.name)'s \(text)" }
        }
        for person in state.withLock(\.people) {
            if let text = try await unsent(person.core, person.user) { return "\(person.name)'s \(text)" }
        }
        for host in hosts {
            let unfinished = try await host.unfinishedMessages()
            guard unfinished == 0 else { return "\(unfinished) messages are not sent or not passed on" }
        }
        // A router keeps a message until its receiver has stored it. Receipts would not do: a message that comes before the connection is complete gets
        // none.
        let waiting =
            switch depth {
            case .chat: simulator.unfinishedCount
            case .engine: router.messageCount
            case .live: running.host.waitingMessages
            }
        guard waiting == 0 else { return "\(waiting) messages or events are on their way" }
        for profile in running.profiles {
            guard await running.session.isUpToDate(profile.client.bot.userID) else { return "\(profile.name) has not handled every event" }
        }
        return nil
    }

    /// A message of a profile that no router has yet, among the last ones of each chat; nil if there is none.
    private func unsent(_ core: any ChatCore, _ user: UserID) async throws -> String? {
        guard case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user)), as: user) else { return nil }
        for chat in chats {
            guard let reference = chat.chatInfo.reference else { continue }
            let answer: ChatResponse
            do {
                answer = try await core.send(.chats(.page(reference, pagination: .last(10))), as: user)
            } catch {
                guard error.isMissingChat else { throw error }
                // A handler rejected the request, or left the group, between the two reads.
                return "chat \(chat.chatInfo.displayName) was deleted while it was read"
            }
            guard case .apiChat(_, let page, _) = answer else { continue }
            for item in page.chatItems where item.isMessage && item.direction.isSent && item.meta.status == .sendNew {
                return "message \"\(item.meta.text.prefix(40))\" to \(chat.chatInfo.displayName) is not sent"
            }
        }
        return nil
    }

    // MARK: People

    /// A new person, who connects with a bot.
    ///
    /// - Parameters:
    ///   - name: the display name.
    ///   - bot: the id or name of the bot; the first one if it is not given. A bot without an address is not connected with.
    public func person(_ name: String, with bot: String? = nil) async throws -> TestPerson {
        let person = try await stranger(name)
        guard let profile = bot.map({ id in profiles.first { $0.id == id || $0.name == id } }) ?? profiles.first else {
            throw TestRoomError("there is no bot \"\(bot ?? "")\"")
        }
        if profile.address != nil { try await person.connect(with: profile.id) }
        return person
    }

    /// The links that a bot has made for trusted contacts who have not connected, as of its last start.
    ///
    /// - Parameter bot: the id or name of the bot; the first one if it is not given.
    public func invitations(of bot: String? = nil) throws -> [HostReady.Invitation] {
        guard let profile = bot.map({ id in profiles.first { $0.id == id || $0.name == id } }) ?? profiles.first else {
            throw TestRoomError("there is no bot \"\(bot ?? "")\"")
        }
        return profile.invitations
    }

    /// A new person, who connects with a bot by the link that the bot has made for a trusted contact.
    ///
    /// - Parameters:
    ///   - name: the display name.
    ///   - trusted: the name in `Bot.trustedContacts`.
    ///   - bot: the id or name of the bot; the first one if it is not given.
    public func person(_ name: String, trustedAs trusted: String, with bot: String? = nil) async throws -> TestPerson {
        let person = try await stranger(name)
        let profile = bot.map { id in profiles.first { $0.id == id || $0.name == id } } ?? profiles.first
        guard let profile, let invitation = profile.invitations.first(where: { $0.name == trusted }) else {
            throw TestRoomError("there is no bot \(bot.map { "\"\($0)\" " } ?? "")that has an unused invitation for \"\(trusted)\"")
        }
        try await person.connect(with: profile, by: invitation.link)
        return person
    }

    /// A new person without contacts.
    public func stranger(_ name: String) async throws -> TestPerson {
        let host = try await open("person-\(state.withLock(\.people).count)", servers: depth == .live ? liveServers : routerAddresses)
        do {
            let new = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
            guard case .activeUser(let user) = try await host.core.send(.users(.create(new)), as: nil) else {
                throw TestRoomError("the profile of \(name) was not made")
            }
            _ = try await host.core.send(.core(.start()), as: nil)
            let person = TestPerson(name, user: user.userID, host: host, room: self)
            state.withLock { $0.people.append(person) }
            return person
        } catch {
            await host.close()
            throw error
        }
    }

    private var liveServers: [String] { state.withLock { $0.running?.host.servers ?? [] } }

    private func open(_ name: String, servers: [String]) async throws -> CoreHost {
        var configuration = HostConfiguration(dataFolder: "\(folder)/\(name)", logger: Self.logger)
        configuration.servers = servers
        configuration.fileServers = state.withLock { state in
            if depth == .chat { return [SimulatedFileStorage.address] }
            if let router = state.fileRouter { return [router.address.wireString] }
            return name == "bots" ? [] : state.running?.host.fileServers ?? []
        }
        configuration.databaseKey = nil
        configuration.relay = relay
        switch depth {
        case .chat:
            return try await CoreHost.open(configuration) { [simulator, time] in
                try NativeCore.open(
                    $0, simulatedBy: simulator, as: name, now: { UTCTimestamp(timeIntervalSince1970: time.nextMoment().timeIntervalSince1970) },
                    age: { UTCTimestamp(timeIntervalSince1970: time.now.timeIntervalSince1970) })
            }
        case .engine:
            return try await CoreHost.open(configuration) { [internet] setup in
                var setup = setup
                // Post-quantum keys would take most of the time of a test.
                setup.agent.ratchetVersions = VersionRange(2)
                return try NativeCore.open(setup, network: internet.makeClient())
            }
        case .live: return try await CoreHost.open(configuration)
        }
    }

    func close() async {
        for person in state.withLock({ state in
            defer { state.people = [] }
            return state.people
        }) { await person.host.close() }
        await stop()
        await state.withLock({ $0.fileRouter.take() })?.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Something that a test asks for and that is not possible.
public struct TestRoomError: Error, Sendable, CustomStringConvertible {
    /// A message that a person can act on.
    public let description: String

    init(_ description: String) { self.description = description }
}
