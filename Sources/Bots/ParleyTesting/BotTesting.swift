internal import ChatAPI
public import Foundation
public import Parley

/// The layers that are real in a test. The same test runs at each depth.
public enum TestDepth: String, Sendable, Hashable, CaseIterable {
    /// Chats are real: profiles, groups, channels and files, in databases. Connections are simulated, so that nothing is encrypted and no router runs.
    /// All time is under the control of the test, also that by which messages disappear. A test takes milliseconds.
    case chat
    /// Whole clients, with encryption, over a network in memory; files go over a router on a loopback port. The time of bots is under the control of the
    /// test; messages carry the system's.
    case engine
    /// Whole clients over routers of this process, on loopback ports. Time cannot be changed.
    case live

    /// The depth of tests without an explicit depth: ``chat``, or the one that the environment variable `PARLEY_TEST_DEPTH` names.
    ///
    /// - Throws: ``TestRoomError`` for a name that is not the name of a depth.
    public static var standard: TestDepth {
        get throws(TestRoomError) { try TestDepth(named: ProcessInfo.processInfo.environment["PARLEY_TEST_DEPTH"]) }
    }

    /// The depth of a name; ``chat`` without one.
    init(named name: String?) throws(TestRoomError) {
        guard let name, !name.isEmpty else {
            self = .chat
            return
        }
        guard let depth = TestDepth(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw TestRoomError("PARLEY_TEST_DEPTH is \"\(name)\", and has to be one of \(names)")
        }
        self = depth
    }
}

/// Runs bots for as long as a test takes, with people who talk to them.
///
/// ```swift
/// @Test func greets() async throws {
///     try await withBots(greeter) { room in
///         let ann = try await room.person("Ann")
///         try await ann.say("hello")
///         try await ann.expect("Hello, Ann!")
///     }
/// }
/// ```
///
/// The bots and each person are clients with databases in a temporary folder, which is removed at the end. A failed expectation is thrown
/// as ``ConversationError``, with the conversation so far: it works with every test framework.
///
/// - Parameters:
///   - bots: checked as at a real start.
///   - depth: the layers that are real; ``TestDepth/standard`` if it is not given.
///   - date: the time at which the test begins, where it is under the control of the test.
///   - relay: the policy of the bot that is a relay, if one is.
///   - isDryRun: whether handlers run without effects. ``TestRoom/suppressed`` holds the effects that they would have had.
/// - Throws: what the body throws; `HandlerFault` for invalid handlers; ``TestRoomError`` for an unknown depth.
public func withBots<Result: Sendable>(
    _ bots: Bot..., depth: TestDepth? = nil, startingAt date: Date = Date(timeIntervalSince1970: 1_767_225_600),
    relay: HostRelay = HostRelay(), isDryRun: Bool = false,
    _ body: @Sendable (TestRoom) async throws -> Result
) async throws -> Result { try await withBots(bots, depth: depth, startingAt: date, relay: relay, isDryRun: isDryRun, body) }

/// Runs bots for as long as a test takes, with people who talk to them.
public func withBots<Result: Sendable>(
    _ bots: [Bot], depth: TestDepth? = nil, startingAt date: Date = Date(timeIntervalSince1970: 1_767_225_600),
    relay: HostRelay = HostRelay(), isDryRun: Bool = false,
    _ body: @Sendable (TestRoom) async throws -> Result
) async throws -> Result {
    let room = try TestRoom(bots, depth: depth ?? .standard, startingAt: date, relay: relay, isDryRun: isDryRun)
    do {
        try await room.start()
        let result = try await body(room)
        await room.close()
        return result
    } catch {
        await room.close()
        throw error
    }
}

/// A conversation that did not go as a test expects.
public struct ConversationError: Error, Sendable, CustomStringConvertible {
    /// A sentence with the expected and the actual outcome.
    public let message: String
    /// The conversation of the person so far, a message on a line.
    public let conversation: String
    /// The source position of the expectation.
    public let file: String
    /// The line, from 1.
    public let line: Int

    /// A textual form: the position, the sentence and the conversation.
    public var description: String {
        let lines = conversation.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
        return "\(file):\(line): \(message)\n" + (lines.isEmpty ? "    (nothing was said)" : lines)
    }
}
