package import ChatProtocol
import Foundation
package import ProcessSupport
import Synchronization
import TestSupport

/// An official `simplex-chat` with one profile, run without a terminal and driven over its WebSocket; or `parley api`, which takes
/// the same commands and has no profile at first.
///
/// Its database stays in its scratch folder: ``stop()`` and ``start()`` are what a restart is to a person. It has its routers given,
/// so that it never uses the public ones.
package final class OfficialClient: Sendable {
    /// Events that were not waited for yet.
    package let events: Mailbox<JSONValue>
    /// The profile's display name.
    package let name: String
    /// Where it keeps its database, with the prefix `client`.
    package let folder: ScratchFolder
    private let options: Options
    private let running = Mutex<Running?>(nil)

    /// What is run.
    package enum Program: Sendable, Hashable {
        case official(PeerRelease)
        /// The `parley` executable of that path.
        case parley(String)

        package static let simplexChat = Program.official(.current)
    }

    /// How the client is set up.
    package struct Options: Sendable {
        package var program = Program.simplexChat
        /// Addresses of the routers (`smp://…`) that it makes its queues on.
        package var servers: [String]
        /// Addresses of the file routers; none are used if there are none.
        package var fileServers: [String] = []
        /// Further arguments of the program, such as `--smp-proxy=always`.
        package var arguments: [String] = []
        /// Whether the profile is a bot's.
        package var isBot = false
        /// How long it may take to start.
        package var startLimit = Patience.limit

        package init(servers: [String]) { self.servers = servers }
    }

    private struct Running {
        let process: ChildProcess
        let socket: ChatSocket
        let replies: Replies
    }

    /// Makes a client that is not started yet.
    package init(_ name: String, _ options: Options) throws(PeerError) {
        self.name = name
        self.options = options
        folder = try ScratchFolder("official-client")
        events = Mailbox(label: OfficialClient.label)
    }

    deinit { running.withLock { $0?.process.kill() } }

    /// Makes and starts a client.
    package static func start(_ name: String, _ options: Options) async throws(PeerError) -> OfficialClient {
        let client = try OfficialClient(name, options)
        try await client.start()
        return client
    }

    /// The process that runs, for its figures; nil between ``stop()`` and ``start()``.
    package var process: ChildProcess? { running.withLock { $0?.process } }

    /// Starts the program and connects to it. At the first start it makes the profile.
    package func start() async throws(PeerError) {
        let port = try LoopbackPort.free()
        do {
            for sub in ["/files", "/temporary"] {
                try FileManager.default.createDirectory(atPath: folder.path + sub, withIntermediateDirectories: true)
            }
        } catch {
            throw PeerError(.launch, "no folders for the client", cause: error)
        }
        let process = try launch(port: port.number)
        let replies = Replies()
        do throws(PeerError) {
            try await LoopbackPort.waitUntilOpen(port.number, by: process, within: options.startLimit)
            let socket = try await ChatSocket.connect(port: port.number) { [events] frame in
                guard let body = frame["resp"] ?? frame["error"] else { return }
                if let id = frame["corrId"]?.stringValue { replies.give(body, to: id) } else { events.put(body) }
            } closed: {
                replies.finish(PeerError(.ended, "simplex-chat has closed the connection"))
            }
            running.withLock { $0 = Running(process: process, socket: socket, replies: replies) }
        } catch {
            process.kill()
            throw error
        }
    }

    private func launch(port: Int) throws(PeerError) -> ChildProcess {
        switch options.program {
        case .parley(let path):
            var servers = options.servers.flatMap { ["--server", $0] }
            if !options.fileServers.isEmpty {
                servers += ["--xftp-server", options.fileServers.joined(separator: " "), "--files-folder", folder.path + "/files"]
            }
            return try ChildProcess(
                path, ["api", "--port", "\(port)", "--data", folder.path + "/data"] + servers + options.arguments, log: log,
                readsOutput: false)
        case .official(let release):
            var arguments = [
                "-d", folder.path + "/client", "-y", "-p", "\(port)", "-s", options.servers.joined(separator: " "),
                "--files-folder", folder.path + "/files", "--temp-folder", folder.path + "/temporary",
            ]
            if !options.fileServers.isEmpty { arguments += ["--xftp-server", options.fileServers.joined(separator: " ")] }
            if options.isBot { arguments += ["--create-bot-display-name", name] }
            // It asks for the name of a first profile on standard input, and a relay whether it gets an address; it does not read that later.
            return try ChildProcess(
                try PeerProgram.simplexChat.path(in: release), arguments + options.arguments, input: name + "\ny\n", log: log, readsOutput: false)
        }
    }

    /// Ends the program; what it has stays in its folder.
    ///
    /// - Parameter signal: an interrupt as Ctrl-C is, or a kill as a crash is.
    package func stop(_ signal: ProcessSignal = .interrupt) async {
        guard
            let running = running.withLock({ running in
                defer { running = nil }
                return running
            })
        else { return }
        await running.socket.close()
        await running.process.stop(signal)
    }

    /// What the program printed, for the report of a failed run.
    package var log: String { folder.path + "/client.log" }

    /// Sends a command, as a person would type it or as the API has it, and waits for the response.
    ///
    /// - Throws: ``PeerError/Code/refused`` with the response if that is an error.
    @discardableResult
    package func send(_ command: String, within limit: Duration = Patience.limit) async throws(PeerError) -> JSONValue {
        guard let running = running.withLock({ $0 }) else { throw PeerError(.ended, "simplex-chat is not running") }
        let id = running.replies.nextID()
        try await running.socket.send(JSONValue.object(["corrId": .string(id), "cmd": .string(command)]).text)
        let response = try await running.replies.reply(to: id, command: command, within: limit)
        if ["chatCmdError", "chatError"].contains(response["type"]?.stringValue) || response["type"] == nil {
            throw PeerError(.refused, "\(name): \(command.prefix(200))", response: response)
        }
        return response
    }

    /// Takes the next event of that type that `match` makes something of.
    @discardableResult
    package func event<Result: Sendable>(
        _ type: String, within limit: Duration = Patience.limit, _ match: @escaping @Sendable (JSONValue) -> Result?
    ) async throws(PeerError) -> Result {
        try await events.first("\(name): \(type)", within: limit) { event in
            event["type"]?.stringValue == type ? match(event) : nil
        }
    }

    /// What to call an event in a report: its type, how far a change of keys or queues has come, and why a file failed.
    package static func label(_ event: JSONValue) -> String {
        let progress = event["ratchetSyncProgress"]?["ratchetSyncStatus"] ?? event["switchProgress"]?["switchPhase"]
        if let type = event["type"]?.stringValue, type.hasSuffix("FileError"), let error = event["agentError"] { return "\(type) (\(error.text))" }
        return (event["type"]?.stringValue ?? "?") + (progress?.stringValue.map { " (\($0))" } ?? "")
    }

    /// Takes the next event of that type.
    @discardableResult
    package func event(_ type: String, within limit: Duration = Patience.limit) async throws(PeerError) -> JSONValue {
        try await event(type, within: limit) { $0 }
    }
}
