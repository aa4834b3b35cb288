internal import ChatAPI
internal import ChatProtocol
internal import Parley

// Comments on the posts of channels.

extension TestPerson {
    /// Comments a post of a channel, once the person has it.
    ///
    /// - Parameters:
    ///   - post: the text of the post.
    ///   - channel: the name of the channel.
    public func comment(_ text: String, on post: String, in channel: String) async throws {
        let (group, item) = try await self.post(post, in: channel)
        _ = try await core.send(.messages(.comment(group, on: item, [ComposedMessage(content: .text(text))])), as: user)
    }

    /// Changes a comment that the person has written.
    ///
    /// - Parameters:
    ///   - comment: the text of the comment.
    ///   - post: the text of the post.
    ///   - channel: the name of the channel.
    public func edit(comment: String, to text: String, on post: String, in channel: String) async throws {
        let (group, item) = try await self.comment(comment, on: post, of: channel)
        _ = try await core.send(.messages(.update(.group(group), item, UpdatedMessage(content: .text(text)))), as: user)
    }

    /// Reports a comment to the moderators as spam, once the person has it.
    ///
    /// - Parameters:
    ///   - comment: the text of the comment.
    ///   - post: the text of the post.
    ///   - channel: the name of the channel.
    public func report(comment: String, on post: String, in channel: String) async throws {
        let (group, item) = try await self.comment(comment, on: post, of: channel)
        _ = try await core.send(.messages(.report(group, item, reason: .spam, text: "")), as: user)
    }

    private func comment(_ text: String, on post: String, of channel: String) async throws -> (GroupID, ChatItemID) {
        let comment = try await expectComment(text, on: post, in: channel), (group, _) = try await self.post(post, in: channel)
        return (group, comment.id)
    }

    /// The comments on a post that the person has, oldest first.
    public func comments(on post: String, in channel: String) async throws -> [TestMessage] {
        let (group, item) = try await self.post(post, in: channel)
        let page = ChatsCommand.page(.group(group), commentsOn: item, pagination: .last(500))
        guard case .apiChat(_, let thread, _) = try await core.send(.chats(page), as: user) else { return [] }
        return thread.chatItems.filter(\.isMessage).map { TestMessage($0, own: name) }
    }

    /// Waits for a comment on a post.
    ///
    /// - Throws: ``ConversationError`` with the comments that the person has, if it does not come.
    @discardableResult
    public func expectComment(
        _ text: String, on post: String, in channel: String, file: String = #fileID, line: Int = #line
    ) async throws -> TestMessage {
        try await expect("the comment \"\(text)\"", on: post, in: channel, file, line) { $0.text == text && !$0.isDeleted }
    }

    /// Waits until a comment on a post is deleted, by its author or by a moderator.
    public func expectDeletedComment(on post: String, in channel: String, file: String = #fileID, line: Int = #line) async throws {
        try await expect("a comment to be deleted", on: post, in: channel, file, line, where: \.isDeleted)
    }

    @discardableResult
    private func expect(
        _ expected: String, on post: String, in channel: String, _ file: String, _ line: Int, where isExpected: @escaping @Sendable (TestMessage) -> Bool
    ) async throws -> TestMessage {
        do {
            try await wait(expected) { try await self.comments(on: post, in: channel).contains(where: isExpected) }
        } catch is TestRoomError {
            let lines = (try? await comments(on: post, in: channel)) ?? []
            throw ConversationError(
                message: "\(name) expected \(expected), and it did not come", conversation: lines.map(\.description).joined(separator: "\n"), file: file,
                line: line)
        }
        guard let found = try await comments(on: post, in: channel).last(where: isExpected) else { throw TestRoomError("the comment is gone") }
        return found
    }

    /// A post by its text, once the person has it.
    private func post(_ text: String, in channel: String) async throws -> (GroupID, ChatItemID) {
        try await wait("\(name) has the post \"\(text)\"") {
            guard try await self.chat(channel) != nil else { return false }
            return try await self.items(in: channel).contains { $0.isMessage && $0.meta.text == text }
        }
        guard case .group(let info, _)? = try await chat(channel)?.chatInfo,
            let item = try await items(in: channel).last(where: { $0.isMessage && $0.meta.text == text })
        else { throw TestRoomError("\(name) has no post \"\(text)\" in \(channel)") }
        return (info.groupID, item.id)
    }
}
