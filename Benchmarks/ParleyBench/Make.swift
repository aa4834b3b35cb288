import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport

/// A make of router, client and bot: Parley's or the official one.
protocol Make: Sendable {
    var name: String { get }
    var isOurs: Bool { get }
    /// When routers of this make flush what they have answered, as their settings call it, the default first; empty if it cannot be set.
    var durabilities: [String] { get }
    /// - Parameter durability: one of ``durabilities``.
    func startRouter(_ durability: String) async throws -> any BenchRouter
    /// A program with the chat API.
    var client: OfficialClient.Program { get }
    /// A bot that answers each text with the same text, quoting it, and accepts all contacts.
    func startBot(_ router: any BenchRouter) async throws -> any BenchBot
}

extension Make {
    func startRouter() async throws -> any BenchRouter { try await startRouter(durabilities[0]) }

    /// How often something is done: the official programs are slow enough for fewer times.
    func scaled(_ count: Int, _ effort: Double) -> Int { max(1, Int(Double(isOurs ? count : count / 2) * effort)) }

    func startClient(
        _ name: String, _ router: any BenchRouter, fileServers: [String] = [], isBot: Bool = false, isRelay: Bool = false
    ) async throws -> BenchClient {
        var options = OfficialClient.Options(servers: [router.address])
        options.fileServers = fileServers
        options.program = client
        options.isBot = isBot
        if isRelay { options.arguments.append("--relay") }
        return try await BenchClient.start(name, options)
    }
}

/// A router process.
protocol BenchRouter: Sendable {
    var address: String { get }
    var process: ChildProcess? { get }
    /// Stops it and starts it again on its data. Returns when it can be used.
    func restart() async throws
    func stop() async
}

/// A bot's process.
protocol BenchBot: Sendable {
    /// A link of its address, full or short.
    var link: BenchLink { get }
    var process: ChildProcess? { get }
    /// Starts it again on its data.
    ///
    /// - Returns: the time from the start of the process until it can be reached.
    func restart() async throws -> Duration
    func stop() async
}

/// A link in both forms, as `/_connect` takes them.
struct BenchLink: Sendable {
    let full: String
    let short: String?

    init(full: String, short: String?) {
        self.full = full
        self.short = short
    }

    init(_ json: JSONValue?) throws {
        guard let full = json?["connFullLink"]?.stringValue else { throw BenchFault("no link came") }
        self.init(full: full, short: json?["connShortLink"]?.stringValue)
    }

    var words: String { [full, short].compactMap(\.self).joined(separator: " ") }
}

/// Why there is no figure.
struct BenchFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
