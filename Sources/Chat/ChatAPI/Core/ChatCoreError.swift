/// The reason why a command failed or events ended.
public struct ChatCoreError: Error, Sendable, Hashable {
    /// A kind of error. The codes of errors that the core reported are made of the tags of the official API, from the outside
    /// in: `error.userUnknown`, `errorStore.contactNotFound`, `errorAgent.SMP.AUTH`. The list is bounded: codes can be labels
    /// of metrics.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The word on the wire.
        public let rawValue: String

        /// Wraps a word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A textual form, for messages and logs.
        public var description: String { rawValue }

        /// The core was closed, or the way to it is permanently gone.
        public static let closed = Code(rawValue: "core.closed")
        /// The core cannot be reached for now.
        public static let unreachable = Code(rawValue: "core.unreachable")
        /// The core did not answer in time; whether the command ran is not known.
        public static let timeout = Code(rawValue: "core.timeout")
        /// The core answered with something that is not an answer.
        public static let invalidResponse = Code(rawValue: "core.invalidResponse")
        /// The core does not have the command.
        public static let unsupported = Code(rawValue: "core.unsupported")
        /// The task that waited was cancelled; whether the command ran is not known.
        public static let cancelled = Code(rawValue: "core.cancelled")
        /// Events were dropped because they were not read; the state must be read anew.
        public static let eventsLost = Code(rawValue: "core.eventsLost")
    }

    /// The kind of error; stable.
    public let code: Code
    /// A message that a person can act on.
    public let message: String
    /// The error that the core reported.
    public let chatError: ChatError?
    /// The cause, described.
    public let cause: String?
    private let isKnownToPass: Bool

    /// True if the obstacle passes by itself, so that the same command can succeed later: a router that does not answer in time, a
    /// network that is not there, a disk that is full.
    public var isTemporary: Bool { isKnownToPass || chatError?.isNetworkFault == true || code == .unreachable }

    /// True if the chat that a command was about does not exist, or no longer.
    package var isMissingChat: Bool {
        switch chatError {
        case .store(.contactNotFound), .store(.groupNotFound): true
        default: false
        }
    }

    /// An error that the core did not report itself.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.chatError = nil
        self.cause = cause.map { String(describing: $0) }
        self.isKnownToPass = false
    }

    /// An error that the core reported.
    public init(_ chatError: ChatError) { self.init(chatError, isTemporary: false) }

    package init(_ chatError: ChatError, isTemporary: Bool) {
        self.code = chatError == .noRelay ? .noRelay : Code(rawValue: chatError.code)
        self.message = chatError.message
        self.chatError = chatError
        self.cause = nil
        self.isKnownToPass = isTemporary
    }
}

extension ChatCoreError: CustomStringConvertible {
    /// Code, message and cause.
    public var description: String {
        ["\(code): \(message)", cause].compactMap(\.self).joined(separator: "; ")
    }
}
