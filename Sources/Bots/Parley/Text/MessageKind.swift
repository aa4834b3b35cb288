package import ChatProtocol

/// The kinds of message that people send.
public enum MessageKind: String, Sendable, Hashable, CaseIterable {
    case text, link, image, video, voice, file, report, chat
    /// A kind that this version does not know.
    case unknown

    package init(_ content: MessageContent) {
        self =
            switch content.kind {
            case .text: .text
            case .link: .link
            case .image: .image
            case .video: .video
            case .voice: .voice
            case .file: .file
            case .report: .report
            case .chat: .chat
            case .unknown: .unknown
            }
    }
}

extension MessageKind {
    /// The kinds of message that ``Trigger/anyMessage`` takes: a report has a trigger of its own.
    static let open = Set(allCases).subtracting([.report])
    /// The kinds of message in which people write commands. The caption of a picture can be one too, but no handler is meant for such captions alone.
    static let written: Set<MessageKind> = [.text, .link]
}
