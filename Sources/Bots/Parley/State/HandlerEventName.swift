internal import ChatAPI
internal import SystemSupport

/// The name of something that a bot's handlers are given once: the same at the next start.
struct HandlerEventName: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case message = 1, connected, request, timer
    }

    let userID: UserID
    let kind: Kind
    /// The id of the item, the contact, the request or the timer.
    let reference: Int64
    /// The chat, as commands name it; the key of a request's jobs.
    let chat: String

    init(_ kind: Kind, _ reference: Int64, in chat: String, of userID: UserID) {
        self.userID = userID
        self.kind = kind
        self.reference = reference
        self.chat = chat
    }

    /// Nil for a chat whose name is too long, which none is.
    var key: InFlightKey? { InFlightKey([kind.rawValue] + Self.bytes(userID.rawValue) + Self.bytes(reference) + Array(chat.utf8)) }

    init?(_ key: InFlightKey) {
        let bytes = key.bytes
        guard bytes.count >= 17, let kind = Kind(rawValue: bytes[0]) else { return nil }
        self.init(kind, Self.number(bytes[9..<17]), in: String(decoding: bytes[17...], as: UTF8.self), of: UserID(Self.number(bytes[1..<9])))
    }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
