internal import ChatAPI
public import ChatProtocol
internal import Foundation
internal import Parley
internal import Synchronization

/// Somebody who talks to bots: a client of its own.
public final class TestPerson: Sendable {
    /// The display name.
    public let name: String
    let user: UserID
    let host: CoreHost
    let room: TestRoom
    /// The last message of each chat that an expectation has used up.
    private let read = Mutex<[String: ChatItemID]>([:])
    /// The chat with the bot that the person connected with last.
    private let bot = Mutex<String?>(nil)

    var core: any ChatCore { host.core }

    init(_ name: String, user: UserID, host: CoreHost, room: TestRoom) {
        self.name = name
        self.user = user
        self.host = host
        self.room = room
    }

    // MARK: Connecting

    /// Connects with a bot by its address, and waits until messages can go both ways.
    ///
    /// - Parameter id: the id or name of the bot.
    public func connect(with id: String) async throws {
        let profile = try profile(id)
        guard let address = profile.shortAddress ?? profile.address else { throw TestRoomError("\(id) has no address") }
        try await connect(with: profile, by: address)
    }

    /// Connects with a bot by a link of its, and waits until both can write.
    func connect(with profile: HostReady.Profile, by link: String) async throws {
        _ = try await core.connect(by: link, as: user)
        try await wait("\(profile.name) accepts \(name)") {
            guard let contact = try await self.contact(profile.name), contact.isReady else { return false }
            return await profile.chats.all.contains { $0.info.contact.map { $0.isReady && $0.profile.displayName == self.name } ?? false }
        }
        bot.withLock { $0 = profile.name }
    }

    /// Asks to connect with a bot that decides itself, and does not wait.
    public func request(_ id: String) async throws {
        let profile = try profile(id)
        guard let address = profile.shortAddress ?? profile.address else { throw TestRoomError("\(id) has no address") }
        _ = try await core.connect(by: address, as: user)
        bot.withLock { $0 = profile.name }
    }

    /// A new link by which one bot or person can connect with this one, once. The person's client accepts on its own.
    public func makeInvitation() async throws -> String {
        guard case .invitation(_, let link, _) = try await core.send(.connections(.add(user: user)), as: user) else {
            throw TestRoomError("the client of \(name) made no link")
        }
        return link.shortLink ?? link.fullLink
    }

    /// Joins a group by the link of a bot that keeps it, and waits until it can write there.
    ///
    /// - Parameter id: the id of the group, as `Bot.groups` has it.
    public func join(group id: String) async throws {
        guard let group = room.profiles.flatMap(\.managedGroups).first(where: { $0.id == id || $0.name == id }), let link = group.link else {
            throw TestRoomError("no bot keeps a group \"\(id)\" with a link")
        }
        _ = try await core.connect(by: link, as: user)
        try await wait("\(name) joins \(group.name)") {
            guard case .group(let info, _)? = try await self.chat(group.name)?.chatInfo else { return false }
            return info.membership.status == .connected || info.membership.status == .complete
        }
    }

    /// Subscribes to a channel that a bot keeps, and waits until its posts come.
    ///
    /// - Parameter id: the id or name of the channel, as `Bot.channels` has it.
    public func subscribe(to id: String) async throws {
        guard let channel = room.profiles.flatMap(\.managedChannels).first(where: { $0.id == id || $0.name == id }), let link = channel.link else {
            throw TestRoomError("no bot keeps a channel \"\(id)\" with a link")
        }
        _ = try await core.connect(by: link, as: user)
        try await wait("\(name) subscribes to \(channel.name)") {
            guard case .group(let info, _)? = try await self.chat(channel.name)?.chatInfo else { return false }
            return info.membership.status == .connected
        }
    }

    /// Changes the display name, and sends it to the contacts of the person. ``name``, which the room uses, does not change.
    public func rename(to name: String) async throws {
        _ = try await core.send(.users(.updateProfile(user: user, Profile(displayName: name, fullName: ""))), as: user)
    }

    // MARK: Talking

    /// Says something to the bot, or in a group.
    ///
    /// - Parameter chat: the name of a contact or group; the bot that the person connected with if it is not given.
    public func say(_ text: String, in chat: String? = nil) async throws { try await send(ComposedMessage(content: .text(text)), in: chat) }

    /// Answers the last message that was received, with a quote of it.
    public func reply(_ text: String, in chat: String? = nil) async throws {
        let last = try await lastItem(in: chat) { $0.direction.isReceived }
        try await send(ComposedMessage(content: .text(text), quotedItemID: last.id), in: chat)
    }

    /// Sends a message of any kind.
    public func send(_ content: MessageContent, in chat: String? = nil) async throws { try await send(ComposedMessage(content: content), in: chat) }

    /// Changes the last message that the person has sent.
    public func edit(_ text: String, in chat: String? = nil) async throws {
        let last = try await lastItem(in: chat) { $0.direction.isSent }
        _ = try await core.send(.messages(.update(try await reference(chat), last.id, UpdatedMessage(content: .text(text)))), as: user)
    }

    /// Deletes the last message that the person has sent, for everybody.
    public func unsend(in chat: String? = nil) async throws {
        let last = try await lastItem(in: chat) { $0.direction.isSent }
        _ = try await core.send(.messages(.delete(try await reference(chat), [last.id], mode: .broadcast)), as: user)
    }

    /// Reacts to the last message that was received.
    public func react(_ emoji: String, in chat: String? = nil) async throws {
        guard let reaction = ReactionEmoji(emoji) else { throw TestRoomError("\"\(emoji)\" is not a reaction") }
        let last = try await lastItem(in: chat) { $0.direction.isReceived }
        _ = try await core.send(.messages(.react(try await reference(chat), last.id, add: true, .emoji(reaction))), as: user)
    }

    /// Leaves a group.
    public func leave(_ group: String) async throws {
        guard case .group(let info, _)? = try await chat(group)?.chatInfo else { throw TestRoomError("\(name) is in no group \"\(group)\"") }
        _ = try await core.send(.groups(.leave(info.groupID)), as: user)
    }

    // MARK: Expecting

    /// Waits for the next message, and checks its text.
    ///
    /// Messages are used up in the order in which they came, one by each expectation.
    ///
    /// - Throws: ``ConversationError`` if the next message has another text, or if none comes.
    @discardableResult
    public func expect(_ text: String, in chat: String? = nil, file: String = #fileID, line: Int = #line) async throws -> TestMessage {
        try await expect("\"\(text)\"", in: chat, file: file, line: line) { $0.text == text }
    }

    /// Waits for the next message, and checks that its text has a part.
    @discardableResult
    public func expect(containing part: String, in chat: String? = nil, file: String = #fileID, line: Int = #line) async throws -> TestMessage {
        try await expect("a message with \"\(part)\"", in: chat, file: file, line: line) { $0.text.contains(part) }
    }

    /// Waits for the next message, and checks it.
    ///
    /// - Parameter expected: the expectation, as a text for the error.
    @discardableResult
    public func expect(
        _ expected: String, in chat: String? = nil, file: String = #fileID, line: Int = #line, where isExpected: (TestMessage) -> Bool
    ) async throws -> TestMessage {
        guard let message = try await nextMessage(in: chat) else {
            throw try await failure("\(name) expected \(expected), and nothing came", in: chat, file, line)
        }
        guard isExpected(message) else {
            throw try await failure("\(name) expected \(expected), and got \"\(message.text)\"", in: chat, file, line)
        }
        return message
    }

    /// Waits until the last received message has a text: an edited message, or a growing live message.
    public func expectEdited(_ text: String, in chat: String? = nil, file: String = #fileID, line: Int = #line) async throws {
        do {
            try await wait("a message that becomes \"\(text)\"") {
                try await self.items(in: chat).last { $0.isMessage && $0.direction.isReceived }?.meta.text == text
            }
        } catch is TestRoomError {
            throw try await failure("\(name) expected a message to become \"\(text)\", and it did not", in: chat, file, line)
        }
    }

    /// Checks that nothing comes that no expectation has used up, once everything that was said has been handled.
    public func expectNothing(in chat: String? = nil, file: String = #fileID, line: Int = #line) async throws {
        try await room.settle()
        if let message = try await unread(in: chat).first {
            throw try await failure("\(name) expected nothing, and got \"\(message.text)\"", in: chat, file, line)
        }
    }

    /// Waits until the last message that the person has sent carries a reaction of the other side.
    public func expectReaction(_ emoji: String, in chat: String? = nil, file: String = #fileID, line: Int = #line) async throws {
        guard let reaction = ReactionEmoji(emoji) else { throw TestRoomError("\"\(emoji)\" is not a reaction") }
        do {
            try await wait("a reaction \(emoji)") {
                try await self.items(in: chat).last { $0.direction.isSent }?.reactions.contains { $0.reaction == .emoji(reaction) } ?? false
            }
        } catch is TestRoomError {
            throw try await failure("\(name) expected the reaction \(emoji), and it did not come", in: chat, file, line)
        }
    }

    /// Waits until the person is no longer a member of a group.
    public func expectRemoval(from group: String, file: String = #fileID, line: Int = #line) async throws {
        do {
            try await wait("\(name) is removed from \(group)") {
                guard case .group(let info, _)? = try await self.chat(group)?.chatInfo else { return true }
                return info.membership.status == .removed
            }
        } catch is TestRoomError {
            throw try await failure("\(name) expected to be removed from \(group)", in: group, file, line)
        }
    }

    /// Everything that was said in a chat, oldest first.
    public func conversation(in chat: String? = nil) async throws -> [TestMessage] {
        try await items(in: chat).filter(\.isMessage).map { TestMessage($0, own: name) }
    }

    // MARK: Parts

    private func profile(_ id: String) throws -> HostReady.Profile {
        guard let profile = room.profiles.first(where: { $0.id == id || $0.name == id }) else { throw TestRoomError("there is no bot \"\(id)\"") }
        return profile
    }

    func send(_ message: ComposedMessage, in chat: String?) async throws {
        let reference = try await reference(chat)
        guard let target = SendTarget(reference) else { throw TestRoomError("nothing can be sent into \(reference)") }
        _ = try await core.send(.messages(.send(to: target, [message])), as: user)
    }

    private func contact(_ name: String) async throws -> Contact? { try await chat(name)?.chatInfo.contact }

    func chat(_ name: String) async throws -> Chat? {
        guard case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user)), as: user) else { return nil }
        return chats.first { chat in
            switch chat.chatInfo {
            case .direct, .group: chat.chatInfo.displayName == name || chat.chatInfo.localDisplayName == name
            default: false
            }
        }
    }

    func reference(_ chat: String?) async throws -> ChatReference {
        guard let name = chat ?? bot.withLock(\.self) else { throw TestRoomError("\(name) has not connected with a bot") }
        guard let reference = try await self.chat(name)?.chatInfo.reference else { throw TestRoomError("\(self.name) has no chat \"\(name)\"") }
        return reference
    }

    /// The last items of a chat, in the order in which they were said.
    func items(in chat: String?) async throws -> [ChatItem] {
        guard case .apiChat(_, let page, _) = try await core.send(.chats(.page(try await reference(chat), pagination: .last(500))), as: user) else { return [] }
        return page.chatItems.inConversationOrder
    }

    private func lastItem(in chat: String?, where isWanted: @escaping @Sendable (ChatItem) -> Bool) async throws -> ChatItem {
        let found = Mutex<ChatItem?>(nil)
        try await wait("there is a message in the chat") {
            let last = try await self.items(in: chat).last { $0.isMessage && isWanted($0) }
            found.withLock { $0 = last }
            return last != nil
        }
        guard let item = found.withLock(\.self) else { throw TestRoomError("there is no message in the chat") }
        return item
    }

    private func unread(in chat: String?) async throws -> [TestMessage] {
        let key = "\(try await reference(chat))", last = read.withLock { $0[key] ?? 0 }
        return try await items(in: chat).filter { $0.isMessage && $0.direction.isReceived && $0.id > last }.sorted { $0.id < $1.id }
            .map { TestMessage($0, own: name) }
    }

    private func nextMessage(in chat: String?) async throws -> TestMessage? {
        guard (chat ?? bot.withLock(\.self)) != nil else { throw TestRoomError("\(name) has not connected with a bot") }
        let found = Mutex<TestMessage?>(nil)
        do {
            try await wait("a message") {
                // The chat may come with its first message.
                if let name = chat ?? self.bot.withLock(\.self), try await self.chat(name) == nil { return false }
                let message = try await self.unread(in: chat).first
                found.withLock { $0 = message }
                return message != nil
            }
        } catch is TestRoomError {
            return nil
        }
        guard let message = found.withLock(\.self) else { return nil }
        let key = "\(try await reference(chat))"
        read.withLock { $0[key] = message.id }
        return message
    }

    func wait(_ what: String, until holds: @Sendable () async throws -> Bool) async throws {
        let end = ContinuousClock.now + TestRoom.patience
        while try await !holds() {
            guard ContinuousClock.now < end else { throw TestRoomError("waited \(TestRoom.patience) without success: \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func failure(_ message: String, in chat: String?, _ file: String, _ line: Int) async throws -> ConversationError {
        let lines = (try? await conversation(in: chat)) ?? []
        return ConversationError(message: message, conversation: lines.map(\.description).joined(separator: "\n"), file: file, line: line)
    }
}

/// A message of a conversation, as a person sees it.
public struct TestMessage: Sendable, CustomStringConvertible {
    let id: ChatItemID
    /// The display name of the person who wrote it.
    public let senderName: String
    /// The text as it is now.
    public let text: String
    /// The text that it quotes; nil for a message without a quote.
    public let quote: String?
    /// True if it was changed.
    public let isEdited: Bool
    /// True if it was deleted by its sender or by a moderator.
    public let isDeleted: Bool
    /// The reactions to it.
    public let reactions: [String]
    /// The name of its file; nil for a message without one.
    public let fileName: String?
    /// True if it notifies the person: it mentions or quotes the person. Mentions that an edit adds do not notify.
    public let mentionsMe: Bool
    /// The names of the members that it mentions.
    public let mentions: Set<String>

    init(_ item: ChatItem, own: String) {
        id = item.id
        senderName = item.direction.isSent ? own : item.direction.member?.localDisplayName ?? "bot"
        text = item.meta.text
        quote = item.quotedItem?.content.text
        isEdited = item.meta.isEdited
        isDeleted = item.meta.deleted != nil
        fileName = item.file?.fileName
        mentionsMe = item.meta.userMention
        mentions = Set(item.mentions.keys)
        reactions = item.reactions.compactMap { if case .emoji(let emoji) = $0.reaction { emoji.text } else { nil } }
    }

    /// A textual form: `Ann: hello [file a.pdf] [edited] 👍`.
    public var description: String {
        (["\(senderName): \(text)"] + (fileName.map { ["[file \($0)]"] } ?? []) + (isEdited ? ["[edited]"] : []) + (isDeleted ? ["[deleted]"] : []) + reactions)
            .joined(separator: " ")
    }
}
