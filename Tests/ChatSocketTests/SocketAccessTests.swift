import ChatAPI
import ChatProtocol
import Foundation
import HTTPEndpoint
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatSocket

@Suite("Access to the API's socket") struct SocketAccessTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let secret = "0123456789abcdef"

    private static func settings(_ endpoint: SocketEndpoint = .loopback(port: 0), token: Bool = false) throws -> ChatSocketServer.Settings {
        var settings = ChatSocketServer.Settings(endpoint)
        if token { settings.token = try SocketToken(Bytes(secret.utf8)) }
        settings.health = { SocketHealth(isHealthy: true, details: ["status": "ok", "profiles": 2]) }
        return settings
    }

    private static func get(_ port: Int, _ target: String, headers: [(String, String)] = []) async throws -> (status: Int, body: String) {
        var request = HTTPGet(host: "127.0.0.1", port: port, target: target, limit: 4096, timeout: .seconds(120))
        request.headers = headers
        let answer = try await request.perform()
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    @Test("The health check is answered on the port of the WebSocket, and clients go on")
    func health() async throws {
        let isHealthy = Mutex(true)
        var settings = try Self.settings()
        settings.health = {
            let isHealthy = isHealthy.withLock { $0 }
            return SocketHealth(isHealthy: isHealthy, details: ["status": isHealthy ? "ok" : "unavailable", "problems": ["storage"]])
        }
        let server = try await ChatSocketServer.start(EchoingCore(), settings, logger: Self.logger)
        let client = try await SocketClient.connect(port: server.port)
        #expect(try await Self.get(server.port, "/healthz") == (200, "{\"status\":\"ok\",\"problems\":[\"storage\"]}\n"))
        isHealthy.withLock { $0 = false }
        #expect(try await Self.get(server.port, "/healthz") == (503, "{\"status\":\"unavailable\",\"problems\":[\"storage\"]}\n"))
        #expect(try await Self.get(server.port, "/").status == 426)
        try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
        #expect(try await client.next()["corrId"]?.stringValue == "1")
        await client.close()
        await server.stop()
    }

    @Test("HEAD is answered without a body, and a further request on the connection with nothing")
    func head() async throws {
        let server = try await ChatSocketServer.start(EchoingCore(), try Self.settings(), logger: Self.logger)
        let answer = try await RawRequest.send("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("\r\n\r\n") && answer.contains("application/json"), "\(answer)")
        #expect(answer.split(separator: "HTTP/1.1").count == 1, "\(answer)")
        let refused = try await RawRequest.send("DELETE /healthz HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
        #expect(refused.hasPrefix("HTTP/1.1 405") && refused.contains("Allow: GET, HEAD"), "\(refused)")
        await server.stop()
    }

    @Test("With a token, only clients that present it get a WebSocket and the details of the health")
    func token() async throws {
        let server = try await ChatSocketServer.start(EchoingCore(), try Self.settings(token: true), logger: Self.logger)
        await #expect(throws: (any Error).self) { try await SocketClient.connect(port: server.port) }
        await #expect(throws: (any Error).self) { try await SocketClient.connect(port: server.port, path: "/?token=0123456789abcdeF") }
        for (path, headers) in [("/?token=\(Self.secret)", [:]), ("/", ["Authorization": "Bearer \(Self.secret)"])] as [(String, HTTPHeaders)] {
            let client = try await SocketClient.connect(port: server.port, path: path, headers: headers)
            try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
            #expect(try await client.next()["corrId"]?.stringValue == "1")
            await client.close()
        }
        #expect(try await Self.get(server.port, "/healthz") == (200, "{\"status\":\"ok\"}\n"))
        #expect(try await Self.get(server.port, "/healthz", headers: [("Authorization", "Bearer \(Self.secret)")]).body.contains("profiles"))
        let refused = try await RawRequest.send(
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", to: server.port)
        #expect(refused.hasPrefix("HTTP/1.1 401") && refused.contains("WWW-Authenticate: Bearer") && !refused.contains(Self.secret), "\(refused)")
        await server.stop()
    }

    @Test("A Unix socket is its owner's, replaces one that was left, and leaves what is in use alone")
    func unixSocket() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/api.sock", settings = try Self.settings(.unix(path: path))
        let server = try await ChatSocketServer.start(EchoingCore(), settings, logger: Self.logger)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let answer = try await RawRequest.send("GET /healthz HTTP/1.1\r\n\r\n", at: path)
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        await #expect {
            _ = try await ChatSocketServer.start(EchoingCore(), settings, logger: Self.logger)
        } throws: {
            ($0 as? SocketFault)?.code == .localSocket
        }
        await server.stop()
        #expect(lstat(path, &status) != 0, "it goes with the server")
        // A file, which is somebody's.
        try Data("mine".utf8).write(to: URL(filePath: path))
        await #expect(throws: SocketFault.self) { try await ChatSocketServer.start(EchoingCore(), settings, logger: Self.logger) }
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
        // A socket that a killed process has left.
        try FileManager.default.removeItem(atPath: path)
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        close(left)
        try #require(bound == 0)
        let other = try await ChatSocketServer.start(EchoingCore(), settings, logger: Self.logger)
        #expect(try await RawRequest.send("GET /healthz HTTP/1.1\r\n\r\n", at: path).hasPrefix("HTTP/1.1 200"))
        await other.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], "nothing is left")
    }

    @Test("A Unix socket may have a path of any length", arguments: 99...109)
    func longPaths(_ length: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + String(repeating: "s", count: length - folder.path.utf8.count - 1)
        let server = try await ChatSocketServer.start(EchoingCore(), try Self.settings(.unix(path: path)), logger: Self.logger)
        var status = stat()
        #expect(path.utf8.count == length && lstat(path, &status) == 0)
        await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test("All addresses of this machine can be listened on")
    func addresses() async throws {
        for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
            let server = try await ChatSocketServer.start(EchoingCore(), try Self.settings(.tcp(host: host, port: 0)), logger: Self.logger)
            #expect(server.port > 0 && server.endpoint.url == "ws://\(host):\(server.port)")
            await server.stop()
        }
    }
}

/// Bytes to a server, and all that it answers until it ends the connection.
private enum RawRequest {
    static func send(_ text: String, to port: Int) async throws -> String {
        try await send(text) { try await $0.connect(host: "127.0.0.1", port: port).get() }
    }

    static func send(_ text: String, at path: String) async throws -> String {
        try await send(text) { try await $0.connect(unixDomainSocketPath: path).get() }
    }

    private static func send(_ text: String, _ connect: (ClientBootstrap) async throws -> any Channel) async throws -> String {
        let collector = Collector()
        let channel = try await connect(
            ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
                channel.pipeline.addHandler(collector)
            })
        try await channel.writeAndFlush(ByteBuffer(string: text))
        try await withTimeLimit(.seconds(120), else: "the connection was not closed") { try await channel.closeFuture.get() }
        return collector.text
    }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let collected = Mutex("")
        var text: String { collected.withLock { $0 } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            collected.withLock { $0 += text }
        }
    }
}
