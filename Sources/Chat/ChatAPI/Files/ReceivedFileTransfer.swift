public import ChatProtocol

/// The transfer of a received file. The members that the official core gives it are kept as they are; the type is known.
@JSONMembers
public struct ReceivedFileTransfer: ExtensibleObject, Hashable {
    /// The purpose of the file; nil from cores of 6.5.
    @JSONSince(.v70Beta) public var fileType: FileType?

    /// A transfer with the members that all versions have.
    public init(_ members: JSONObject, type: FileType) {
        fileType = type
        unknownMembers = members
    }

    /// A member that all versions have.
    public subscript(_ name: String) -> JSONValue? { unknownMembers[name] }
}

/// The purpose of a file.
public struct FileType: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file that somebody sent.
    public static let normal = FileType(rawValue: "normal")
    /// The roster of a channel.
    public static let roster = FileType(rawValue: "roster")

    /// The words that this version knows.
    public static let allCases: [FileType] = [.normal, .roster]
}
