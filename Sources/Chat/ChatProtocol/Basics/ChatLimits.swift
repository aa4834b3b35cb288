/// Sizes that bound chat messages, in bytes.
public enum ChatLimits {
    /// An encoded message or batch before encryption: what fits a transport block together with the overhead of forwarding.
    public static let encodedMessage = 15_602
    /// The same when the ratchet carries post-quantum keys: longer bodies are compressed down to it.
    public static let compressedMessage = 13_380
    /// The first message of a connection, which travels with its keys.
    public static let encodedInfo = 14_694
    /// The same when the keys are post-quantum.
    public static let compressedInfo = 10_968
    /// All parts of a compressed body together, after decompression.
    public static let decompressedMessage = 65_536
    /// Bodies up to this length are not worth compressing.
    public static let compressionPassthrough = 180
    /// JSON of short-link user data above this length is compressed.
    public static let uncompressedLinkData = 10_240
    /// Short-link user data after decompression. Ours: the official clients do not bound it.
    public static let decompressedLinkData = 65_536
    /// A file description is sent in parts of this many bytes.
    public static let fileDescriptionPart = 14_000
    /// All parts of a file description together: enough for a file of 5 GB several times over. Ours: the official clients do
    /// not bound it.
    public static let fileDescription = 1_048_576
    /// Parts of a file description. Clients fill all but the last, which needs half of them.
    public static let fileDescriptionParts = 2 * fileDescription / fileDescriptionPart
    /// A short description, counted by its length in JSON.
    public static let shortDescription = 160
    /// Unicode scalars in a display name.
    public static let displayName = 50
    /// Mentions in a message that we send.
    public static let sentMentions = 3
    /// Mentions in a received message that count.
    public static let receivedMentions = 5
    /// Reactions of one member to one message.
    public static let reactionsPerMessage = 3
    /// Elements in one binary batch.
    public static let binaryBatchElements = 255
    /// Messages of one received body, in all its compressed parts together. What comes after them is not read.
    public static let messagesPerBody = 255
    /// Members, moderators and admins of a channel together: entries of its roster.
    public static let rosterMembers = 256
    /// Bytes of the list of a roster: 128 for each entry.
    public static let rosterBytes = 128 * rosterMembers
    /// Unicode scalars of the error that an acknowledgement of a roster gives. What comes after them is not read.
    public static let rosterErrorText = 500
    /// Elements of an array, and members of an object, in a received message.
    public static let listElements = 1_024
}
