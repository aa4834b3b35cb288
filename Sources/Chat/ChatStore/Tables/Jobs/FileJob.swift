package import ChatAPI
import ChatProtocol
package import XFTPProtocol

/// Jobs about files.
package enum FileJob: Sendable, Hashable {
    /// Upload a file, with descriptions for that many recipients.
    case upload(file: FileID, recipients: Int)
    /// Upload the description of a file, to which links lead.
    case uploadDescription(file: FileID)
    case download(file: FileID)
    /// Reserve a path for a file whose chunks have all come in messages.
    case reserveReceived(file: FileID)
    /// Write a file whose chunks have all come in messages, and remove what an earlier attempt has left.
    case keepReceived(transfer: FileTransferID, path: String)
    /// Delete a file from the routers to which it was uploaded.
    case deleteUploaded(file: FileID)
}

extension FileJob: FeatureJob {
    var kind: String {
        switch self {
        case .upload: "upload"
        case .uploadDescription: "uploadDescription"
        case .download: "download"
        case .reserveReceived: "reserveReceived"
        case .keepReceived: "keepReceived"
        case .deleteUploaded: "deleteUploaded"
        }
    }

    var json: JSONValue {
        switch self {
        case .upload(let file, let recipients): ["file": file.json, "recipients": .int(Int64(recipients))]
        case .uploadDescription(let file), .download(let file), .deleteUploaded(let file), .reserveReceived(let file): ["file": file.json]
        case .keepReceived(let transfer, let path): ["transfer": JSONValue(transfer.bytes), "path": .string(path)]
        }
    }

    var isCausedByPeers: Bool {
        switch self {
        case .download, .reserveReceived, .keepReceived: true
        case .upload, .uploadDescription, .deleteUploaded: false
        }
    }

    init?(kind: String, json: JSONValue) {
        if kind == "keepReceived" {
            guard let transfer = json["transfer"]?.bytesValue, let path = json["path"]?.stringValue else { return nil }
            self = .keepReceived(transfer: FileTransferID(transfer), path: path)
            return
        }
        guard let file = json["file"]?.intValue.map({ FileID($0) }) else { return nil }
        switch kind {
        case "upload":
            guard let recipients = json["recipients"]?.intValue else { return nil }
            self = .upload(file: file, recipients: Int(clamping: recipients))
        case "uploadDescription": self = .uploadDescription(file: file)
        case "download": self = .download(file: file)
        case "reserveReceived": self = .reserveReceived(file: file)
        case "deleteUploaded": self = .deleteUploaded(file: file)
        default: return nil
        }
    }
}
