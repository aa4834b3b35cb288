// Names that people try first. The compiler says which one is meant.

extension Trigger where Context == MessageContext {
    /// ``anyMessage``.
    @available(*, unavailable, renamed: "anyMessage")
    public static var message: Self { anyMessage }
    /// ``anyMessage``.
    @available(*, unavailable, renamed: "anyMessage")
    public static var any: Self { anyMessage }
    /// ``content(_:)`` of pictures.
    @available(*, unavailable, message: "write .content(.image)")
    public static var photo: Self { content(.image) }
    /// ``content(_:)`` of pictures.
    @available(*, unavailable, message: "write .content(.image)")
    public static var image: Self { content(.image) }
    /// ``content(_:)`` of files.
    @available(*, unavailable, message: "write .content(.file)")
    public static var file: Self { content(.file) }
    /// ``content(_:)`` of videos.
    @available(*, unavailable, message: "write .content(.video)")
    public static var video: Self { content(.video) }
    /// ``content(_:)`` of recordings.
    @available(*, unavailable, message: "write .content(.voice)")
    public static var voice: Self { content(.voice) }
}

extension ChatKinds {
    /// ``groups``.
    @available(*, unavailable, renamed: "groups")
    public static var group: ChatKinds { .groups }
    /// ``contacts``.
    @available(*, unavailable, renamed: "contacts")
    public static var contact: ChatKinds { .contacts }
    /// ``groups``, to which channels belong.
    @available(*, unavailable, renamed: "groups", message: "channels are groups")
    public static var channels: ChatKinds { .groups }
    /// ``supportChats``.
    @available(*, unavailable, renamed: "supportChats")
    public static var support: ChatKinds { .supportChats }
}
