public import ChatAPI
internal import ChatProtocol

/// A text that mentions members of a group, so that they are notified.
///
/// ```swift
/// try await message.reply(mentioning: "Welcome, \(member)! Ask \(host) if something is unclear.")
/// ```
///
/// A member between the parentheses becomes a mention; other values are plain text, and so is an `@name` that was written by hand. A mention
/// needs white space or the beginning of a line before it, as recipients read it; elsewhere it is only text. A message has three mentions at most,
/// of three members.
public struct MentioningText: ExpressibleByStringInterpolation, Sendable, Hashable {
    /// The text as it is sent: `Welcome, @ann!`
    public let text: String
    /// The members by the names that the text has for them.
    let members: [String: GroupMemberID]

    /// Creates a text that mentions nobody.
    public init(_ text: String) { self.init(text: text, members: [:]) }

    /// Creates a text from a string literal; it mentions nobody.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a text from a string with interpolations.
    public init(stringInterpolation: StringInterpolation) { self.init(text: stringInterpolation.text, members: stringInterpolation.members) }

    package init(text: String, members: [String: GroupMemberID]) { (self.text, self.members) = (text, members) }

    /// The collector of the parts of an interpolated text.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var members: [String: GroupMemberID] = [:]

        /// Creates an empty text.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Appends text as it is.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends a mention of a member.
        public mutating func appendInterpolation(_ member: BotMember) { appendInterpolation(member.member) }

        /// Appends a mention of a member.
        public mutating func appendInterpolation(_ member: GroupMember) {
            // Members with the same name are distinguished by a number, as the official clients do.
            let base = member.profile.displayName
            var name = base, number = 0
            while let other = members[name], other != member.groupMemberID {
                number += 1
                name = "\(base)_\(number)"
            }
            guard let mention = MentioningText.mention(of: name) else { return text += base }
            members[name] = member.groupMemberID
            text += mention
        }

        /// Appends a value as text.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) { text += value.description }
    }

    /// A name as a mention: `@ann`, or `@'Ann B'`. Nil for a name that cannot be one.
    package static func mention(of name: String) -> String? {
        for mention in ["@\(name)", "@'\(name)'"] where Markdown.parse(mention) == [FormattedText(.mention(memberName: name), mention)] { return mention }
        return nil
    }

    /// The mentions that recipients will see in a text, among these.
    static func visible(_ members: [String: GroupMemberID], in text: String) -> [String: GroupMemberID] {
        guard !members.isEmpty else { return [:] }
        let names = Set(Markdown.mentionedNames(in: Markdown.parse(text) ?? []))
        return members.filter { names.contains($0.key) }
    }
}

extension BotChat {
    /// Sends a text that mentions members of the group. In a chat with a contact nobody is mentioned.
    ///
    /// - Throws: `ChatCoreError`: `errorStore.invalidMention` for more than three members.
    @discardableResult
    public func send(mentioning text: MentioningText, quoting item: ChatItemID? = nil) async throws -> SentMessage {
        let sent = try await effects.send(
            .text(text.text), to: requiredReference(), info, quoting: item, commenting: post, mentioning: info.groupInfo == nil ? [:] : text.members)
        return SentMessage(chat: self, items: sent)
    }
}

extension ChatContext {
    /// Sends a text that mentions members of the group into the chat.
    @discardableResult
    public func send(mentioning text: MentioningText) async throws -> SentMessage { try await chat.send(mentioning: text) }
}

extension BotGroup {
    /// Sends a text that mentions members to all members.
    @discardableResult
    public func send(mentioning text: MentioningText) async throws -> SentMessage { try await chat.send(mentioning: text) }
}

extension SentMessage {
    /// Replaces the text for both sides by one that mentions members of the group. If a text was sent in parts, the first part is replaced and the
    /// others are deleted.
    @discardableResult
    public func edit(mentioning text: MentioningText) async throws -> SentMessage {
        try await edit(.text(text.text), mentioning: chat.info.groupInfo == nil ? [:] : text.members)
    }
}
