import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// The effect of a command or a message on a file, by its state.

/// The decision whether a file can be received now.
enum ReceiveDecision: Equatable {
    case accept
    case refuse(ChatErrorType)

    init(_ file: FileRecord) {
        switch file.state {
        case .new: self = .accept
        case .cancelled: self = .refuse(.fileCancelled(message: file.name))
        case .accepted, .connected, .complete: self = .refuse(.fileAlreadyReceiving(message: file.name))
        }
    }
}

/// The decision whether a transfer can be cancelled.
enum CancelDecision: Equatable {
    case cancel
    case refuse(ChatErrorType)

    init(_ file: FileRecord) {
        if file.isCancelled {
            self = .refuse(.fileCancel(fileID: file.id, message: "file already cancelled"))
        } else if !file.isSent, file.state == .complete {
            self = .refuse(.fileCancel(fileID: file.id, message: "file transfer is complete"))
        } else {
            self = .cancel
        }
    }
}

/// The obstacles to forwarding a file, in the order of reporting.
enum ForwardObstacle: Int, Comparable {
    case notAccepted, inProgress, failed, missing

    static func < (left: ForwardObstacle, right: ForwardObstacle) -> Bool { left.rawValue < right.rawValue }

    /// - Parameter exists: Whether the file is on the disk.
    init?(_ file: ItemFile, exists: Bool) {
        switch file.status {
        case _ where file.status.isLoaded:
            guard !exists else { return nil }
            self = .missing
        case .receiveInvitation, .receiveAborted: self = .notAccepted
        case .receiveAccepted, .receiveTransfer: self = .inProgress
        default: self = .failed
        }
    }
}

extension ItemFileStatus {
    /// True if the file's content is on this machine, whatever becomes of its transfer.
    var isLoaded: Bool {
        switch self {
        case .sendStored, .sendTransfer, .sendComplete, .sendCancelled, .sendError, .sendWarning, .receiveComplete: true
        default: false
        }
    }
}
