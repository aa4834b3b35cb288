public import ChatProtocol

/// Which page of a chat, in the order of the items.
public enum ChatPagination: Sendable, Hashable {
    /// The newest items.
    case last(Int)
    /// Items after one.
    case after(ChatItemID, count: Int)
    /// Items before one.
    case before(ChatItemID, count: Int)
    /// Items on both sides of one.
    case around(ChatItemID, count: Int)
    /// Items around the first unread one, or the newest if all are read.
    case initial(Int)

    /// The number of requested items; with ``around(_:count:)`` on each side.
    public var count: Int {
        switch self {
        case .last(let count), .after(_, let count), .before(_, let count), .around(_, let count), .initial(let count): count
        }
    }
}

extension ChatPagination: CustomStringConvertible {
    /// As in a command.
    public var description: String {
        switch self {
        case .last(let count): "count=\(count)"
        case .after(let id, let count): "after=\(id) count=\(count)"
        case .before(let id, let count): "before=\(id) count=\(count)"
        case .around(let id, let count): "around=\(id) count=\(count)"
        case .initial(let count): "initial=\(count)"
        }
    }
}

/// Which page of a list of chats, in the order of their last activity.
public enum TimePagination: Sendable, Hashable {
    /// The chats that were active last.
    case last(Int)
    /// Chats active after a time.
    case after(UTCTimestamp, count: Int)
    /// Chats active before a time.
    case before(UTCTimestamp, count: Int)
}

extension TimePagination: CustomStringConvertible {
    /// As in a command.
    public var description: String {
        switch self {
        case .last(let count): "count=\(count)"
        case .after(let time, let count): "after=\(time) count=\(count)"
        case .before(let time, let count): "before=\(time) count=\(count)"
        }
    }
}

/// Which chats of a list.
public enum ChatListQuery: Sendable, Hashable, JSONConvertible {
    /// Those that are favourites, that have something unread, or both.
    case filters(favorite: Bool, unread: Bool)
    /// Those whose names contain a text.
    case search(String)

    /// All chats.
    public static let all = ChatListQuery.filters(favorite: false, unread: false)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        switch try object.required("type", as: String.self) {
        case "filters": self = .filters(favorite: try object.required("favorite"), unread: try object.required("unread"))
        case "search": self = .search(try object.required("search"))
        default: throw JSONError(.invalidValue, "the type of a query is filters or search", path: ["type"])
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .filters(let favorite, let unread): ["type": "filters", "favorite": .bool(favorite), "unread": .bool(unread)]
        case .search(let text): ["type": "search", "search": .string(text)]
        }
    }
}

extension CommandReader {
    /// `count=20`, `after=5 count=20`, `before=5 count=20`, `around=5 count=20` or `initial=20`.
    mutating func chatPagination() throws(CommandMismatch) -> ChatPagination {
        if skip("count=") { return .last(try count()) }
        if skip("initial=") { return .initial(try count()) }
        let word = take { $0 != UInt8(ascii: "=") }
        try expect("=")
        let id = try id(ChatItemID.self)
        try expect(" count=")
        let count = try self.count()
        switch word {
        case "after": return .after(id, count: count)
        case "before": return .before(id, count: count)
        case "around": return .around(id, count: count)
        default: throw CommandMismatch()
        }
    }

    /// `count=20`, `after=2026-01-01T00:00:00Z count=20` or `before=…`.
    mutating func timePagination() throws(CommandMismatch) -> TimePagination {
        if skip("count=") { return .last(try count()) }
        let isAfter = skip("after=")
        if !isAfter { try expect("before=") }
        guard let time = UTCTimestamp(word()) else { throw CommandMismatch() }
        try expect(" count=")
        let count = try self.count()
        return isAfter ? .after(time, count: count) : .before(time, count: count)
    }
}
