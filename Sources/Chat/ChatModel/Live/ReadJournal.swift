import ChatAPI

/// An input of a model, other than the answer to a read.
enum ChatModelInput: Sendable {
    /// An event of the core.
    case event(ChatEvent)
    /// The answer to a command that was sent as a profile.
    case answer(ChatResponse, to: ChatCommand, as: UserID?)
}

/// The inputs that a model has taken in while reads were out: their answers may be older than these.
///
/// At most ``limit`` inputs are kept. When more come, they are forgotten, and the reads that are out have to be repeated.
struct ReadJournal {
    /// Inputs that are kept at the most.
    static let limit = 65_536

    /// Where a read began.
    struct Position {
        fileprivate let epoch: Int
        fileprivate let index: Int
    }

    private let limit: Int
    private var inputs: [ChatModelInput] = []
    private var readsOut = 0
    /// The number of times that inputs needed by a read were forgotten or never recorded.
    private var epoch = 0

    init(limit: Int = Self.limit) { self.limit = limit }

    /// Keeps what comes from now on, until the read has ended.
    mutating func begin() -> Position {
        readsOut += 1
        return Position(epoch: epoch, index: inputs.count)
    }

    /// Ends a read.
    ///
    /// - Returns: What has come since it began; nil if that is not known any more.
    mutating func end(_ position: Position) -> ArraySlice<ChatModelInput>? {
        readsOut -= 1
        defer { if readsOut == 0 { inputs = [] } }
        return position.epoch == epoch ? inputs[position.index...] : nil
    }

    mutating func add(_ input: ChatModelInput) {
        guard readsOut > 0 else { return }
        if inputs.count == limit { forget() }
        inputs.append(input)
    }

    /// Makes the reads that are out too old: not everything that has come since they began is known.
    mutating func forget() {
        inputs = []
        epoch += 1
    }
}

extension ChatCommand {
    /// True if the answer tells what there is, and replaces what was known of it.
    var isRead: Bool {
        switch self {
        case .users(.list), .chats(.list), .chats(.page), .chats(.tags), .address(.show), .groups(.members): true
        default: false
        }
    }
}
