/// Kinds of message content.
public enum MessageContentType: TextCode {
    case text
    case link
    case image
    case video
    case voice
    case file
    case report
    case chat
    case unknown(String)

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "text": self = .text
        case "link": self = .link
        case "image": self = .image
        case "video": self = .video
        case "voice": self = .voice
        case "file": self = .file
        case "report": self = .report
        case "chat": self = .chat
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .text: "text"
        case .link: "link"
        case .image: "image"
        case .video: "video"
        case .voice: "voice"
        case .file: "file"
        case .report: "report"
        case .chat: "chat"
        case .unknown(let code): code
        }
    }
}

/// Why a message is reported.
public enum ReportReason: TextCode {
    case spam
    case content
    case community
    case profile
    case other
    case unknown(String)

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "spam": self = .spam
        case "content": self = .content
        case "community": self = .community
        case "profile": self = .profile
        case "other": self = .other
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .spam: "spam"
        case .content: "content"
        case .community: "community"
        case .profile: "profile"
        case .other: "other"
        case .unknown(let code): code
        }
    }
}
