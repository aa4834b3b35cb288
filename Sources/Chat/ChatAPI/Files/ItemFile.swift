public import ChatProtocol

/// A file of an item.
public struct ItemFile: JSONObjectConvertible, Hashable {
    /// Database id.
    public var fileID: FileID
    /// Name without a folder.
    public var fileName: String
    /// Size in bytes.
    public var fileSize: Int64
    /// Where it is stored, once it is.
    public var fileSource: CryptoFile?
    /// How far the transfer is.
    public var status: ItemFileStatus
    /// How it is transferred.
    public var fileProtocol: FileProtocol

    /// Makes the value from its parts.
    public init(
        fileID: FileID, fileName: String, fileSize: Int64, fileSource: CryptoFile? = nil, status: ItemFileStatus,
        fileProtocol: FileProtocol
    ) {
        self.fileID = fileID
        self.fileName = fileName
        self.fileSize = fileSize
        self.fileSource = fileSource
        self.status = status
        self.fileProtocol = fileProtocol
    }
}

extension ItemFile {
    public init(object: JSONObject) throws(JSONError) {
        fileID = try object.required("fileId")
        fileName = try object.required("fileName")
        fileSize = try object.required("fileSize")
        fileSource = try object.optional("fileSource")
        status = try object.required("fileStatus")
        fileProtocol = try object.required("fileProtocol")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["fileId"] = fileID
        object["fileName"] = fileName
        object["fileSize"] = fileSize
        object["fileSource"] = fileSource
        object["fileStatus"] = status
        object["fileProtocol"] = fileProtocol
    }
}

/// How a file is transferred.
public struct FileProtocol: OpenEnumeration {
    public let rawValue: String

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

/// How far the transfer of a file is.
public enum ItemFileStatus: JSONTagged, Hashable {
    /// Stored, to be uploaded.
    case sendStored
    /// Uploading; bytes.
    case sendTransfer(sent: Int64, total: Int64)
    /// Upload was cancelled.
    case sendCancelled
    /// Uploaded.
    case sendComplete
    /// Upload failed.
    case sendError(error: FileError)
    /// Upload is failing; attempts go on.
    case sendWarning(error: FileError)
    /// Offered, not accepted.
    case receiveInvitation
    /// Accepted, download has not begun.
    case receiveAccepted
    /// Downloading; bytes.
    case receiveTransfer(received: Int64, total: Int64)
    /// Waits to be approved again.
    case receiveAborted
    /// Downloaded.
    case receiveComplete
    /// Cancelled.
    case receiveCancelled
    /// Download failed.
    case receiveError(error: FileError)
    /// Download is failing; attempts go on.
    case receiveWarning(error: FileError)
    /// Stored in a form that the core does not know.
    case invalid(text: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ItemFileStatus {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "sndStored": self = .sendStored
        case "sndTransfer": self = .sendTransfer(sent: try object.required("sndProgress"), total: try object.required("sndTotal"))
        case "sndCancelled": self = .sendCancelled
        case "sndComplete": self = .sendComplete
        case "sndError": self = .sendError(error: try object.required("sndFileError"))
        case "sndWarning": self = .sendWarning(error: try object.required("sndFileError"))
        case "rcvInvitation": self = .receiveInvitation
        case "rcvAccepted": self = .receiveAccepted
        case "rcvTransfer":
            self = .receiveTransfer(received: try object.required("rcvProgress"), total: try object.required("rcvTotal"))
        case "rcvAborted": self = .receiveAborted
        case "rcvComplete": self = .receiveComplete
        case "rcvCancelled": self = .receiveCancelled
        case "rcvError": self = .receiveError(error: try object.required("rcvFileError"))
        case "rcvWarning": self = .receiveWarning(error: try object.required("rcvFileError"))
        case "invalid": self = .invalid(text: try object.required("text"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .sendStored: object.write("sndStored")
        case .sendTransfer(let sent, let total): object.write("sndTransfer", ["sndProgress": sent, "sndTotal": total])
        case .sendCancelled: object.write("sndCancelled")
        case .sendComplete: object.write("sndComplete")
        case .sendError(let error): object.write("sndError", ["sndFileError": error])
        case .sendWarning(let error): object.write("sndWarning", ["sndFileError": error])
        case .receiveInvitation: object.write("rcvInvitation")
        case .receiveAccepted: object.write("rcvAccepted")
        case .receiveTransfer(let received, let total): object.write("rcvTransfer", ["rcvProgress": received, "rcvTotal": total])
        case .receiveAborted: object.write("rcvAborted")
        case .receiveComplete: object.write("rcvComplete")
        case .receiveCancelled: object.write("rcvCancelled")
        case .receiveError(let error): object.write("rcvError", ["rcvFileError": error])
        case .receiveWarning(let error): object.write("rcvWarning", ["rcvFileError": error])
        case .invalid(let text): object.write("invalid", ["text": text])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a file was not transferred.
public enum FileError: JSONTagged, Hashable {
    /// The file router refused, or the file is gone.
    case auth
    /// The operator blocked the file.
    case blocked(server: String, blockInfo: BlockingInfo)
    /// The file is gone.
    case noFile
    /// The file router failed.
    case relay(serverError: ServerError)
    /// Anything else.
    case unexpected(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension FileError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "auth": self = .auth
        case "blocked": self = .blocked(server: try object.required("server"), blockInfo: try object.required("blockInfo"))
        case "noFile": self = .noFile
        case "relay": self = .relay(serverError: try object.required("srvError"))
        case "other": self = .unexpected(message: try object.required("fileError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .auth: object.write("auth")
        case .blocked(let server, let blockInfo): object.write("blocked", ["server": server, "blockInfo": blockInfo])
        case .noFile: object.write("noFile")
        case .relay(let serverError): object.write("relay", ["srvError": serverError])
        case .unexpected(let message): object.write("other", ["fileError": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// A file in the files folder, or by its full path.
public struct CryptoFile: JSONObjectConvertible, Hashable {
    /// Path.
    public var filePath: String
    /// Key, when the file is encrypted here.
    public var cryptoArguments: CryptoFileArguments?

    /// Makes the value from its parts.
    public init(filePath: String, cryptoArguments: CryptoFileArguments? = nil) {
        self.filePath = filePath
        self.cryptoArguments = cryptoArguments
    }
}

extension CryptoFile {
    public init(object: JSONObject) throws(JSONError) {
        filePath = try object.required("filePath")
        cryptoArguments = try object.optional("cryptoArgs")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["filePath"] = filePath
        object["cryptoArgs"] = cryptoArguments
    }
}

/// Key of a file that is encrypted here.
public struct CryptoFileArguments: JSONObjectConvertible, Hashable {
    /// Base64url key.
    public var fileKey: String
    /// Base64url nonce.
    public var fileNonce: String

    /// Makes the value from its parts.
    public init(fileKey: String, fileNonce: String) {
        self.fileKey = fileKey
        self.fileNonce = fileNonce
    }
}

extension CryptoFileArguments {
    public init(object: JSONObject) throws(JSONError) {
        fileKey = try object.required("fileKey")
        fileNonce = try object.required("fileNonce")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["fileKey"] = fileKey
        object["fileNonce"] = fileNonce
    }
}

/// Why an operator blocked something.
public struct BlockingInfo: JSONObjectConvertible, Hashable {
    /// The reason.
    public var reason: BlockingReason
    /// What clients shall show.
    public var notice: ClientNotice?

    /// Makes the value from its parts.
    public init(reason: BlockingReason, notice: ClientNotice? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

extension BlockingInfo {
    public init(object: JSONObject) throws(JSONError) {
        reason = try object.required("reason")
        notice = try object.optional("notice")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["reason"] = reason
        object["notice"] = notice
    }
}

/// Why an operator blocked something.
public struct BlockingReason: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Spam.
    public static let spam = BlockingReason(rawValue: "spam")
    /// Unlawful content.
    public static let content = BlockingReason(rawValue: "content")

    /// The words that this version knows.
    public static let allCases: [BlockingReason] = [.spam, .content]
}

/// A notice of an operator.
public struct ClientNotice: JSONObjectConvertible, Hashable {
    /// Seconds that it holds.
    public var ttl: Int64?

    /// Makes the value from its parts.
    public init(ttl: Int64? = nil) {
        self.ttl = ttl
    }
}

extension ClientNotice {
    public init(object: JSONObject) throws(JSONError) {
        ttl = try object.optional("ttl")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["ttl"] = ttl
    }
}
