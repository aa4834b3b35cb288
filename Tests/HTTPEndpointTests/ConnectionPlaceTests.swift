import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import HTTPEndpoint

/// Connections that say nothing do not keep out those that ask for something.
@Suite struct ConnectionPlaceTests {
    @Test func silentConnectionsGiveWayToOneThatAsks() async throws {
        var limits = HTTPServer.Limits()
        limits.connections = 4
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits) { _ in .text(.ok, "answered") }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        var silent: [any Channel] = []
        for _ in 0..<12 { silent.append(try await bootstrap.connect(host: "127.0.0.1", port: server.port).get()) }
        // One of them has begun a request.
        _ = try? await silent[11].writeAndFlush(ByteBuffer(string: "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nx"))
        let client = try await bootstrap.connect(host: "127.0.0.1", port: server.port) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
        }
        let answer = try await client.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"))
            return try await inbound.reduce(into: "") { $0 += String(buffer: $1) }
        }
        #expect(answer.hasSuffix("answered"))
        for channel in silent { try? await channel.close() }
        await server.stop()
    }

    private final class Connections {
        private final class Time: Sendable {
            let milliseconds = Mutex<UInt64>(1)
        }

        private let time = Time()
        let clients: HTTPClients
        private var channels: [EmbeddedChannel] = []

        init(_ limit: Int) { clients = HTTPClients(limit: limit) { [time] in .uptimeNanoseconds(time.milliseconds.withLock { $0 } * 1_000_000) } }

        func advance(_ milliseconds: UInt64) { time.milliseconds.withLock { $0 += milliseconds } }

        func add(_ phase: HTTPClients.Phase? = nil) throws -> Bool {
            let channel = EmbeddedChannel()
            try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            guard clients.admit(channel) else { return false }
            if let phase { clients.note(phase, of: ObjectIdentifier(channel)) }
            channels.append(channel)
            return true
        }

        var open: [Bool] {
            channels.map { channel in
                channel.embeddedEventLoop.run()
                return channel.isActive
            }
        }
    }

    @Test func theOneThatHasBeenSilentForLongestGoesFirst() throws {
        let connections = Connections(3)
        #expect(try connections.add())
        connections.advance(1)
        #expect(try connections.add())
        #expect(try connections.add(.answering))
        connections.advance(1)
        #expect(try connections.add(.answering))
        #expect(connections.open == [false, true, true, true])
        #expect(try connections.add(.answering))
        #expect(connections.open == [false, false, true, true, true])
        // All are at work.
        #expect(try !connections.add())
    }

    @Test func anIdleConnectionKeepsItsPlaceForASecond() throws {
        let connections = Connections(1)
        #expect(try connections.add(.idle))
        connections.advance(999)
        #expect(try !connections.add())
        connections.advance(1)
        #expect(try connections.add())
        #expect(connections.open == [false, true])
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.0.0.1:9090", true), ("localhost", true), ("LocalHost:1", true), ("parley.localhost.", true), ("[::1]", true),
        ("[::1]:9090", true), ("192.0.2.7", true), ("", true), ("evil.example", false), ("evil.example:9090", false), ("127.0.0.1.evil.example", false),
        ("localhost.evil.example", false), ("bots", true), ("bots:9090", true), ("127.0.0.1:x", false), ("1.2.3.4.5", false),
    ])
    func aRequestNamesThisMachineByAnAddressOrWithoutADomain(_ host: String, _ isLocal: Bool) {
        #expect(HTTPRequest(method: .GET, target: "/", headers: ["Host": host]).namesThisMachine == isLocal)
        #expect(HTTPRequest(method: .GET, target: "/").namesThisMachine)
    }
}
