/// A connection of a client, numbered since the start.
struct SessionID: Hashable, Sendable {
    let number: UInt64
}
