/// The content of a message: a kind with its values, and what newer clients have added to it. Types of newer clients are kept and sent on as they came.
public struct MessageContent: Hashable, ExtensibleObject {
    /// The kind of content with its values, as far as this version knows them.
    public var kind: Kind
    /// The members that this version does not know, as they came; none for ``Kind/unknown(tag:text:_:)``, which has all members.
    public var unknownMembers = JSONObject()

    /// A kind of content with its values.
    public enum Kind: Hashable, Sendable {
        case text(String)
        case link(text: String, preview: LinkPreview)
        /// A picture, with its preview.
        case image(text: String, image: ImageData)
        /// A video, with its preview and duration in seconds.
        case video(text: String, image: ImageData, duration: Int)
        /// A voice message, with its duration in seconds.
        case voice(text: String, duration: Int)
        case file(String)
        /// A report of another message to moderators.
        case report(text: String, reason: ReportReason)
        /// A link to a contact, group or channel, with its profile.
        case chat(text: String, link: MessageChatLink, ownerSignature: LinkOwnerSignature?)
        case unknown(tag: String, text: String, JSONObject)
    }

    /// Content of a kind.
    public init(_ kind: Kind) { self.kind = kind }

    /// The text of content that has none and that we do not know.
    public static let unknownText = "unknown message type"

    /// The kind of content, by its word.
    public var type: MessageContentType {
        switch kind {
        case .text: .text
        case .link: .link
        case .image: .image
        case .video: .video
        case .voice: .voice
        case .file: .file
        case .report: .report
        case .chat: .chat
        case .unknown(let tag, _, _): .unknown(tag)
        }
    }

    /// The text that was typed; for unknown content the text that is shown instead.
    public var text: String {
        switch kind {
        case .text(let text), .link(let text, _), .image(let text, _), .video(let text, _, _), .voice(let text, _),
            .file(let text), .report(let text, _), .chat(let text, _, _), .unknown(_, let text, _):
            text
        }
    }

    /// The same content with another text; unknown content stays as it came.
    public func replacing(text: String) -> MessageContent {
        var content = self
        content.kind =
            switch kind {
            case .text: .text(text)
            case .link(_, let preview): .link(text: text, preview: preview)
            case .image(_, let image): .image(text: text, image: image)
            case .video(_, let image, let duration): .video(text: text, image: image, duration: duration)
            case .voice(_, let duration): .voice(text: text, duration: duration)
            case .file: .file(text)
            case .report(_, let reason): .report(text: text, reason: reason)
            case .chat(_, let link, let signature): .chat(text: text, link: link, ownerSignature: signature)
            case .unknown: kind
            }
        return content
    }

    /// The content without the proof that its sender owns the link in it, which holds in one chat only.
    public var withoutOwnerSignature: MessageContent {
        guard case .chat(let text, let link, .some) = kind else { return self }
        var content = self
        content.kind = .chat(text: text, link: link, ownerSignature: nil)
        return content
    }

    /// Adds the unknown members of another content, if it is of the same kind.
    public mutating func addUnknownMembers(of other: MessageContent) {
        guard type == other.type else { return }
        UnknownMembers.add(other.unknownMembers, to: &unknownMembers)
    }
}

extension MessageContent {
    /// Text.
    public static func text(_ text: String) -> MessageContent { MessageContent(.text(text)) }

    /// Text with a preview of a page.
    public static func link(text: String, preview: LinkPreview) -> MessageContent { MessageContent(.link(text: text, preview: preview)) }

    /// A picture, with its preview.
    public static func image(text: String, image: ImageData) -> MessageContent { MessageContent(.image(text: text, image: image)) }

    /// A video, with its preview and duration in seconds.
    public static func video(text: String, image: ImageData, duration: Int) -> MessageContent {
        MessageContent(.video(text: text, image: image, duration: duration))
    }

    /// A voice message, with its duration in seconds.
    public static func voice(text: String, duration: Int) -> MessageContent { MessageContent(.voice(text: text, duration: duration)) }

    /// A file, with what is written beside it.
    public static func file(_ text: String) -> MessageContent { MessageContent(.file(text)) }

    /// A report of another message to moderators.
    public static func report(text: String, reason: ReportReason) -> MessageContent { MessageContent(.report(text: text, reason: reason)) }

    /// A link to a contact, group or channel, with its profile.
    public static func chat(text: String, link: MessageChatLink, ownerSignature: LinkOwnerSignature?) -> MessageContent {
        MessageContent(.chat(text: text, link: link, ownerSignature: ownerSignature))
    }

    /// Content of a kind that this version does not know, with all its members.
    public static func unknown(tag: String, text: String, _ members: JSONObject) -> MessageContent {
        MessageContent(.unknown(tag: tag, text: text, members))
    }
}
