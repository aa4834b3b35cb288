import ChatAPI
import ChatProtocol
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// An official `simplex-chat` process, driven over its WebSocket.
final class OfficialClient: Sendable {
    let process: ChildProcess
    private let channel: any Channel
    private let inbox: WebSocketInbox

    /// Starts the program on a data prefix and connects to it.
    static func start(binary: String, prefix: String, server: String, name: String) async throws -> OfficialClient {
        let port = try FreePort.find()
        let process = try ChildProcess.start(
            binary, ["-d", prefix, "-s", server, "-p", "\(port)", "--create-bot-display-name", name, "-y"])
        for _ in 0..<600 {
            if let connected = try? await connect(port: port) {
                return OfficialClient(process: process, channel: connected.0, inbox: connected.1)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        process.kill()
        throw BenchError("simplex-chat did not open its port")
    }

    private init(process: ChildProcess, channel: any Channel, inbox: WebSocketInbox) {
        self.process = process
        self.channel = channel
        self.inbox = inbox
    }

    /// Sends a command and waits for its response, as JSON.
    func send(_ command: String) async throws -> JSONValue {
        let id = inbox.nextID()
        let frame = JSONValue.object(["corrId": .string(id), "cmd": .string(command)])
        async let response = inbox.response(to: id)
        var buffer = channel.allocator.buffer(capacity: command.utf8.count + 64)
        buffer.writeString(frame.text)
        try await channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: buffer))
        return try await response
    }

    /// Events in the order in which they came.
    var events: AsyncStream<JSONValue> { inbox.events }

    func stop() async {
        try? await channel.close()
        process.kill()
    }

    private static func connect(port: Int) async throws -> (any Channel, WebSocketInbox) {
        let inbox = WebSocketInbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrader = NIOWebSocketClientUpgrader(maxFrameSize: 1 << 24) { channel, _ in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOWebSocketFrameAggregator(minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 10_000, maxAccumulatedFrameSize: 1 << 26))
                            try channel.pipeline.syncOperations.addHandler(inbox.handler())
                        }
                    }
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(
                        withClientUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
                    try channel.pipeline.syncOperations.addHandler(UpgradeRequest(port: port))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await inbox.waitUntilOpen()
        return (channel, inbox)
    }
}

/// Asks for the upgrade as soon as the connection is there.
private final class UpgradeRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    private let port: Int

    init(port: Int) { self.port = port }

    func channelActive(context: ChannelHandlerContext) {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        head.headers = ["Host": "127.0.0.1:\(port)"]
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }
}

/// Sorts what comes over a WebSocket into responses and events.
final class WebSocketInbox: Sendable {
    private struct State {
        var last = 0
        var waiting: [String: CheckedContinuation<JSONValue, any Error>] = [:]
        var isOpen = false
        var opening: CheckedContinuation<Void, Never>?
    }

    let events: AsyncStream<JSONValue>
    private let continuation: AsyncStream<JSONValue>.Continuation
    private let state = Mutex(State())

    init() { (events, continuation) = AsyncStream.makeStream(of: JSONValue.self) }

    func nextID() -> String {
        state.withLock { state in
            state.last += 1
            return "\(state.last)"
        }
    }

    func response(to id: String) async throws -> JSONValue {
        try await withCheckedThrowingContinuation { continuation in state.withLock { $0.waiting[id] = continuation } }
    }

    func waitUntilOpen() async throws {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.opening = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func handler() -> WebSocketHandler { WebSocketHandler(inbox: self) }

    fileprivate func open() {
        let opening = state.withLock { state in
            state.isOpen = true
            defer { state.opening = nil }
            return state.opening
        }
        opening?.resume()
    }

    fileprivate func receive(_ text: String) {
        guard let frame = try? JSONValue(parsing: text), case .object(let members) = frame, let body = members["resp"] else { return }
        if case .string(let id)? = members["corrId"] {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: body)
        } else {
            continuation.yield(body)
        }
    }

    fileprivate func close() {
        continuation.finish()
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiter in waiting { waiter.resume(throwing: BenchError("simplex-chat closed the connection")) }
    }
}

final class WebSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    private let inbox: WebSocketInbox

    init(inbox: WebSocketInbox) { self.inbox = inbox }

    func handlerAdded(context: ChannelHandlerContext) { inbox.open() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if frame.opcode == .text { inbox.receive(String(buffer: frame.unmaskedData)) }
    }

    func channelInactive(context: ChannelHandlerContext) { inbox.close() }
}
