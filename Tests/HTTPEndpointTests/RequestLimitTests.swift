import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import HTTPEndpoint

/// Requests at the limits of what is read, and the end of a connection at any moment.
@Suite struct RequestLimitTests {
    /// The bytes that a connection answers a text with.
    private func answer(
        _ text: String, limit: Int = 8,
        _ handler: @escaping HTTPServer.Handler = { .text(.ok, "\($0.method.rawValue) \(String(decoding: $0.body, as: UTF8.self))") }
    ) async throws -> String {
        var limits = HTTPServer.Limits()
        limits.body = limit
        let channel = NIOAsyncTestingChannel(), loop = channel.testingEventLoop
        let connection = try await loop.executeInContext { [limits] in
            let connection = HTTPConnectionHandler(limits, handler)
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            try channel.pipeline.syncOperations.addHandler(connection)
            return NIOLoopBound(connection, eventLoop: loop)
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await channel.writeInbound(ByteBuffer(string: text))
        while let task = try await loop.executeInContext({ connection.value.answering }) {
            await task.value
            await loop.run()
            let next = try await loop.executeInContext { connection.value.answering }
            if next == task { break }
        }
        var answer = ""
        while let piece = try await channel.readOutbound(as: ByteBuffer.self) { answer += String(buffer: piece) }
        _ = try? await channel.finish(acceptAlreadyClosed: true)
        return answer
    }

    private func request(_ body: String, chunks: [Int]? = nil, fields: String = "") -> String {
        guard let chunks else { return "POST / HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)" }
        var rest = body[...]
        let pieces = chunks.map { count in
            defer { rest = rest.dropFirst(count) }
            return "\(String(count, radix: 16))\r\n\(rest.prefix(count))\r\n"
        }
        return "POST / HTTP/1.1\r\nHost: x\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(pieces.joined())0\r\n\r\n"
    }

    @Test(
        arguments: [
            ("", nil, true), ("1234567", nil, true), ("12345678", nil, true), ("123456789", nil, false), ("12345678", [8], true),
            ("12345678", [1, 7], true), ("12345678", [1, 1, 1, 1, 1, 1, 1, 1], true), ("123456789", [8, 1], false), ("123456789", [9], false),
            ("1234567890123456", [8, 8], false), ("12345678901234567", [9, 8], false),
        ] as [(String, [Int]?, Bool)])
    func aBodyIsTakenUpToItsLimitHoweverItComes(_ body: String, _ chunks: [Int]?, _ isTaken: Bool) async throws {
        let answer = try await answer(request(body, chunks: chunks))
        #expect(answer.hasPrefix(isTaken ? "HTTP/1.1 200 " : "HTTP/1.1 413 "))
        #expect(answer.hasSuffix(isTaken ? "POST \(body)" : "the body is too large\n"))
    }

    @Test func aLimitOfNothingTakesRequestsWithoutBodies() async throws {
        let empty = try await answer(request(""), limit: 0), one = try await answer(request("1"), limit: 0)
        #expect(empty.hasPrefix("HTTP/1.1 200 ") && one.hasPrefix("HTTP/1.1 413 "))
    }

    @Test(arguments: ["100-continue", "100-Continue"]) func aClientThatAsksBeforeItSendsIsToldToGoOn(_ expectation: String) async throws {
        let answer = try await answer(request("1234", fields: "Expect: \(expectation)\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ") && answer.hasSuffix("POST 1234"))
        let other = try await self.answer(request("1234", fields: "Expect: something\r\n"))
        #expect(other.hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"]) func whatIsSentBehindTheLastRequestIsNotAnswered(_ version: String) async throws {
        let last = "GET /1 \(version)\r\nHost: x\r\nConnection: close\r\n\r\n"
        let answer = try await answer(last + last + last) { .text(.ok, "seen \($0.path)") }
        #expect(answer.ranges(of: "seen /1").count == 1)
        #expect(answer.contains("close"))
    }

    @Test(arguments: [
        ("/", "/", ""), ("/a?b", "/a", "b"), ("/a?", "/a", ""), ("?", "", ""), ("/a?b?c=d", "/a", "b?c=d"), ("/%2F?%3F", "/%2F", "%3F"), ("", "", ""),
    ])
    func aTargetIsDividedAtItsFirstQuestionMark(_ target: String, _ path: String, _ query: String) {
        let request = HTTPRequest(method: .GET, target: target)
        #expect(request.path == path && request.query == query)
    }

    @Test func whoeverLeavesHasTheirAnswerCancelled() async throws {
        let (cancellations, cancelled) = AsyncStream.makeStream(of: Bool.self)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let channel = NIOAsyncTestingChannel(), loop = channel.testingEventLoop
        try await loop.executeInContext {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            try channel.pipeline.syncOperations.addHandler(
                HTTPConnectionHandler(HTTPServer.Limits()) { _ in
                    started.yield()
                    // Ends by cancellation only.
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    cancelled.yield(Task.isCancelled)
                    return .text(.ok, "late")
                })
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        for await _ in starts { break }
        try await channel.close().get()
        await loop.run()
        var isCancelled: Bool?
        for await value in cancellations {
            isCancelled = value
            break
        }
        #expect(isCancelled == true)
    }

    @Test func aServerThatHasStoppedAdmitsNobody() async {
        let clients = HTTPClients(limit: 2), channels = (0..<4).map { _ in EmbeddedChannel() }
        #expect(clients.admit(channels[0]) && clients.admit(channels[1]) && !clients.admit(channels[2]))
        channels[0].close(promise: nil)
        channels[0].embeddedEventLoop.run()
        #expect(clients.admit(channels[2]))
        let stopped = HTTPClients(limit: 2)
        await stopped.closeAll()
        #expect(!stopped.admit(channels[3]))
    }
}
