/// The content of a message. Types of newer clients are kept and sent on as they came.
public enum MessageContent: Hashable, JSONObjectConvertible {
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

    /// The text of content that has none and that we do not know.
    public static let unknownText = "unknown message type"

    /// The kind of content.
    public var type: MessageContentType {
        switch self {
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
        switch self {
        case .text(let text), .link(let text, _), .image(let text, _), .video(let text, _, _), .voice(let text, _),
            .file(let text), .report(let text, _), .chat(let text, _, _), .unknown(_, let text, _):
            text
        }
    }

    /// The same content with another text; unknown content stays as it came.
    public func replacing(text: String) -> MessageContent {
        switch self {
        case .text: .text(text)
        case .link(_, let preview): .link(text: text, preview: preview)
        case .image(_, let image): .image(text: text, image: image)
        case .video(_, let image, let duration): .video(text: text, image: image, duration: duration)
        case .voice(_, let duration): .voice(text: text, duration: duration)
        case .file: .file(text)
        case .report(_, let reason): .report(text: text, reason: reason)
        case .chat(_, let link, let signature): .chat(text: text, link: link, ownerSignature: signature)
        case .unknown: self
        }
    }

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        let type: MessageContentType = try object.required("type")
        if case .unknown(let tag) = type {
            self = .unknown(tag: tag, text: object["text"]?.stringValue ?? Self.unknownText, object)
            return
        }
        let text: String = try object.required("text")
        switch type {
        case .link: self = .link(text: text, preview: try object.required("preview"))
        case .image: self = .image(text: text, image: try object.required("image"))
        case .video:
            self = .video(text: text, image: try object.required("image"), duration: try object.required("duration"))
        case .voice: self = .voice(text: text, duration: try object.required("duration"))
        case .file: self = .file(text)
        case .report: self = .report(text: text, reason: try object.required("reason"))
        case .chat:
            self = .chat(
                text: text, link: try object.required("chatLink"), ownerSignature: try object.optional("ownerSig"))
        case .text, .unknown: self = .text(text)
        }
    }

    /// Sets the members of an object.
    public func write(into object: inout JSONObjectWriter) {
        if case .unknown(_, _, let members) = self { return object.replace(with: .object(members)) }
        object.add("type", type)
        object.add("text", text)
        switch self {
        case .text, .file, .unknown: break
        case .link(_, let preview): object.add("preview", preview)
        case .image(_, let image): object.add("image", image)
        case .video(_, let image, let duration):
            object.add("image", image)
            object.add("duration", duration)
        case .voice(_, let duration): object.add("duration", duration)
        case .report(_, let reason): object.add("reason", reason)
        case .chat(_, let link, let signature):
            object.add("chatLink", link)
            object.add("ownerSig", signature)
        }
    }
}
