import ChatAPI
import ChatProtocol
import Parley
import ProcessSupport
import TestSupport

/// A person who sends numbered messages to the bot and takes its answers, on a core in this process.
actor Exchange {
    /// Messages that wait for their answer at the most, so that the kills fall into the exchange and not behind it.
    static let window = 10

    private let core: any ChatCore
    private let user: User
    private let contact: Contact
    /// What the core has taken for sending, in order.
    private(set) var accepted: [String] = []
    /// Different answers that were announced as events.
    private(set) var answers = 0
    private var known: Set<String> = []
    private var waiters: [(answers: Int, sent: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private var isOver = false
    private var isFinishing = false
    private var watchdog: Watchdog?

    /// Connects to the bot.
    init(core: any ChatCore, to link: String) async throws {
        self.core = core
        let profile = NewUser(profile: Profile(displayName: "alice", fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await core.send(.users(.create(profile)), as: nil) else { throw RunFault("no profile was made") }
        self.user = user
        let events = core.events()
        _ = try await core.send(.core(.start()), as: nil)
        _ = try await core.send(.connections(.connectLink(link)), as: user.userID)
        var connected: Contact?
        for try await event in events {
            guard case .contactConnected(_, let contact, _) = event else { continue }
            connected = contact
            break
        }
        guard let connected else { throw RunFault("not connected") }
        contact = connected
    }

    /// Counts the answers until the core is closed.
    private func listen(to events: ChatEvents) async throws {
        for try await event in events {
            guard case .newChatItems(_, let items) = event else { continue }
            for entry in items where entry.chatItem.direction == .directReceived && entry.chatItem.isMessage {
                guard known.insert(entry.chatItem.meta.text).inserted else { continue }
                answers += 1
                watchdog?.feed()
            }
            wakeUp()
        }
    }

    /// Sends messages, and returns when what was accepted is answered and the disturbance has come to its end.
    ///
    /// - Parameters:
    ///   - count: `.max` to send as long as there is a disturbance.
    ///   - events: of the core, from before this call.
    /// - Returns: false when no answer has come for a minute, or there are no events any more.
    func conduct(_ count: Int, _ events: ChatEvents, disturbedBy disturb: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                try await self.listen(to: events)
                return .events
            }
            group.addTask {
                try await disturb()
                if count == .max { await self.finishSending() }
                return .disturbance
            }
            group.addTask {
                try await self.send(count)
                await self.waitUntilAnswered(self.accepted.count)
                return .exchange
            }
            group.addTask {
                await self.waitUntilStalled(for: .seconds(60))
                return .stall
            }
            defer {
                events.cancel()
                group.cancelAll()
            }
            var endings: Set<Ending> = []
            while !endings.isSuperset(of: [.disturbance, .exchange]), endings.isDisjoint(with: [.events, .stall]) {
                guard let ending = try await group.next() else { break }
                endings.insert(ending)
            }
            giveUp()
            return endings == [.disturbance, .exchange]
        }
    }

    /// What came to its end.
    private enum Ending {
        case disturbance, exchange, events, stall
    }

    /// Sends the messages, no faster than they are answered.
    private func send(_ count: Int) async throws {
        guard let target = SendTarget(.direct(contact.contactID)) else { throw RunFault("nothing can be sent to the contact") }
        var number = 0
        while number < count {
            number += 1
            await wait(answers: number - Self.window, sent: 0)
            if isOver || isFinishing { return }
            let text = "message \(number)"
            _ = try await core.send(.messages(.send(to: target, [ComposedMessage(content: .text(text))])), as: user.userID)
            accepted.append(text)
            wakeUp()
        }
    }

    /// Returns when so many messages were sent.
    func waitUntilSent(_ count: Int) async { await wait(answers: 0, sent: count) }

    /// Returns when so many answers have come.
    private func waitUntilAnswered(_ count: Int) async { await wait(answers: count, sent: 0) }

    /// Returns when no answer has come for so long, or when everybody is let go.
    private func waitUntilStalled(for limit: Duration) async {
        let (silence, continuation) = AsyncStream.makeStream(of: Void.self)
        watchdog = Watchdog(limit) { continuation.finish() }
        for await _ in silence {}
        watchdog?.dismiss()
    }

    /// Sends no more than what is being sent now.
    private func finishSending() { isFinishing = true }

    /// Lets everybody go who waits.
    private func giveUp() {
        isOver = true
        wakeUp()
    }

    private func wait(answers: Int, sent: Int) async {
        guard !isOver, self.answers < answers || accepted.count < sent else { return }
        await withCheckedContinuation { waiters.append((answers, sent, $0)) }
    }

    private func wakeUp() {
        waiters.removeAll { waiter in
            guard isOver || (answers >= waiter.answers && accepted.count >= waiter.sent) else { return false }
            waiter.continuation.resume()
            return true
        }
    }

    /// What the sender's chat has.
    func chat() async throws -> ChatTexts { try await ChatTexts(core: core, user: user, contact: contact) }
}

/// The messages of a chat as the store has them.
struct ChatTexts: Sendable, Hashable {
    var sent: [String] = []
    var received: [String] = []

    /// Reads the chat with a contact.
    init(core: any ChatCore, user: User, contact: Contact) async throws {
        guard case .apiChat(_, let chat, _) = try await core.send(.chats(.page(.direct(contact.contactID), pagination: .last(100_000))), as: user.userID)
        else { throw RunFault("the chat was not read") }
        for item in chat.chatItems {
            switch item.content {
            case .sentMessage(let content): sent.append(content.text)
            case .receivedMessage(let content): received.append(content.text)
            default: break
            }
        }
    }

    /// Reads the only chat of the only profile of a core.
    init(core: any ChatCore) async throws {
        guard case .usersList(let users) = try await core.send(.users(.list), as: nil), let user = users.first?.user,
            case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user.userID)), as: user.userID),
            case .direct(let contact) = chats.first(where: { if case .direct = $0.chatInfo { true } else { false } })?.chatInfo
        else { throw RunFault("there is no chat") }
        try await self.init(core: core, user: user, contact: contact)
    }
}
