public import Foundation

/// A value that a bot keeps for itself, for a chat or for a person, and that survives restarts.
///
/// ```swift
/// struct Score: StoredState { var points = 0 }
///
/// On(.text("point")) { message in
///     let score = try await message.update(Score.self, of: .person) { $0.points += 1; return $0.points }
///     try await message.reply("You have \(score) points.")
/// }
/// ```
///
/// Changes that a handler makes are stored in one transaction with the progress of the handler: a handler that runs again after a crash finds the
/// values that it found the first time. A handler that throws changes nothing.
public protocol StoredState: Codable, Sendable {
    /// Creates the value that is used until a value is stored.
    init()
    /// The name in the database: the name of the type, unless the type says otherwise. Keep it when the type is renamed.
    static var stateName: String { get }
    /// The version of the encoding: 1, unless the type says otherwise.
    static var stateVersion: Int { get }
    /// Converts JSON that an earlier version of the type has stored.
    ///
    /// - Throws: any error; the caller of the read gets it. Without an implementation ``BotStateError``.
    static func migrating(_ json: Data, from version: Int) throws -> Self
}

extension StoredState {
    /// The default: the name of the type.
    public static var stateName: String { String(describing: Self.self) }
    /// The default: 1.
    public static var stateVersion: Int { 1 }
    /// Throws ``BotStateError``, because the type has no migration.
    public static func migrating(_ json: Data, from version: Int) throws -> Self {
        throw BotStateError(.version, "\(stateName) was stored as version \(version), and version \(stateVersion) has no migration from it")
    }
}

/// A stored value that cannot be used.
public struct BotStateError: CodedError, Sendable, Hashable {
    /// A stable code.
    public enum Code: String, Sendable, Hashable {
        /// The value has more bytes than ``BotStateError/largestValue``.
        case tooLarge = "state.tooLarge"
        /// The value was stored by another version of its type.
        case version = "state.version"
        /// The stored bytes are not a value of the type.
        case unreadable = "state.unreadable"
        /// The bot is not running.
        case notRunning = "state.notRunning"
    }

    /// The bytes of JSON that one value may have: 1 MiB.
    public static let largestValue = 1 << 20

    /// The code.
    public let code: Code
    /// A message that a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// The name of a stored value within a data folder.
struct StateKey: Hashable, Sendable {
    let scope: String
    let name: String
}

/// A value as it is stored.
struct StateValue: Hashable, Sendable {
    var version: Int
    var json: Data
}

extension StoredState {
    /// - Parameter value: nil if nothing is stored.
    init(stored value: StateValue?) throws {
        guard let value else {
            self.init()
            return
        }
        if value.version < Self.stateVersion {
            self = try Self.migrating(value.json, from: value.version)
            return
        }
        guard value.version == Self.stateVersion else {
            throw BotStateError(
                .version, "\(Self.stateName) was stored as version \(value.version), and this program knows version \(Self.stateVersion): run a newer one")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: value.json)
        } catch {
            throw BotStateError(.unreadable, "\(Self.stateName) cannot be read: \(error)")
        }
    }

    func stored() throws -> StateValue { StateValue(version: Self.stateVersion, json: try StateCoding.json(self, name: Self.stateName)) }
}

/// The JSON of what bots store.
enum StateCoding {
    static func json(_ value: some Encodable, name: String) throws -> Data {
        let encoder = JSONEncoder()
        // Equal values have equal bytes.
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(value)
        guard json.count <= BotStateError.largestValue else {
            throw BotStateError(.tooLarge, "\(name) has \(json.count) bytes, more than \(BotStateError.largestValue)")
        }
        return json
    }
}
