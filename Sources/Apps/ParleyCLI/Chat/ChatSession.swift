internal import AsyncPrimitives
internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// A person talking from a terminal, or a script: runs lines and prints events.
actor ChatSession {
    let core: any ChatCore
    let user: User
    let printer: ChatPrinter
    private(set) var open: ChatReference?
    private(set) var openInfo: ChatInfo? {
        // A chat opens by itself when a connection is made: the prompt must not name another.
        didSet { if TerminalInput.isTerminal { Output.replace(prompt: prompt) } }
    }
    private var arrivals = Arrivals()
    /// Connections that this session began: the chat opens by itself when they are there.
    var connecting = 0
    private var connected: [Promise<Void>] = []
    /// Items that are being sent, and the tasks that wait until the router has them or they have failed.
    private var sending: [ChatItemID: Promise<Delivery>] = [:]
    /// The outcomes of items whose sender has not asked yet.
    private var delivered: [ChatItemID: Delivery] = [:]
    private let deliveryTimeout: Duration
    private let runsRouter: Bool
    let filesFolder: String?

    /// Items whose delivery is remembered for a task that has not asked yet.
    private static let deliveredLimit = 1000

    /// - Parameters:
    ///   - deliveryTimeout: How long a message may take to the router before the session continues.
    ///   - runsRouter: Whether the profile's router ends with this process.
    ///   - filesFolder: The folder that paths of received files are relative to.
    init(
        core: any ChatCore, user: User, printer: ChatPrinter, deliveryTimeout: Duration = .seconds(10), runsRouter: Bool = false,
        filesFolder: String? = nil
    ) {
        self.filesFolder = filesFolder
        self.core = core
        self.user = user
        self.printer = printer
        self.deliveryTimeout = deliveryTimeout
        self.runsRouter = runsRouter
    }

    /// Prints what happens until the core is closed. What comes faster than it is printed is not printed, and that is said.
    func listen(to events: ChatEvents) async throws(ChatCoreError) {
        var isComplete = try await takeAll(events)
        while !isComplete {
            printer.say("(more came than could be shown: :list and :history show it)")
            isComplete = try await takeAll(core.events())
        }
    }

    /// - Returns: false if events were lost.
    private func takeAll(_ events: ChatEvents) async throws(ChatCoreError) -> Bool {
        var iterator = events.makeAsyncIterator()
        do throws(ChatCoreError) {
            while let event = try await iterator.next() {
                if event.user == nil || event.user?.userID == user.userID { await take(event) }
            }
        } catch {
            guard error.code == .eventsLost else { throw error }
            return false
        }
        return true
    }

    /// Shows a link, and for how long it leads here.
    func show(_ link: CreatedConnectionLink) {
        printer.show(link: link)
        guard runsRouter else { return }
        printer.say(
            "(Others reach you only on this machine and while parley chat runs: its router is inside it. Choose a lasting one with --server or --operators preset.)"
        )
    }

    var prompt: String { "\(openInfo.map(printer.title) ?? "parley")> " }

    /// Runs one line.
    ///
    /// - Returns: false when the session is over.
    func perform(_ line: ChatLine) async throws -> Bool {
        switch line {
        case .message, .reply: break
        default: arrivals.endSending()
        }
        switch line {
        case .nothing: break
        case .quit: return false
        case .help: printer.say(ChatLine.usage)
        case .message(let text):
            try await deliverOrSay(text)
        case .connect(let link): try await connect(link)
        case .invite: try await invite()
        case .address: try await showAddress()
        case .list: try await list()
        case .open(let name): try await openChat(chat(named: name).chatInfo, showing: TerminalInput.isTerminal ? 10 : 0)
        case .history(let count): try await history(count)
        case .numbers(let count): try await history(count, withNumbers: true)
        case .accept(let name): try await answerRequest(of: name, accept: true)
        case .reject(let name): try await answerRequest(of: name, accept: false)
        case .delete(let name): try await delete(name)
        case .reply(let text, let item):
            try await deliverOrSay(text, as: .message(quoting: replied(item)))
        case .react(let emoji, let added, let item): try await react(emoji, added: added, to: item)
        case .edit(let text, let item): try await edit(text, item)
        case .unsend(let item): try await unsend(item)
        case .send(let path): try await send(file: path)
        case .save(let item, let path): try await save(item, to: path)
        case .sync(let name): try await synchronize(name)
        case .group(let line): try await perform(group: line)
        case .wait(let seconds, let text):
            guard await arrivals.take(text).value(within: .seconds(seconds)) != nil else {
                let what = text.map { "no message with \"\(VisibleText.line($0))\"" } ?? "nothing"
                throw Outcome.Failed("chat.nothingCame", description: "\(what) came within \(seconds) seconds")
            }
        }
        return true
    }

    // MARK: Sending

    /// The outcome of sending a message.
    enum Delivery: Sendable {
        /// The router has it; in a group, the routers of all members.
        case taken
        /// It is not tried again.
        case failed
    }

    /// The form of a text in the open chat.
    enum Placement {
        case message(quoting: ChatItemID? = nil)
        case comment(GroupID, ChatItemID)
    }

    func deliverOrSay(_ text: String, as placement: Placement = .message()) async throws {
        switch try await deliver(text, as: placement) {
        case .taken?: return
        case .failed?: throw Outcome.Failed("chat.undeliverable", description: "the message cannot be delivered, and is not tried again")
        case nil: break
        }
        let routers = open?.type == .group ? "all members' routers yet: it will be, as soon as they" : "the router yet: it will be, as soon as the router"
        printer.say("(not delivered to \(routers) can be reached)")
    }

    /// Sends a text into the open chat.
    ///
    /// - Returns: What became of it; nil if the router did not take it in time. It is stored in either case.
    func deliver(_ text: String, as placement: Placement = .message()) async throws -> Delivery? {
        for sent in try await send(text, as: placement) {
            let delivery = await delivery(of: sent.id)
            guard delivery == .taken else { return delivery }
        }
        return .taken
    }

    /// The open chat, as messages are sent into it; nil without one. The owner of a channel posts in its name.
    var openTarget: SendTarget? {
        guard let open else { return nil }
        if let group = openInfo?.groupInfo, group.groupProfile.publicGroup != nil, group.membership.role == .owner, openInfo?.groupScope == nil {
            return .group(group.groupID, asGroup: true)
        }
        return SendTarget(open)
    }

    /// Sends a text into the open chat, in parts if it is too long for one message.
    func send(_ text: String, as placement: Placement = .message(), onceAs key: String? = nil) async throws -> [ChatItem] {
        guard let target = openTarget else {
            throw Outcome.BadInput("chat.noneOpen", description: "no chat is open: connect to somebody with :connect LINK, or :open NAME")
        }
        arrivals.beginSending()
        let parts = LongText.parts(of: text, first: LongText.limit(in: openInfo), other: LongText.limit(in: openInfo))
        var messages: [ComposedMessage] = []
        for part in parts {
            var quoted: ChatItemID?
            if messages.isEmpty, case .message(let item) = placement { quoted = item }
            messages.append(ComposedMessage(content: .text(part), quotedItemID: quoted, mentions: try await mentions(in: part)))
        }
        let command: MessageCommand =
            switch placement {
            case .message: .send(to: target, messages)
            case .comment(let channel, let post): .comment(channel, on: post, messages)
            }
        guard case .newChatItems(_, let items) = try await run(.messages(command), onceAs: key) else {
            throw Outcome.Failed("core.invalidResponse", description: "the message was not taken")
        }
        // Nobody is there to whom it could be delivered.
        for entry in items where entry.chatInfo.isEmptyGroup { delivered[entry.chatItem.id] = .taken }
        return items.map(\.chatItem)
    }

    /// Runs a command, once for all calls with a key.
    func run(_ command: ChatCommand, onceAs key: String?) async throws(ChatCoreError) -> ChatResponse {
        guard let key else { return try await core.send(command, as: user.userID) }
        guard let core = core as? any IdempotentChatCore else { throw ChatCoreError(.unsupported, "this core remembers no keys: leave out --once-as") }
        return try await core.send(command, as: user.userID, onceAs: key)
    }

    /// Waits until the router has taken an item or the item has failed, for as long as the session allows.
    private func delivery(of item: ChatItemID) async -> Delivery? {
        if let known = delivered.removeValue(forKey: item) { return known }
        let delivery = Promise<Delivery>()
        sending[item] = delivery
        return await delivery.value(within: deliveryTimeout)
    }

    // MARK: The open chat

    /// Opens the chat that was last active, if there is one, and shows how it went on.
    ///
    /// - Parameter count: How many of its last messages are shown.
    func openLast(showing count: Int) async throws {
        guard let chat = try await chats().first(where: { $0.chatInfo.isConversation }) else { return }
        try await openChat(chat.chatInfo, showing: count)
    }

    func openChat(_ info: ChatInfo, showing count: Int = 0) async throws {
        guard let reference = info.reference else { return }
        open = reference
        openInfo = info
        arrivals.forget()
        if count > 0 { try await history(count) }
    }

    func closeChat() { (open, openInfo) = (nil, nil) }

    /// Shows the last messages of the open chat, which are read thereby.
    private func history(_ count: Int, withNumbers: Bool = false) async throws {
        guard let open else { throw Outcome.BadInput("chat.noneOpen", description: "no chat is open: :open NAME") }
        var shown: [ChatItem] = [], info: ChatInfo?
        var page = ChatPagination.last(count)
        // Among the items of a page are those that are not messages: what features the chat has, and the like.
        while shown.count < count {
            guard case .apiChat(_, let chat, _) = try await core.send(.chats(.page(open, pagination: page)), as: user.userID),
                let oldest = chat.chatItems.first
            else { break }
            info = chat.chatInfo
            shown = chat.chatItems.filter(\.isWorthShowing) + shown
            page = .before(oldest.id, count: count)
        }
        guard let info else { return }
        for item in Array(shown.suffix(count)).inConversationOrder { printer.show(item, in: info, from: user, withTime: true, withNumber: withNumbers) }
        _ = try await core.send(.chats(.markRead(open)), as: user.userID)
    }

    // MARK: Connecting

    /// Waits until what this session began to connect is connected.
    func waitForConnection(within limit: Duration) async throws {
        guard connecting > 0 else { return }
        let connection = Promise<Void>()
        connected.append(connection)
        guard await connection.value(within: limit) != nil else {
            throw Outcome.Failed(
                "chat.notConnected", description: "not connected within \(limit.components.seconds) seconds; connecting continues at the next start")
        }
    }

    // MARK: Events

    private func take(_ event: ChatEvent) async {
        switch event {
        case .newChatItems(_, let items):
            for entry in items where entry.chatItem.direction.isReceived { await take(entry) }
        case .chatItemsStatusesUpdated(_, let items):
            for entry in items {
                let status = entry.chatItem.meta.status
                if status.isOnAllRouters { didDeliver(entry.chatItem.id, .taken) }
                if case .failed(let reason)? = DeliveryStatus(status) {
                    let chat = VisibleText.line(entry.chatInfo.localDisplayName), text = VisibleText.line(entry.chatItem.meta.text, limit: 60)
                    printer.say("(not delivered to \(chat), and not tried again: \(VisibleText.line(reason)): \(text))")
                    didDeliver(entry.chatItem.id, .failed)
                }
            }
        case .contactConnected(_, let contact, _):
            printer.connected(contact)
            await didConnect(.direct(contact: contact))
        case .userJoinedGroup(_, let group, _):
            printer.joined(group)
            await didJoin(group)
        case .chatItemUpdated(_, let entry) where entry.chatItem.direction.isReceived && entry.chatItem.meta.isEdited:
            printer.show(event)
            if open == nil || entry.chatInfo.reference == open { arrivals.change(entry.chatItem.meta.text) }
        case .contactUpdated(_, _, let contact):
            update(.direct(contact: contact))
            printer.show(event)
        case .groupUpdated(_, _, let group, _, _):
            update(.group(groupInfo: group, scope: nil))
            printer.show(event)
        default: printer.show(event)
        }
    }

    /// Opens a group that was joined; while this profile waits to be let in, its support chat.
    private func didJoin(_ group: GroupInfo) async {
        let own = ChatReference.group(group.groupID, scope: .memberSupport(nil))
        if group.membership.status.isPending {
            await didConnect(.group(groupInfo: group, scope: .memberSupport(groupMember: nil)))
        } else if open == own {
            await show(.group(groupInfo: group, scope: nil))
        } else {
            await didConnect(.group(groupInfo: group, scope: nil))
        }
    }

    /// Opens the chat, if this session began to connect.
    private func didConnect(_ chat: ChatInfo) async {
        guard connecting > 0 else { return }
        connecting -= 1
        await show(chat)
        connected.forEach { $0.resolve(()) }
        connected = []
    }

    /// Opens the chat. What was said in it already was shown when it came.
    private func show(_ chat: ChatInfo) async {
        open = chat.reference
        openInfo = chat
        arrivals.forget()
        if let open { await markRead(.chats(.markRead(open))) }
    }

    private func markRead(_ command: ChatCommand) async {
        do {
            _ = try await core.send(command, as: user.userID)
        } catch  where error.code == .closed {
            // The session is over: it stays unread.
        } catch {
            // It stays unread, as it would if nobody had looked.
            printer.say("(not marked as read: \(VisibleText.line(error.message)))")
        }
    }

    private func take(_ entry: ItemInChat) async {
        let isShown = entry.chatItem.isWorthShowing, isInOpenChat = entry.chatInfo.reference == open
        if isShown { printer.show(entry.chatItem, in: entry.chatInfo, from: user) }
        if isShown, entry.chatItem.isMessage, open == nil || isInOpenChat { arrivals.add(entry.chatItem.meta.text) }
        // What is never shown is nothing to read.
        guard isInOpenChat || !isShown, let chat = entry.chatInfo.reference else { return }
        await markRead(.chats(.markItemsRead(chat, [entry.chatItem.id])))
    }

    /// Takes in what the open chat is now, for the prompt and for what is sent.
    private func update(_ info: ChatInfo) {
        guard let open, info.reference == open, let openInfo, openInfo.groupScope == nil else { return }
        self.openInfo = info
    }

    private func didDeliver(_ item: ChatItemID, _ outcome: Delivery) {
        if let delivery = sending.removeValue(forKey: item) {
            delivery.resolve(outcome)
        } else if delivered.count < Self.deliveredLimit {
            delivered[item] = outcome
        }
    }
}

extension ChatInfo {
    /// True for a group in which nobody but this profile is.
    fileprivate var isEmptyGroup: Bool {
        if case .group(let group, nil) = self { group.groupSummary.currentMembers <= 1 } else { false }
    }
}

extension ItemStatus {
    /// True if the routers of all recipients, or some recipients themselves, have the sent item.
    fileprivate var isOnAllRouters: Bool {
        switch self {
        case .sent(progress: .partial): false
        default: isOnRouter
        }
    }
}
