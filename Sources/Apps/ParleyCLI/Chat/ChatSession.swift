internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// A person talking from a terminal: carries out lines and prints what comes.
actor ChatSession {
    private let core: any ChatCore
    private let user: User
    private let json: Bool
    private var open: ChatReference?
    private var openName: String?
    /// Whoever waits for the next received message.
    private var waiting: [CheckedContinuation<Bool, Never>] = []
    /// Messages that came since the last wait, so that a quick answer is not missed.
    private var unseen = 0
    /// Connections that this session began: the chat opens by itself when they are there.
    private var connecting = 0
    /// Items on their way, and who waits until the router has them.
    private var sending: [ChatItemID: CheckedContinuation<Bool, Never>] = [:]
    private var settled: [ChatItemID: Bool] = [:]

    private let deliveryTimeout: Int

    /// - Parameter deliveryTimeout: seconds that a message may take to the router before the session goes on.
    init(core: any ChatCore, user: User, json: Bool, deliveryTimeout: Int = 10) {
        self.core = core
        self.user = user
        self.json = json
        self.deliveryTimeout = deliveryTimeout
    }

    /// Prints what happens until the core is closed.
    func listen(to events: ChatEvents) async throws {
        for try await event in events where event.user == nil || event.user?.userID == user.userID { show(event) }
    }

    /// Opens the chat that was last active, if there is one.
    func openLast() async throws {
        if let chat = try await chats().first(where: { $0.chatInfo.isConversation }) { openChat(chat.chatInfo) }
    }

    var prompt: String { "\(openName ?? "parley")> " }

    /// Carries out one line.
    ///
    /// - Returns: false when the session is over.
    func perform(_ line: ChatLine) async throws -> Bool {
        switch line {
        case .nothing: break
        case .quit: return false
        case .help: say(ChatLine.usage)
        case .message(let text):
            if try await !deliver(text) {
                say("(not delivered to the router yet: it will be, as soon as the router can be reached)")
            }
        case .connect(let link): try await connect(link)
        case .invite: try await invite()
        case .address: try await showAddress()
        case .list: try await list()
        case .open(let name): openChat(try await chat(named: name).chatInfo)
        case .history(let count): try await history(count)
        case .accept(let name): try await answerRequest(of: name, accept: true)
        case .reject(let name): try await answerRequest(of: name, accept: false)
        case .delete(let name): try await delete(name)
        case .wait(let seconds):
            guard await waitForMessage(seconds: seconds) else { throw Outcome.Failed(description: "nothing came within \(seconds) seconds") }
        }
        return true
    }

    // MARK: Lines

    /// Sends a text into the open chat.
    ///
    /// - Returns: whether the router took it in time. It is stored in either case.
    func deliver(_ text: String) async throws -> Bool {
        guard let open, let target = SendTarget(open) else {
            throw Outcome.BadInput(description: "no chat is open: :connect LINK, or :open NAME")
        }
        let message = ComposedMessage(content: .text(text))
        guard case .newChatItems(_, let items) = try await core.send(.messages(.send(to: target, [message])), as: user.userID) else {
            throw Outcome.Failed(description: "the message was not taken")
        }
        for item in items where await !isOnRouter(item.chatItem.id) { return false }
        return true
    }

    private func connect(_ link: String) async throws {
        connecting += 1
        do {
            switch try await core.send(.connections(.connectLink(link)), as: user.userID) {
            case .contactAlreadyExists(_, let contact):
                connecting -= 1
                say("You are connected to \(contact.localDisplayName) already.")
                openChat(.direct(contact: contact))
            case .sentConfirmation, .sentInvitation:
                say("Connecting …")
                // A script goes on when the contact is there; a person sees it when it is.
                if json || !Output.isTerminal { try await waitForConnection(seconds: 60) }
            default: break
            }
        } catch {
            connecting -= 1
            throw error
        }
    }

    private func invite() async throws {
        guard case .invitation(_, let link, _) = try await core.send(.connections(.add(user: user.userID)), as: user.userID) else {
            throw Outcome.Failed(description: "no link was made")
        }
        connecting += 1
        show(link: link)
    }

    private func showAddress() async throws {
        if let link = try await existingAddress() { return show(link: link) }
        guard case .userContactLinkCreated(_, let link) = try await core.send(.address(.create(user: user.userID)), as: user.userID) else {
            throw Outcome.Failed(description: "no address was made")
        }
        show(link: link)
    }

    private func existingAddress() async throws(ChatCoreError) -> CreatedConnectionLink? {
        do throws(ChatCoreError) {
            guard case .userContactLink(_, let link) = try await core.send(.address(.show(user: user.userID)), as: user.userID) else {
                return nil
            }
            return link.connectionLink
        } catch {
            guard error.isAddressNotFound else { throw error }
            return nil
        }
    }

    private func list() async throws {
        let chats = try await chats()
        if chats.isEmpty { say("No chats yet. Connect to somebody: :connect LINK") }
        for chat in chats {
            let unread = chat.chatStats.unreadCount
            let preview = chat.chatItems.last.map { ": " + $0.meta.text.prefix(60).replacing("\n", with: " ") } ?? ""
            say("\(chat.chatInfo.localDisplayName)\(unread > 0 ? " (\(unread) new)" : "")\(preview)")
        }
    }

    private func history(_ count: Int) async throws {
        guard let open else { throw Outcome.BadInput(description: "no chat is open: :open NAME") }
        guard case .apiChat(_, let chat, _) = try await core.send(.chats(.page(open, pagination: .last(count))), as: user.userID) else { return }
        for item in chat.chatItems { show(item, in: chat.chatInfo) }
    }

    private func answerRequest(of name: String, accept: Bool) async throws {
        let found = try await chats().compactMap { chat -> UserContactRequestID? in
            switch chat.chatInfo {
            case .contactRequest(let request) where request.localDisplayName == name: request.contactRequestID
            case .direct(let contact) where contact.localDisplayName == name: contact.contactRequestID
            default: nil
            }
        }.first
        guard let request = found else { throw Outcome.BadInput(description: "\"\(name)\" has not asked to connect") }
        if accept {
            connecting += 1
            _ = try await core.send(.address(.accept(request)), as: user.userID)
        } else {
            _ = try await core.send(.address(.reject(request)), as: user.userID)
        }
    }

    private func delete(_ name: String) async throws {
        let info = try await chat(named: name).chatInfo
        guard let reference = info.reference else { return }
        _ = try await core.send(.chats(.delete(reference)), as: user.userID)
        if reference == open { (open, openName) = (nil, nil) }
        say("\(name) is deleted.")
    }

    // MARK: Waiting

    private func waitForMessage(seconds: Int) async -> Bool {
        if unseen > 0 {
            unseen -= 1
            return true
        }
        let timer = Task {
            try await Task.sleep(for: .seconds(seconds))
            giveUpWaiting()
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func giveUpWaiting() {
        waiting.forEach { $0.resume(returning: false) }
        waiting = []
    }

    private var connected: [CheckedContinuation<Bool, Never>] = []

    private func waitForConnection(seconds: Int) async throws {
        guard connecting > 0 else { return }
        let timer = Task {
            try await Task.sleep(for: .seconds(seconds))
            endConnecting(false)
        }
        defer { timer.cancel() }
        guard await withCheckedContinuation({ connected.append($0) }) else {
            throw Outcome.Failed(description: "not connected within \(seconds) seconds; connecting goes on at the next start")
        }
    }

    private func endConnecting(_ success: Bool) {
        connected.forEach { $0.resume(returning: success) }
        connected = []
    }

    /// Waits until the router has taken an item, for as long as the session allows.
    private func isOnRouter(_ item: ChatItemID) async -> Bool {
        if let outcome = settled.removeValue(forKey: item) { return outcome }
        let timer = Task {
            try await Task.sleep(for: .seconds(deliveryTimeout))
            settle(item, false)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { sending[item] = $0 }
    }

    private func settle(_ item: ChatItemID, _ success: Bool) {
        if let waiter = sending.removeValue(forKey: item) {
            waiter.resume(returning: success)
        } else if settled.count < 1000 {
            settled[item] = success
        }
    }

    // MARK: Events

    private func show(_ event: ChatEvent) {
        switch event {
        case .newChatItems(_, let items):
            for item in items where item.chatItem.direction.isReceived {
                show(item.chatItem, in: item.chatInfo)
                guard case .receivedMessage = item.chatItem.content else { continue }
                if let waiter = waiting.popLast() { waiter.resume(returning: true) } else { unseen += 1 }
            }
        case .chatItemsStatusesUpdated(_, let items):
            for item in items where item.chatItem.meta.status.isOnRouter { settle(item.chatItem.id, true) }
        case .chatItemUpdated(_, let item) where item.chatItem.direction.isReceived:
            say("\(item.chatInfo.localDisplayName) changed a message: \(item.chatItem.meta.text)")
        case .chatItemReaction(_, let added, let reaction) where reaction.chatReaction.direction.isReceived:
            if case .emoji(let emoji) = reaction.chatReaction.reaction {
                say("\(reaction.chatInfo.localDisplayName) \(added ? "reacted" : "took back") \(emoji): \(reaction.chatReaction.chatItem.meta.text.prefix(60))")
            }
        case .chatItemsDeleted(_, let deletions, byUser: false, _):
            for deletion in deletions { say("\(deletion.deletedChatItem.chatInfo.localDisplayName) deleted a message.") }
        case .contactConnected(_, let contact, _):
            say("\(contact.localDisplayName) is connected.")
            if connecting > 0 {
                connecting -= 1
                openChat(.direct(contact: contact))
                endConnecting(true)
            }
        case .receivedContactRequest(_, let request, _):
            say("\(request.localDisplayName) asks to connect: :accept \(request.localDisplayName), or :reject")
        case .contactDeletedByContact(_, let contact):
            say("\(contact.localDisplayName) has deleted you.")
        default: break
        }
    }

    private func show(_ item: ChatItem, in info: ChatInfo) {
        if json {
            let sender = item.direction.isReceived ? info.localDisplayName : user.localDisplayName
            return Output.line(
                #"{"event":"message","chat":\#(Output.quoted(info.localDisplayName)),"from":\#(Output.quoted(sender)),"text":\#(Output.quoted(item.meta.text)),"item":\#(item.id)}"#)
        }
        let sender = item.direction.isReceived ? info.localDisplayName : user.localDisplayName
        if let quote = item.quotedItem { say("    | \(quote.content.text.prefix(100))") }
        say("\(sender): \(item.meta.text)")
    }

    private func show(link: CreatedConnectionLink) {
        if json { return Output.line(#"{"event":"link","link":\#(Output.quoted(link.shortLink ?? link.fullLink)),"fullLink":\#(Output.quoted(link.fullLink))}"#) }
        Output.link(link.shortLink ?? link.fullLink)
    }

    private func say(_ text: String) {
        if json { Output.line(#"{"event":"note","text":\#(Output.quoted(text))}"#) } else { Output.line(text) }
    }

    // MARK: Chats

    private func openChat(_ info: ChatInfo) {
        guard let reference = info.reference else { return }
        open = reference
        openName = info.localDisplayName
    }

    private func chats() async throws -> [Chat] {
        guard case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user.userID)), as: user.userID) else { return [] }
        return chats
    }

    private func chat(named name: String) async throws -> Chat {
        let chats = try await chats()
        if let chat = chats.first(where: { $0.chatInfo.localDisplayName == name }) { return chat }
        let similar = chats.filter { $0.chatInfo.localDisplayName.lowercased() == name.lowercased() }
        if similar.count == 1 { return similar[0] }
        let names = chats.map(\.chatInfo.localDisplayName).filter { !$0.isEmpty }.joined(separator: ", ")
        throw Outcome.BadInput(description: "there is no chat \"\(name)\"; there are: \(names.isEmpty ? "none" : names)")
    }
}
