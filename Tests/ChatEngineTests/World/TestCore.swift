import ChatAPI
import ChatProtocol
import ChatRules
import SMPSimulation
import Synchronization
import TestSupport
import Testing
import TranscriptSupport

@testable import ChatEngine
@testable import ChatStore

/// A core whose events are kept.
final class TestCore: Sendable {
    private struct State {
        var events: [ChatEvent] = []
        /// The events that have come, also those that were dropped.
        var total = 0
        var waiters: [(id: Int, wakes: CheckedContinuation<Void, Never>)] = []
        var next = 0
    }

    let native: NativeCore
    let network: SimulatedNetwork
    private let state = Mutex(State())
    private let reader = Mutex<Task<Void, Never>?>(nil)

    init(_ native: NativeCore, _ network: SimulatedNetwork) {
        self.native = native
        self.network = network
        let events = native.events(bufferingUpTo: 1_000_000)
        let task = Task { [weak self] in
            do {
                for try await event in events {
                    guard let self else { return }
                    add(event)
                }
            } catch {
                Issue.record(error)
            }
        }
        reader.withLock { $0 = task }
    }

    private func add(_ event: ChatEvent) {
        let waiters = state.withLock { state in
            state.events.append(event)
            state.total += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.wakes.resume() }
    }

    var events: [ChatEvent] { state.withLock { $0.events } }

    /// Drops the events that have come.
    func forgetEvents() { state.withLock { $0.events = [] } }

    /// Waits until the events fulfil a condition.
    ///
    /// - Returns: false if they do not in time.
    func wait(_ limit: Duration = .seconds(120), until condition: @escaping @Sendable ([ChatEvent]) -> Bool) async -> Bool {
        await eventually(limit) { [self] in condition(events) }
    }

    /// Takes the queue of a member for one that stays full.
    func setInactive(_ member: GroupMember) async throws {
        let id = try #require(member.activeConnection).connectionID
        try await native.engine.store.write { try $0.connections.update(id, authErrors: 0, quotaErrors: Connection.inactiveErrorCount) }
    }

    /// Waits until a condition is true; it is checked after every event, and now and then, since not every change has an event.
    ///
    /// - Returns: false if it is not in time.
    func eventually(_ limit: Duration = .seconds(120), _ condition: @escaping @Sendable () async -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + limit
        var pause: Duration = .milliseconds(250)
        while true {
            let seen = state.withLock { $0.total }
            if await condition() { return true }
            let now = ContinuousClock.now
            if now > deadline { return false }
            await nextEvent(after: seen, until: min(deadline, now + pause))
            pause = min(pause * 2, .seconds(16))
        }
    }

    private func nextEvent(after seen: Int, until deadline: ContinuousClock.Instant) async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let watchdog = Watchdog(deadline - .now + .milliseconds(1)) { [weak self] in self?.wake(id) }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.total > seen { return true }
                state.waiters.append((id, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        watchdog.dismiss()
    }

    private func wake(_ id: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).wakes
        }
        waiter?.resume()
    }

    // MARK: Commands

    func send(_ command: ChatCommand, as user: UserID? = nil) async throws -> ChatResponse {
        try await native.send(command, as: user)
    }

    /// Carries out a command as it is typed.
    ///
    /// - Returns: the answer as official cores print it, an error as `chatCmdError`.
    func answer(_ text: String, as user: UserID? = nil, for version: APIVersion) async throws -> JSONValue {
        let result: ChatResult
        do throws(ChatCoreError) {
            let command: ChatCommand
            do { command = try ChatCommand(parsing: text, for: version) } catch { throw ChatCoreError(error) }
            result = .response(try await native.send(command, as: user))
        } catch {
            guard let told = error.chatError else { return ["type": "chatCmdError", "chatError": .string(error.description)] }
            result = .error(told)
        }
        return try result.json(for: version)
    }

    /// Carries out a command as it is typed, for the newest version of the API.
    ///
    /// - Returns: the answer as official cores print it, an error as `chatCmdError`.
    func answer(_ text: String, as user: UserID? = nil) async -> JSONValue {
        do {
            let command: ChatCommand
            do { command = try ChatCommand(parsing: text) } catch { throw ChatCoreError(error) }
            return try await native.send(command, as: user).json
        } catch let error as ChatCoreError {
            return ["type": "chatCmdError", "chatError": error.chatError?.json ?? .string(error.description)]
        } catch {
            return ["type": "chatCmdError", "chatError": .string("\(error)")]
        }
    }

    func run(_ text: String, as user: UserID? = nil) async throws -> ChatResponse {
        try await native.send(ChatCommand(parsing: text), as: user)
    }

    func createUser(_ name: String, isChatRelay: Bool = false) async throws -> User {
        let new = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: isChatRelay)
        guard case .activeUser(let user) = try await send(.users(.create(new))) else { throw UnexpectedAnswer() }
        return user
    }

    /// Makes a one-time link.
    func invite(as user: UserID = 1) async throws -> String {
        guard let link = await answer("/_connect \(user)", as: user)["connLinkInvitation"]?["connFullLink"]?.stringValue else {
            throw UnexpectedAnswer()
        }
        return link
    }

    /// Joins by a link.
    func join(_ link: String, as user: UserID = 1) async throws { _ = try await run("/_connect \(user) \(link)", as: user) }

    /// Asks for what is there, again when the disk refuses that for the moment: no event would tell that it would answer now.
    private func look(_ text: String, as user: UserID) async -> ChatResponse? {
        for _ in 0..<30 {
            do {
                return try await run(text, as: user)
            } catch {
                guard let error = error as? ChatCoreError, error.isTemporary else { return nil }
            }
        }
        return nil
    }

    /// Who is connected, oldest first.
    func connected(as user: UserID = 1) async -> [ContactID] {
        guard case .contactsList(_, let contacts)? = await look("/_contacts \(user)", as: user) else { return [] }
        return contacts.filter { $0.activeConnection?.status == .ready }.map(\.contactID)
    }

    func send(_ text: String, to contact: ContactID, key: String? = nil, as user: UserID = 1) async throws -> ChatItem {
        let command = ChatCommand.messages(.send(to: .direct(contact), [ComposedMessage(content: .text(text))]))
        let answer =
            if let key { try await native.send(command, as: user, onceAs: key) } else { try await native.send(command, as: user) }
        guard case .newChatItems(_, let items) = answer, let item = items.first else { throw UnexpectedAnswer() }
        return item.chatItem
    }

    /// The last messages of a chat, oldest first.
    func messages(with contact: ContactID, count: Int = 100, as user: UserID = 1) async -> [ChatItem] {
        guard case .apiChat(_, let chat, _)? = await look("/_get chat @\(contact) count=\(count)", as: user) else { return [] }
        return chat.chatItems.filter { $0.content.message != nil }
    }

    /// What the contact has written last, oldest first.
    func received(from contact: ContactID, count: Int = 100, as user: UserID = 1) async -> [String] {
        await messages(with: contact, count: count, as: user).filter { $0.direction.isReceived }.map(\.meta.text)
    }

    func close() async {
        await native.close()
        await reader.withLock { $0 }?.value
    }
}

/// A core has answered with something else than the test goes on with.
struct UnexpectedAnswer: Error {}

extension ItemDirection {
    /// Whether the contact wrote the item.
    var isReceived: Bool { self == .directReceived }
}
