import ChatProtocol
import OfficialPeers
import ProcessSupport

/// Somebody who takes part in a conversation, driven by the commands and events that both implementations share.
protocol Party: AnyObject, Sendable {
    /// The display name.
    var name: String { get }
    var implementation: Implementation { get }
    /// Events that nobody waited for yet.
    var events: Mailbox<JSONValue> { get }
    /// Carries out a command. Throws `PeerError` with the code `refused` if the response is an error.
    @discardableResult func send(_ command: String) async throws -> JSONValue
    /// Leaves, as a person who closes the app does. What it has stays.
    func leave() async throws
    /// Comes back.
    func comeBack() async throws
    /// Where it keeps everything that it has.
    var folder: ScratchFolder { get }
}

/// Whose program it is.
enum Implementation: String, CaseIterable, Sendable, CustomStringConvertible {
    case official
    case parley = "Parley"

    var description: String { rawValue }
    var other: Implementation { self == .official ? .parley : .official }
}

extension OfficialClient: Party {
    var implementation: Implementation { .official }

    func send(_ command: String) async throws -> JSONValue { try await send(command, within: .seconds(60)) }
    func leave() async throws { await stop() }
    func comeBack() async throws { try await start() }
}

extension Party {
    /// Takes the next event of that type that `match` makes something of.
    @discardableResult
    func event<Result: Sendable>(
        _ type: String, within limit: Duration = .seconds(60), _ match: @escaping @Sendable (JSONValue) -> Result?
    ) async throws -> Result {
        try await events.first("\(name): \(type)", within: limit) { event in
            event["type"]?.stringValue == type ? match(event) : nil
        }
    }

    /// Takes the next event of that type.
    @discardableResult
    func event(_ type: String, within limit: Duration = .seconds(60)) async throws -> JSONValue {
        try await event(type, within: limit) { $0 }
    }
}
