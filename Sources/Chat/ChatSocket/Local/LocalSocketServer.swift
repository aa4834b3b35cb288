package import ChatAPI
package import ChatProtocol
import Foundation
import ListenerSupport
package import Logging
import NIOCore
import NIOPosix
import SMPWire

/// A core on a Unix socket, for programs of the same user: other processes use the profiles of a process that runs.
///
/// Each connection has its commands answered one after another. Commands that would change the process itself are refused. A line that is no
/// request is answered with an error; one above ``LineSplitter/limit`` ends the connection. ``LocalSocketCore`` is the other side.
package final class LocalSocketServer: Sendable {
    /// Connections at a time. More are closed at once.
    static let connectionLimit = 64
    /// Bytes of the beginnings of lines of all clients: room for two lines of the largest size. A client that takes more is disconnected.
    static let unfinishedLimit = 2 * LineSplitter.limit

    /// Makes a report by its name; nil for a name that is not known. An error goes to the client with its code and message.
    package typealias Reporter = @Sendable (_ name: String, _ argument: String?) async throws(ChatCoreError) -> JSONValue?

    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// A connection, or one too many.
    private enum Accepted: Sendable {
        case client(Client)
        case refused(any Channel)
    }

    private let path: String
    let channel: any Channel
    private let sessions: OpenSessions
    private let serving: Task<Void, Never>

    private init(path: String, channel: any Channel, sessions: OpenSessions, serving: Task<Void, Never>) {
        self.path = path
        self.channel = channel
        self.sessions = sessions
        self.serving = serving
    }

    /// Opens the socket, which only its owner can use. One that an ended process has left is replaced.
    ///
    /// - Throws: ``SocketFault`` `localSocket`.
    package static func start(
        _ core: any IdempotentChatCore, path: String, logger: Logger, report: @escaping Reporter = { _, _ in nil }
    ) async throws(SocketFault) -> LocalSocketServer {
        try await start(core, path: path, logger: logger, connectionLimit: connectionLimit, lineLimit: LineSplitter.limit, report: report)
    }

    static func start(
        _ core: any IdempotentChatCore, path: String, logger: Logger, connectionLimit: Int = connectionLimit, lineLimit: Int = LineSplitter.limit,
        unfinishedLimit: Int = unfinishedLimit, report: @escaping Reporter = { _, _ in nil }
    ) async throws(SocketFault) -> LocalSocketServer {
        let sessions = OpenSessions(limit: connectionLimit)
        do {
            let server = try await SocketPath(path).withPrivate { descriptor in
                try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelInitializer(AcceptBackoff.initializer("the local socket", logger))
                    .bind(descriptor) { channel in
                        channel.eventLoop.makeCompletedFuture { () -> Accepted in
                            // An error here would end the socket for all.
                            guard sessions.admit(channel) else { return .refused(channel) }
                            return .client(try Client(wrappingChannelSynchronously: channel))
                        }
                    }
            }
            let serving = Task { await serve(server, LineSplitter(limit: lineLimit, budget: LineBudget(unfinishedLimit)), core, logger, report) }
            return LocalSocketServer(path: path, channel: server.channel, sessions: sessions, serving: serving)
        } catch {
            throw SocketFault(.localSocket, "cannot listen on the socket \(path)", cause: error)
        }
    }

    /// Closes the socket and all connections.
    package func stop() async {
        unlink(path)
        try? await channel.close()
        await sessions.closeAll()
        // Commands that wait for something are not waited for.
        serving.cancel()
        await serving.value
    }

    private static func serve(
        _ server: NIOAsyncChannel<Accepted, Never>, _ lines: LineSplitter, _ core: any IdempotentChatCore, _ logger: Logger,
        _ report: @escaping Reporter
    ) async {
        do {
            try await server.executeThenClose { clients in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await accepted in clients {
                        let client: Client
                        switch accepted {
                        case .client(let admitted): client = admitted
                        case .refused(let channel):
                            logger.warning("a client of the local socket was refused: there are too many")
                            channel.close(promise: nil)
                            continue
                        }
                        group.addTask {
                            do {
                                try await serve(client, lines, core, report)
                            } catch {
                                logger.debug("a client of the local socket was disconnected", metadata: ["error": "\(error)"])
                            }
                        }
                    }
                }
            }
        } catch {
            logger.debug("the local socket ended", metadata: ["error": "\(error)"])
        }
    }

    private static func serve(_ client: Client, _ lines: LineSplitter, _ core: any IdempotentChatCore, _ report: @escaping Reporter) async throws {
        try await client.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                var lines = lines, isSubscribed = false
                defer { lines.end() }
                for try await buffer in inbound {
                    for line in try lines.add(buffer.readableBytesView) {
                        let request: LocalRequest
                        do throws(ChatError) {
                            request = try LocalRequest(line: line)
                        } catch {
                            try await outbound.write(ByteBuffer(bytes: LocalReply.result(correlationID: "", .error(error)).line))
                            continue
                        }
                        guard request.body == .events else {
                            try await outbound.write(ByteBuffer(bytes: await answer(request, core, report).line))
                            continue
                        }
                        guard !isSubscribed else { continue }
                        isSubscribed = true
                        let events = core.events()
                        group.addTask {
                            // A client that does not read gets no half of the events: it must connect again and look at the state.
                            defer { client.channel.close(promise: nil) }
                            for try await event in events { try await outbound.write(ByteBuffer(bytes: LocalReply.event(event).line)) }
                        }
                    }
                }
                group.cancelAll()
            }
        }
    }

    private static func answer(_ request: LocalRequest, _ core: any IdempotentChatCore, _ report: Reporter) async -> LocalReply {
        let id = request.correlationID
        switch request.body {
        case .events: return .failure(correlationID: id, code: ChatCoreError.Code.unsupported.rawValue, message: "events are no answer")
        case .report(let name, let argument):
            do throws(ChatCoreError) {
                guard let found = try await report(name, argument) else { throw ChatCoreError(.unsupported, "there is no report \(name)") }
                return .report(correlationID: id, found)
            } catch {
                return .failure(correlationID: id, code: error.code.rawValue, message: error.message)
            }
        case .command(let text, let user, let key):
            do throws(ChatCoreError) {
                let command: ChatCommand
                do throws(ChatError) { command = try ChatCommand(parsing: text) } catch { throw ChatCoreError(error) }
                guard !command.concernsProcess else {
                    throw ChatCoreError(.unsupported, "this command would change the process that runs the bots: stop the bots first")
                }
                guard let key else { return .result(correlationID: id, .response(try await core.send(command, as: user))) }
                return .result(correlationID: id, .response(try await core.send(command, as: user, onceAs: key)))
            } catch {
                guard let reported = error.chatError else { return .failure(correlationID: id, code: error.code.rawValue, message: error.message) }
                return .result(correlationID: id, .error(reported))
            }
        }
    }
}

extension ChatCommand {
    /// True for commands about the core itself, its databases and its profiles' existence, which belong to the process that runs the core.
    var concernsProcess: Bool {
        switch self {
        case .core(let command):
            switch command {
            case .checkRunning, .version, .debugLocks, .subscriptionsTotal, .serversSummary, .subscriptions, .workers, .queues, .quarantine(.list):
                false
            default: true
            }
        case .users(.delete), .users(.deleteNamed), .database, .devices: true
        default: false
        }
    }
}
