public import ChatProtocol

/// A file of an item.
@JSONMembers
public struct ItemFile: JSONObjectConvertible, Hashable {
    /// Database id.
    public var fileID: FileID
    /// Name without a folder.
    public var fileName: String
    /// Size in bytes.
    public var fileSize: Int64
    /// Where it is stored, once it is.
    public var fileSource: CryptoFile?
    /// The progress of the transfer.
    @JSONName("fileStatus") public var status: ItemFileStatus
    /// The protocol of the transfer.
    public var fileProtocol: FileProtocol
}

/// The protocol of the transfer of a file.
public struct FileProtocol: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// In messages (of old cores).
    public static let smp = FileProtocol(rawValue: "smp")
    /// By file routers.
    public static let xftp = FileProtocol(rawValue: "xftp")
    /// Not at all: it stays here.
    public static let local = FileProtocol(rawValue: "local")

    /// The words that this version knows.
    public static let allCases: [FileProtocol] = [.smp, .xftp, .local]
}

/// The progress of the transfer of a file.
@JSONForms
public enum ItemFileStatus: JSONTagged, Hashable {
    /// Stored, to be uploaded.
    @JSONName("sndStored") case sendStored
    /// Uploading; bytes.
    @JSONName("sndTransfer", ["sent": "sndProgress", "total": "sndTotal"])
    case sendTransfer(sent: Int64, total: Int64)
    /// Upload was cancelled.
    @JSONName("sndCancelled") case sendCancelled
    /// Uploaded.
    @JSONName("sndComplete") case sendComplete
    /// Upload failed.
    @JSONName("sndError", ["error": "sndFileError"])
    case sendError(error: FileError)
    /// Upload is failing; attempts continue.
    @JSONName("sndWarning", ["error": "sndFileError"])
    case sendWarning(error: FileError)
    /// Offered, not accepted.
    @JSONName("rcvInvitation") case receiveInvitation
    /// Accepted, download has not begun.
    @JSONName("rcvAccepted") case receiveAccepted
    /// Downloading; bytes.
    @JSONName("rcvTransfer", ["received": "rcvProgress", "total": "rcvTotal"])
    case receiveTransfer(received: Int64, total: Int64)
    /// Waits to be approved again.
    @JSONName("rcvAborted") case receiveAborted
    /// Downloaded.
    @JSONName("rcvComplete") case receiveComplete
    /// Cancelled.
    @JSONName("rcvCancelled") case receiveCancelled
    /// Download failed.
    @JSONName("rcvError", ["error": "rcvFileError"])
    case receiveError(error: FileError)
    /// Download is failing; attempts continue.
    @JSONName("rcvWarning", ["error": "rcvFileError"])
    case receiveWarning(error: FileError)
    /// Stored in a form that the core does not know.
    case invalid(text: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a file was not transferred.
@JSONForms
public enum FileError: JSONTagged, Hashable {
    /// The file router refused, or the file is gone.
    case auth
    /// The operator blocked the file.
    case blocked(server: String, blockInfo: BlockingDetails)
    /// The file is gone.
    case noFile
    /// The file router failed.
    @JSONName(["serverError": "srvError"])
    case relay(serverError: ServerError)
    /// Anything else.
    @JSONName("other", ["message": "fileError"])
    case unexpected(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A file in the files folder, or by its full path.
@JSONMembers
public struct CryptoFile: JSONObjectConvertible, Hashable {
    /// Path.
    public var filePath: String
    /// Key, when the file is encrypted here.
    @JSONName("cryptoArgs") public var cryptoArguments: CryptoFileArguments?
}

/// Key of a file that is encrypted here.
@JSONMembers
public struct CryptoFileArguments: JSONObjectConvertible, Hashable {
    /// Base64url key.
    public var fileKey: String
    /// Base64url nonce.
    public var fileNonce: String
}

/// Why an operator blocked something.
@JSONMembers
public struct BlockingDetails: JSONObjectConvertible, Hashable {
    /// The reason.
    public var reason: BlockingReason
    /// A notice that clients shall show.
    public var notice: BlockingNotice?
}

/// Why an operator blocked something.
public struct BlockingReason: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Spam.
    public static let spam = BlockingReason(rawValue: "spam")
    /// Unlawful content.
    public static let content = BlockingReason(rawValue: "content")

    /// The words that this version knows.
    public static let allCases: [BlockingReason] = [.spam, .content]
}

/// A notice of an operator.
@JSONMembers
public struct BlockingNotice: JSONObjectConvertible, Hashable {
    /// Seconds that it holds.
    public var ttl: Int64?
}
