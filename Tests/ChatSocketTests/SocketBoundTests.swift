import ChatAPI
import ChatProtocol
import Foundation
import ListenerSupport
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOWebSocket
import Synchronization
import TestSupport
import Testing

@testable import ChatSocket

@Suite("Bounds of the API's socket") struct SocketBoundTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func start(upgradeLimit: TimeAmount, connectionLimit: Int = 64) async throws -> ChatSocketServer {
        var settings = ChatSocketServer.Settings(.loopback(port: 0))
        (settings.upgradeLimit, settings.connectionLimit) = (upgradeLimit, connectionLimit)
        return try await ChatSocketServer.start(CountingCore(), settings, logger: logger)
    }

    @Test("A client that leaves its answers unread has no more commands carried out until it reads")
    func unreadAnswers() async throws {
        let core = CountingCore()
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandler(SocketSession(core: core, channel: channel, version: .newest, logger: Self.logger))
        }
        channel.isWritable = false
        for number in 1...5 {
            let text = "{\"corrId\":\"\(number)\",\"cmd\":\"/users\"}"
            try await channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, maskKey: nil, data: ByteBuffer(string: text)))
        }
        // The first answer is made and waits, and with it all that is behind it.
        let first = try await channel.waitForOutboundWrite(as: WebSocketFrame.self)
        #expect(String(buffer: first.data).contains("\"1\""))
        await channel.testingEventLoop.run()
        #expect(core.count == 1)
        channel.isWritable = true
        try await channel.testingEventLoop.executeInContext { channel.pipeline.fireChannelWritabilityChanged() }
        for number in 2...5 {
            let frame = try await channel.waitForOutboundWrite(as: WebSocketFrame.self)
            #expect(String(buffer: frame.data).contains("\"\(number)\""))
        }
        #expect(core.count == 5)
        core.hub.finish()
        _ = try? await channel.finish()
    }

    @Test("There are only so many clients at a time")
    func connections() async throws {
        let server = try await Self.start(upgradeLimit: .seconds(600), connectionLimit: 2)
        let clients = [try await SocketClient.connect(port: server.port), try await SocketClient.connect(port: server.port)]
        await #expect(throws: (any Error).self) { try await SocketClient.connect(port: server.port) }
        for client in clients {
            try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
            #expect(try await client.next()["corrId"]?.stringValue == "1")
        }
        await clients[0].close()
        try await eventually("there is room again") {
            guard let client = try? await SocketClient.connect(port: server.port) else { return false }
            await client.close()
            return true
        }
        await server.stop()
    }

    @Test("Connections that ask for nothing give their place to a new one")
    func silentConnections() async throws {
        let server = try await Self.start(upgradeLimit: .seconds(600), connectionLimit: 2)
        let client = try await SocketClient.connect(port: server.port)
        let silent = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: server.port).get()
        try await eventually("there is a place") {
            guard let other = try? await SocketClient.connect(port: server.port) else { return false }
            await other.close()
            return true
        }
        try await withTimeLimit(.seconds(120), else: "the silent connection was not closed") { try await silent.closeFuture.get() }
        try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
        #expect(try await client.next()["corrId"]?.stringValue == "1")
        await client.close()
        await server.stop()
    }

    @Test("Clients are taken again after the system has refused one")
    func refusals() async throws {
        let server = try await ChatSocketServer.start(CountingCore(), port: 0, logger: Self.logger)
        try await server.channel.pipeline.containsHandler(type: AcceptBackoff.self).get()
        server.channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        let client = try await SocketClient.connect(port: server.port)
        try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
        #expect(try await client.next()["corrId"]?.stringValue == "1")
        await client.close()
        await server.stop()
    }

    @Test("A connection that asks for nothing is closed")
    func silence() async throws {
        let server = try await Self.start(upgradeLimit: .milliseconds(10))
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: server.port).get()
        try await withTimeLimit(.seconds(120), else: "the connection was not closed") { try await channel.closeFuture.get() }
        await server.stop()
    }

    @Test("A frame above the limit ends the connection, and no other")
    func frames() async throws {
        let server = try await ChatSocketServer.start(CountingCore(), port: 0, logger: Self.logger)
        let other = try await SocketClient.connect(port: server.port)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: server.port).get()
        let request =
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        // A frame that says it is as long as can be said, and one byte of it.
        let header: [UInt8] = [0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 0]
        try await channel.writeAndFlush(ByteBuffer(bytes: Array(request.utf8) + header))
        try await withTimeLimit(.seconds(120), else: "the connection was not closed") { try await channel.closeFuture.get() }
        try await other.send(#"{"corrId":"1","cmd":"/users"}"#)
        #expect(try await other.next()["corrId"]?.stringValue == "1")
        await other.close()
        await server.stop()
    }
}

/// A core that answers every command with an empty list of profiles, and counts them.
private final class CountingCore: ChatCore {
    let hub = ChatEventHub()
    private let counted = Mutex(0)
    var count: Int { counted.withLock { $0 } }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        counted.withLock { $0 += 1 }
        return .usersList(users: [])
    }

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }
}
