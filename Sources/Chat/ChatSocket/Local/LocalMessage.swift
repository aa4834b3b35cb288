import ChatAPI
import ChatProtocol
import SMPWire
import Synchronization

/// A request over a ``LocalSocketServer``'s socket, as one line of JSON.
///
/// - `{"corrId":"1","cmd":"/users","user":2,"onceAs":"key"}` is a command; `user` and `onceAs` can be left out.
/// - `{"corrId":"1","events":true}` subscribes to events.
/// - `{"corrId":"1","report":"status","argument":"…"}` asks for a report of the process; `argument` can be left out.
struct LocalRequest: Sendable {
    enum Body: Sendable, Hashable {
        case command(String, user: UserID?, key: String?)
        case events
        case report(String, argument: String?)
    }

    var correlationID: String
    var body: Body

    init(correlationID: String, _ body: Body) {
        self.correlationID = correlationID
        self.body = body
    }

    /// Reads a line.
    ///
    /// - Throws: `commandError` with the message `invalid request`.
    init(line: Bytes) throws(ChatError) {
        guard let object = (try? JSONParser.parse(line))?.objectValue, let id = object["corrId"]?.stringValue else { throw .invalidRequest }
        if let command = object["cmd"]?.stringValue {
            body = .command(command, user: object["user"]?.intValue.map { UserID($0) }, key: object["onceAs"]?.stringValue)
        } else if object["events"]?.boolValue == true {
            body = .events
        } else if let name = object["report"]?.stringValue {
            body = .report(name, argument: object["argument"]?.stringValue)
        } else {
            throw .invalidRequest
        }
        correlationID = id
    }

    /// The line, with its end.
    var line: Bytes {
        var object: JSONObject = ["corrId": .string(correlationID)]
        switch body {
        case .command(let command, let user, let key):
            object["cmd"] = .string(command)
            object["user"] = user?.json
            object["onceAs"] = key.map { .string($0) }
        case .events: object["events"] = .bool(true)
        case .report(let name, let argument):
            object["report"] = .string(name)
            object["argument"] = argument.map { .string($0) }
        }
        return LocalReply.line(.object(object))
    }
}

/// An answer over a local socket, as one line of JSON, or an event.
enum LocalReply: Sendable {
    case result(correlationID: String, ChatResult)
    /// An error that the core did not report itself.
    case failure(correlationID: String, code: String, message: String)
    case report(correlationID: String, JSONValue)
    case event(ChatEvent)

    init(line: Bytes) throws(JSONError) {
        let object = try JSONObject(json: JSONParser.parse(line))
        guard let id: String = try object.optional("corrId") else {
            self = .event(try object.required("resp"))
            return
        }
        if let failure: JSONValue = try object.optional("failure") {
            self = .failure(correlationID: id, code: failure["code"]?.stringValue ?? "", message: failure["message"]?.stringValue ?? "")
        } else if let report: JSONValue = try object.optional("report") {
            self = .report(correlationID: id, report)
        } else {
            self = .result(correlationID: id, try object.required("resp"))
        }
    }

    /// The line, with its end.
    var line: Bytes {
        switch self {
        case .result(let id, let result): SocketMessage.result(correlationID: id, result).frame + [UInt8(ascii: "\n")]
        case .event(let event): SocketMessage.event(event).frame + [UInt8(ascii: "\n")]
        case .failure(let id, let code, let message):
            Self.line(["corrId": .string(id), "failure": ["code": .string(code), "message": .string(message)]])
        case .report(let id, let report): Self.line(["corrId": .string(id), "report": report])
        }
    }

    fileprivate static func line(_ value: JSONValue) -> Bytes { value.bytes() + [UInt8(ascii: "\n")] }
}

/// Splits what comes over a connection into lines.
struct LineSplitter: Sendable {
    /// Bytes of a line at most: room for the longest command, and for a page of a chat in the answer to it.
    static let limit = 1 << 24

    struct TooLong: Error {}

    private let limit: Int
    private let budget: LineBudget?
    private var rest: Bytes = []

    /// - Parameter budget: which the beginnings of lines take from; nil for none.
    init(limit: Int = Self.limit, budget: LineBudget? = nil) {
        self.limit = limit
        self.budget = budget
    }

    /// Gives back what the beginning of a line has taken. To be called when no more comes.
    mutating func end() {
        budget?.release(rest.count)
        rest = []
    }

    /// - Returns: The lines that are complete now, without their ends.
    /// - Throws: ``TooLong``.
    mutating func add(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Bytes] {
        let searched = rest.count
        rest += bytes
        guard let last = rest[searched...].lastIndex(of: UInt8(ascii: "\n")) else {
            let isTaken = budget?.take(rest.count - searched) ?? true
            guard rest.count <= limit, isTaken else {
                if isTaken { budget?.release(rest.count) } else { budget?.release(searched) }
                rest = []
                throw TooLong()
            }
            return []
        }
        let lines = rest[..<last].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { Bytes($0) }
        budget?.release(searched)
        // Without the memory of a long line.
        rest = Bytes(rest[(last + 1)...])
        let isTaken = budget?.take(rest.count) ?? true
        guard isTaken else {
            rest = []
            throw TooLong()
        }
        return lines
    }
}

/// The bytes that the beginnings of lines of all clients of a socket may take.
final class LineBudget: Sendable {
    private let left: Mutex<Int>

    init(_ bytes: Int) { left = Mutex(bytes) }

    /// - Returns: false if there are not as many.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard count <= left else { return false }
            left -= count
            return true
        }
    }

    func release(_ count: Int) { left.withLock { $0 += count } }
}
