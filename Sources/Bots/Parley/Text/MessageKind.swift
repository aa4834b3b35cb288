/// The kinds of message that people send.
public enum MessageKind: String, Sendable, Hashable, CaseIterable {
    case text, link, image, video, voice, file, report, chat
    /// A kind that this version does not know.
    case unknown
}
