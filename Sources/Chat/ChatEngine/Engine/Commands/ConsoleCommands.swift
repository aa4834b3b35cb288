import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Commands for people at a console: they become the commands with ids.

/// Commands for people at a console.
struct ConsoleCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands for people at a console.
    var consoleCommands: ConsoleCommands { ConsoleCommands(runner: self) }
}

extension ConsoleCommands {
    func run(_ command: ConsoleCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .help(let section): return .chatHelp(section: section)
        case .welcome: return .welcome(user: try await query { try $0.user() })
        case .send(let target, let text): return try await send(text, to: target)
        case .sendLive(let chat, let text):
            return try await transaction { transaction in
                let user = try transaction.user()
                let reference = try transaction.conversations.reference(chat, of: user)
                guard reference.type == .direct || reference.type == .group else { throw Refusal.command("not supported") }
                let message = Composition(try transaction.console.message(text, in: reference))
                let asGroup = try transaction.console.sendsAsGroup(reference, of: user)
                return try transaction.sentMessages.send([message], to: reference, isLive: true, ttl: nil, asGroup: asGroup, of: user)
            }
        case .quote(let name, let direction, let quoted, let text):
            let (id, item) = try await query { transaction in
                let contact = try transaction.conversations.contact(named: name, of: try transaction.user())
                let item = try transaction.console.itemID(.contact(contact.contactID), text: quoted, isSent: direction == .sent)
                return (contact.contactID, item)
            }
            return try await runner.run(.messages(.send(to: .direct(id), [ComposedMessage(content: .text(text), quotedItemID: item)])))
        case .edit(let chat, let old, let text):
            let (reference, item) = try await item(in: chat, text: old, isSent: true)
            let message = try await query { try $0.console.message(text, in: reference) }
            return try await runner.run(.messages(.update(reference, item, UpdatedMessage(content: message.content, mentions: message.mentions))))
        case .delete(let chat, let text):
            let (reference, item) = try await item(in: chat, text: text, isSent: true)
            return try await runner.run(.messages(.delete(reference, [item], mode: .broadcast)))
        case .react(let chat, let isAdded, let reaction, let text):
            let (reference, item) = try await item(in: chat, text: text, isSent: nil)
            return try await runner.run(.messages(.react(reference, item, add: isAdded, reaction)))
        case .forward(let target, let source, let member?, let text):
            let (group, item) = try await item(ofMember: member, inGroup: source.name, text: text)
            let (to, asGroup) = try await self.target(target)
            return try await runner.run(.messages(.forward(to: to, from: .group(group), [item], asGroup: asGroup)))
        case .forward(let target, let source, nil, let text):
            let (from, item) = try await item(in: source, text: text, isSent: nil)
            let (to, asGroup) = try await self.target(target)
            return try await runner.run(.messages(.forward(to: to, from: from, [item], asGroup: asGroup)))
        case .itemInfo(let chat, let text):
            let (reference, item) = try await item(in: chat, text: text, isSent: nil)
            return try await runner.run(.chats(.itemInfo(reference, item)))
        case .broadcast(let text): return try await transaction { try $0.console.broadcast(.text(text)) }
        case .lastChats(let count):
            return try await query(isLong: true) { transaction in
                let user = try transaction.user()
                return .chats(chats: try transaction.chats.chats(of: user, .last(count ?? 5_000), filter: .all, withConnections: false))
            }
        case .lastMessages(let chat, let count, let search):
            return try await query(isLong: true) { transaction in
                let user = try transaction.user()
                let items = try transaction.console.lastItems(count, of: chat, search: search, user: user)
                return .chatItems(user: user, chatName: chat, chatItems: items)
            }
        case .lastItemID(let chat, let index):
            return try await query { transaction in
                let user = try transaction.user()
                let scope = try chat.map {
                    try transaction.conversations.conversation(try transaction.conversations.reference($0, of: user), of: user).itemScope
                }
                return .chatItemID(
                    user: user, chatItemID: try transaction.db.pages.itemID(behind: index, in: scope ?? .user(user.userID)))
            }
        case .showItem(let id):
            return try await query { transaction in
                let user = try transaction.user()
                guard let id = try id ?? transaction.db.items.lastItemID(user: user.userID) else {
                    return .chatItems(user: user, chatName: nil, chatItems: [])
                }
                guard let stored = try transaction.db.items.find(id, user: user.userID, at: transaction.now) else {
                    throw Refusal.store(.chatItemNotFound(itemID: id))
                }
                let info = try transaction.conversations.conversation(of: stored, user: user).info
                return .chatItems(user: user, chatName: nil, chatItems: [ItemInChat(chatInfo: info, chatItem: stored.item)])
            }
        case .showLiveItems: return .cmdOk(user: nil)
        case .contact(let name, let command): return try await run(command, contact: name)
        case .setNotifications(let chat, let filter): return try await changeSettings(of: chat) { $0.notifications = filter }
        case .setReceipts(let chat, let sends): return try await changeSettings(of: chat) { $0.sendsReceipts = sends }
        case .setMessageTTL(let chat, let seconds):
            let user = try await query { try $0.user() }
            return try await runner.run(.chats(.setMessageTTL(user: user.userID, try await reference(chat), seconds: seconds)))
        case .messageTTL(let chat):
            return try await query { transaction in
                let user = try transaction.user()
                let reference = try transaction.conversations.reference(chat, of: user)
                switch reference.type {
                case .direct: return .chatItemTTL(user: user, ttl: try transaction.conversations.contact(ContactID(reference.id), of: user).chatItemTTL)
                case .group: return .chatItemTTL(user: user, ttl: try transaction.conversations.group(GroupID(reference.id), of: user).chatItemTTL)
                default: throw Refusal.command("not supported")
                }
            }
        case .clearNotes:
            let folder = try await query { try $0.conversations.noteFolderID(of: try $0.user()) }
            return try await runner.run(.chats(.clear(.local(folder))))
        case .quoteInGroup(let group, let member, let quoted, let text):
            let (id, item) = try await item(ofMember: member, inGroup: group, text: quoted)
            var message = try await query { try $0.console.message(text, in: .group(id)) }
            message.quotedItemID = item
            let asGroup = try await query { try $0.console.sendsAsGroup(.group(id), of: try $0.user()) }
            return try await runner.run(.messages(.send(to: .group(id, asGroup: asGroup), [message])))
        case .moderate(let group, let member, let text):
            let (id, item) = try await item(ofMember: member, inGroup: group, text: text)
            return try await runner.run(.messages(.moderate(id, [item])))
        case .group(let name, let command): return try await run(command, group: name)
        case .member(let group, let member, let command): return try await run(command, member: member, group: group)
        case .groups(let contact, let search):
            let (user, id) = try await query { transaction in
                let user = try transaction.user()
                return (user, try contact.map { try transaction.conversations.contact(named: $0, of: user).contactID })
            }
            return try await runner.run(.groups(.list(user: user.userID, contact: id, search: search)))
        case .newGroup(let incognito, let name, let description):
            let user = try await query { try $0.user() }
            // As official consoles make groups: members may write to each other, and those who join see what was written before.
            var preferences = GroupPreferences()
            preferences.set(.directMessages, .on)
            preferences.set(.history, .on)
            let profile = GroupProfile(displayName: name, fullName: "", shortDescription: description, groupPreferences: preferences)
            return try await runner.run(.groups(.create(user: user.userID, incognito: incognito, profile)))
        case .sendFile(let chat, let file): return try await send(file, .file(""), to: chat)
        case .sendImage(let chat, let file): return try await sendImage(file, to: chat)
        case .forwardFile(let chat, let id): return try await send(try await loadedFile(id), .file(""), to: chat)
        case .forwardImage(let chat, let id): return try await sendImage(try await loadedFile(id), to: chat)
        }
    }

    private func reference(_ chat: ChatName) async throws(ChatCoreError) -> ChatReference { try await target(chat).0 }

    /// The chat of a name, and whether the console sends into it in the name of the group.
    private func target(_ chat: ChatName) async throws(ChatCoreError) -> (ChatReference, asGroup: Bool) {
        try await query { transaction in
            let user = try transaction.user(), reference = try transaction.conversations.reference(chat, of: user)
            return (reference, try transaction.console.sendsAsGroup(reference, of: user))
        }
    }

    private func item(
        in chat: ChatName, text: String, isSent: Bool?
    ) async throws(ChatCoreError) -> (ChatReference, ChatItemID) {
        try await query { transaction in
            let user = try transaction.user()
            let reference = try transaction.conversations.reference(chat, of: user)
            return (
                reference, try transaction.console.itemID(try transaction.conversations.conversation(reference, of: user).owner, text: text, isSent: isSent)
            )
        }
    }

    private func send(_ text: String, to target: ConsoleTarget) async throws(ChatCoreError) -> ChatResponse {
        if case .member(let group, let member) = target { return try await send(text, toMember: member, inGroup: group) }
        let message = Composition(ComposedMessage(content: .text(text)))
        return try await transaction { transaction in
            let user = try transaction.user()
            switch target {
            case .contact(let name):
                let id = try transaction.console.contact(named: name, of: user)
                return try transaction.sentMessages.send([message], to: .direct(id), isLive: false, ttl: nil, of: user)
            case .notes:
                return try transaction.sentMessages.send(
                    [message], to: .local(try transaction.conversations.noteFolderID(of: user)), isLive: false, ttl: nil, of: user)
            case .group(let name):
                let group = try transaction.conversations.group(named: name, of: user)
                let reference = ChatReference.group(group.groupID)
                return try transaction.sentMessages.send(
                    [try transaction.console.message(text, in: reference)].map { Composition($0) }, to: reference, isLive: false, ttl: nil,
                    asGroup: group.sendsAsGroup, of: user)
            case .support(let name, let member):
                let group = try transaction.conversations.group(named: name, of: user)
                let id = try member.map { try transaction.conversations.member(named: $0, in: group).groupMemberID }
                let reference = ChatReference.group(group.groupID, scope: .memberSupport(id))
                return try transaction.sentMessages.send(
                    [try transaction.console.message(text, in: reference)].map { Composition($0) }, to: reference, isLive: false, ttl: nil, of: user)
            case .member: throw Refusal.command("not supported")
            }
        }
    }

    /// The newest message of a member, or of this profile, whose text begins so.
    private func item(ofMember name: String?, inGroup group: String, text: String) async throws(ChatCoreError) -> (GroupID, ChatItemID) {
        try await query { transaction in
            let group = try transaction.conversations.group(named: group, of: try transaction.user())
            let member = try name.map { try transaction.conversations.member(named: $0, in: group).groupMemberID }
            guard let item = try transaction.db.items.id(group: group.groupID, textPrefix: text, author: member, isSent: member == nil) else {
                throw Refusal.store(.chatItemNotFoundByText(text: text))
            }
            return (group.groupID, item)
        }
    }

    private func changeSettings(
        of chat: ChatName, _ change: @escaping @Sendable (inout ChatSettings) -> Void
    ) async throws(ChatCoreError) -> ChatResponse {
        try await transaction { transaction in
            let user = try transaction.user()
            let reference = try transaction.conversations.reference(chat, of: user)
            var settings: ChatSettings
            switch reference.type {
            case .direct: settings = try transaction.conversations.contact(ContactID(reference.id), of: user).chatSettings
            case .group: settings = try transaction.conversations.group(GroupID(reference.id), of: user).chatSettings
            default: throw Refusal.command("not supported")
            }
            change(&settings)
            return try transaction.chats.set(settings, of: reference)
        }
    }

    // MARK: Contacts by name

    private func run(_ command: NamedContactCommand, contact name: String) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .accept(let incognito): return try await runner.run(.address(.accept(try await requestID(name), incognito: incognito)))
        case .reject: return try await runner.run(.address(.reject(try await requestID(name))))
        default: break
        }
        let contact = try await query { try $0.conversations.contact(named: name, of: try $0.user()) }
        let id = contact.contactID
        switch command {
        case .info: return try await runner.run(.contacts(.info(id)))
        case .queueInfo: return try await runner.run(.contacts(.queueInfo(id)))
        case .switchQueue: return try await runner.run(.contacts(.switchQueue(id)))
        case .abortSwitch: return try await runner.run(.contacts(.abortSwitch(id)))
        case .syncRatchet(let force): return try await runner.run(.contacts(.syncRatchet(id, force: force)))
        case .securityCode: return try await runner.run(.contacts(.securityCode(id)))
        case .verify(let code): return try await runner.run(.contacts(.verify(id, code: code)))
        case .enable: return try await runner.run(.contacts(.enable(id)))
        case .delete(let mode): return try await runner.run(.chats(.delete(.direct(id), mode: mode)))
        case .clear: return try await runner.run(.chats(.clear(.direct(id))))
        case .acceptMemberContact: return try await runner.run(.contacts(.acceptMemberContact(id)))
        case .setFeature(let feature, let allowed):
            var preferences = contact.userPreferences
            preferences.set(feature, allow: allowed)
            return try await runner.run(.contacts(.setPreferences(id, preferences)))
        case .setTimedMessages(let setting):
            var preferences = contact.userPreferences
            let ttl = preferences.timedMessages?.ttl
            switch setting {
            case .enable(let seconds): preferences.setTimedMessages(.yes, ttl: seconds)
            case .enableKeepingTTL: preferences.setTimedMessages(.yes, ttl: ttl)
            case .disable: preferences.setTimedMessages(.no, ttl: ttl)
            case nil: preferences.setTimedMessages(nil, ttl: nil)
            }
            return try await runner.run(.contacts(.setPreferences(id, preferences)))
        case .call, .accept, .reject: return try await refuse("calls")
        }
    }

    private func requestID(_ name: String) async throws(ChatCoreError) -> UserContactRequestID {
        try await query { transaction in
            let user = try transaction.user()
            guard let id = try transaction.db.contactRequests.id(named: name, user: user.userID) else {
                throw Refusal.store(.contactRequestNotFoundByName(contactName: name))
            }
            return id
        }
    }
}
