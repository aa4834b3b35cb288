internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging

/// The files that a bot receives on its own, and how much of them.
///
/// The amount from one person is bounded for each day (UTC), also across restarts. Files that a handler receives, with
/// ``MessageContext/file(within:upTo:from:progress:)``, do not count.
public struct FileReception: Sendable, Hashable {
    /// Bytes that a file may have.
    public var sizeLimit: Int64
    /// The routers that may be used.
    public var sources: FileSources
    /// The kinds of messages whose files are received.
    public var kinds: Set<MessageKind>
    /// Files of one person on a day.
    public var filesPerDay: Int
    /// Bytes of one person on a day.
    public var bytesPerDay: Int64
    /// The text that a person gets, once a day, when a file is above these limits; nil to say nothing.
    public var refusal: String?

    /// The files of one person on a day, if nothing else is said.
    public static let defaultFilesPerDay = 100
    /// The files of the largest size to which the bytes of one person on a day add up, if nothing else is said.
    static let defaultLargestFilesPerDay: Int64 = 10

    /// - Parameters:
    ///   - sizeLimit: bytes that a file may have.
    ///   - sources: the routers that may be used.
    ///   - kinds: the kinds of message whose files are received.
    ///   - filesPerDay: files of one person on a day.
    ///   - bytesPerDay: bytes of one person on a day; nil for those of ten files of the largest size.
    ///   - refusal: the text for a person whose file is above the limits of a day; nil to say nothing.
    public init(
        upTo sizeLimit: Int64, from sources: FileSources = .own, kinds: Set<MessageKind> = [.file, .image, .video, .voice],
        filesPerDay: Int = defaultFilesPerDay, bytesPerDay: Int64? = nil, refusal: String? = nil
    ) {
        (self.sizeLimit, self.sources, self.kinds) = (sizeLimit, sources, kinds)
        self.filesPerDay = filesPerDay
        self.refusal = refusal
        let (bytes, overflow) = sizeLimit.multipliedReportingOverflow(by: Self.defaultLargestFilesPerDay)
        self.bytesPerDay = bytesPerDay ?? (overflow ? .max : bytes)
    }

    /// True if the file of a message is of the kind and size that are received.
    func admits(_ message: MessageContext) -> Bool {
        guard let file = message.item.file, message.item.direction.isReceived, file.status == .receiveInvitation else { return false }
        return file.fileSize <= sizeLimit && kinds.contains(message.kind)
    }
}

/// The files that were received of a person on a day.
struct FileReceptionUse: StoredState, Hashable {
    static let stateName = "parley.fileReception"

    /// Days since 1970 (UTC).
    var day = 0
    var files = 0
    var bytes: Int64 = 0
    /// True if the person has got a refusal on that day.
    var isTold = false

    /// The decision about one more file.
    enum Decision: Sendable, Hashable {
        case accept
        /// - Parameter isFirst: whether it is the first one on that day.
        case refuse(isFirst: Bool)
    }

    /// Counts one more file if it is within the limits.
    mutating func take(_ size: Int64, within limits: FileReception, at time: Date) -> Decision {
        let today = Int((time.timeIntervalSince1970 / 86_400).rounded(.down))
        // A clock that was set back a little does not begin the day anew. A day that is further ahead was counted while the clock was wrong.
        if today > day || day > today + 1 { self = FileReceptionUse(day: today) }
        let (total, overflow) = bytes.addingReportingOverflow(max(size, 0))
        guard files < limits.filesPerDay, !overflow, total <= limits.bytesPerDay else {
            defer { isTold = true }
            return .refuse(isFirst: !isTold)
        }
        (files, bytes) = (files + 1, total)
        return .accept
    }
}
