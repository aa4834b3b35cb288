import Foundation
import ListenerSupport
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import HTTPEndpoint

/// The server, over loopback connections that send bytes as they are.
@Suite struct HTTPServerTests {
    private static func echo(_ request: HTTPRequest) async -> HTTPResponse {
        .text(.ok, "\(request.method.rawValue) \(request.path) \(request.query) \(String(decoding: request.body, as: UTF8.self))")
    }

    private func open(_ server: HTTPServer) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: server.port) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
        }
    }

    /// The answer of a connection to bytes, until it is closed.
    private func exchange(_ server: HTTPServer, _ text: String) async throws -> String {
        let client = try await open(server)
        return try await client.executeThenClose { inbound, outbound in
            var answer = ""
            // The server may close the connection before everything is written or read.
            do {
                try await outbound.write(ByteBuffer(string: text))
                for try await bytes in inbound { answer += String(buffer: bytes) }
            } catch is IOError {} catch is ChannelError {}
            return answer
        }
    }

    private func withServer<Result>(
        limits: HTTPServer.Limits = .init(), _ handler: @escaping HTTPServer.Handler = Self.echo, _ body: (HTTPServer) async throws -> Result
    ) async throws -> Result {
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits, handler: handler)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test func aRequestIsReadWholeAndAnswered() async throws {
        let answer = try await withServer { server in
            try await exchange(server, "POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        }
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("content-length: 19\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nPOST /a/b c=d hello"))
    }

    @Test func requestsOfOneConnectionAreAnsweredInTheirOrder() async throws {
        let answer = try await withServer { server in
            try await exchange(server, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        let first = try #require(answer.firstRange(of: "GET /1")), second = try #require(answer.firstRange(of: "GET /2"))
        #expect(first.upperBound < second.lowerBound)
    }

    @Test func manyMoreRequestsThanAreReadInOneGoAreAnsweredInTheirOrder() async throws {
        let count = 1_000
        let requests = (1...count).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n" + ($0 == count ? "Connection: close\r\n\r\n" : "\r\n") }.joined()
        #expect(requests.utf8.count > 3 * HTTPServer.readSize)
        let answer = try await withServer { server in try await exchange(server, requests) }
        let paths = answer.matches(of: /GET \/([0-9]+)/).compactMap { Int($0.1) }
        #expect(paths == Array(1...count))
    }

    @Test func theAnswerToARequestThatWasSentAheadMayTakeItsTime() async throws {
        let gates = ["/1", "/2"].map { (path: $0, gate: AsyncStream<Never>.makeStream()) }, channel = NIOAsyncTestingChannel(), loop = channel.testingEventLoop
        let connection = try await loop.executeInContext {
            let connection = HTTPConnectionHandler(HTTPServer.Limits()) { request in
                for (path, gate) in gates where path == request.path { for await _ in gate.stream {} }
                return await Self.echo(request)
            }
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            try channel.pipeline.syncOperations.addHandler(connection)
            return NIOLoopBound(connection, eventLoop: loop)
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await channel.writeInbound(ByteBuffer(string: "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n"))
        let first = try await loop.executeInContext { connection.value.answering }
        gates[0].gate.continuation.finish()
        await first?.value
        await loop.run()
        await loop.advanceTime(by: HTTPServer.Limits().patience + .seconds(1))
        #expect(channel.isActive)
        gates[1].gate.continuation.finish()
        var answer = ""
        while !answer.contains("GET /2") { answer += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self)) }
        #expect(answer.contains("GET /1"))
        _ = try? await channel.finish()
    }

    @Test func aBodyAboveTheLimitIsRefusedAndTheConnectionEnds() async throws {
        var limits = HTTPServer.Limits()
        limits.body = 8
        let isAsked = Mutex(false)
        let answer = try await withServer(
            limits: limits,
            { request in
                isAsked.withLock { $0 = true }
                return await Self.echo(request)
            }
        ) { server in try await exchange(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n123456789GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(!isAsked.withLock { $0 })
    }

    @Test func anAnswerIsStreamedInChunks() async throws {
        let answer = try await withServer({ _ in
            let chunks = AsyncThrowingStream<[UInt8], any Error> { continuation in
                for part in ["data: 1\n\n", "data: 2\n\n"] { continuation.yield(Array(part.utf8)) }
                continuation.finish()
            }
            return HTTPResponse(.ok, contentType: "text/event-stream", body: .stream(chunks))
        }) { server in try await exchange(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }
        #expect(answer.contains("transfer-encoding: chunked"))
        #expect(answer.contains("data: 1\n\n") && answer.contains("data: 2\n\n"))
        #expect(answer.hasSuffix("0\r\n\r\n"))
    }

    @Test func aStreamThatFailsEndsTheConnectionWithoutTheLastChunk() async throws {
        struct Failure: Error {}
        let answer = try await withServer({ _ in
            HTTPResponse(
                .ok,
                body: .stream(
                    AsyncThrowingStream { continuation in
                        continuation.yield(Array("part".utf8))
                        continuation.finish(throwing: Failure())
                    }))
        }) { server in try await exchange(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        #expect(answer.contains("part") && !answer.hasSuffix("0\r\n\r\n"))
    }

    @Test func aHeadRequestGetsTheLengthAndNoBody() async throws {
        let answer = try await withServer { server in try await exchange(server, "HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }
        #expect(answer.contains("content-length: 9\r\n") && answer.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func aRequestThatCannotBeReadEndsTheConnection(_ request: String) async throws {
        let answer = try await withServer { server in try await exchange(server, request) }
        #expect(!answer.contains("200 OK"))
    }

    @Test func aSilentClientIsDisconnected() async throws {
        var limits = HTTPServer.Limits()
        limits.patience = .milliseconds(1)
        let answer = try await withServer(limits: limits) { server in try await exchange(server, "GET / HTTP/1.1\r\n") }
        #expect(answer.isEmpty)
    }

    @Test func oneConnectionTooManyIsClosed() async throws {
        var limits = HTTPServer.Limits()
        limits.connections = 1
        try await withServer(limits: limits) { server in
            let first = try await open(server)
            try await first.executeThenClose { inbound, outbound in
                // An answer proves that this connection is the admitted one: event loops may admit connections in another order than they were made.
                try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
                for try await _ in inbound { break }
                #expect(try await exchange(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") == "")
            }
        }
    }

    @Test func connectionsAreTakenAgainAfterTheSystemHasRefusedOne() async throws {
        let answer = try await withServer { server in
            try await server.channel.pipeline.containsHandler(type: AcceptBackoff.self).get()
            server.channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            return try await exchange(server, "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        #expect(answer.hasSuffix("GET /x  "))
    }

    @Test func stoppingClosesTheConnections() async throws {
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0, handler: Self.echo)
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: server.port).get()
        await server.stop()
        try await client.closeFuture.get()
    }
}
