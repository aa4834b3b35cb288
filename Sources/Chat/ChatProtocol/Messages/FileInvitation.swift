/// The mode in which a small file travels inside messages. Only old clients do that; files go by XFTP.
public enum InlineFileMode: OpenTextCode {
    /// It is sent once it is accepted.
    case offer
    /// It is sent without being accepted.
    case sent
    /// A word of newer clients: the file cannot be received inside messages.
    case unknown(String)

    /// The words that this version knows.
    public static let allCases: [InlineFileMode] = [.offer, .sent]

    /// The word.
    public var code: String {
        switch self {
        case .offer: "offer"
        case .sent: "sent"
        case .unknown(let code): code
        }
    }
}

/// A part of the description by which a file is fetched over XFTP (xftp.md, "File description").
@JSONMembers
public struct FileDescription: Hashable, ExtensibleObject {
    /// Part of the YAML text; at most ``ChatLimits/fileDescriptionPart`` bytes.
    @JSONName("fileDescrText") public var text: String
    /// The part in the invitation is 0, those that follow in messages of their own are counted from 1.
    @JSONName("fileDescrPartNo") public var partNumber: Int
    /// True if this is the last part.
    @JSONName("fileDescrComplete") public var isComplete: Bool
}

/// A file that comes with a message.
@JSONMembers
public struct FileInvitation: Hashable, ExtensibleObject {
    /// A name without folders; who saves the file must check that.
    @JSONName("fileName") public var name: String
    /// Bytes.
    @JSONName("fileSize") public var size: Int64
    /// SHA-512 of the file's content.
    @JSONName("fileDigest") public var digest: Base64URLBytes?
    /// The connection by which very old clients send files.
    @JSONName("fileConnReq") public var connectionRequest: String?
    /// Set if the file travels inside messages.
    @JSONName("fileInline") public var inline: InlineFileMode?
    /// The first part of the file description, empty while the file is still being uploaded.
    @JSONName("fileDescr") public var fileDescription: FileDescription?
}
