import Foundation
import NIOCore
import NIOHTTP2
import SMPWire
import TestSupport
import Testing
import XFTPTransport

@testable import SMPTransport

/// Both sides of HTTP/2 over the TLS of the network, in one process.
@Suite struct HTTP2ConnectionTests {
    private func withServer(
        limits: HTTP2Limits = HTTP2Limits(), answered: AsyncStream<Void>.Continuation? = nil, answer: @escaping @Sendable (HTTP2Stream) async throws -> Void,
        _ body: @Sendable (HTTP2Connection, SMPTransportListener) async throws -> Void
    ) async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        var listening = SMPTransportListener.Configuration(credential: credential)
        (listening.host, listening.port, listening.applicationProtocols) = ("127.0.0.1", 0, ["xftp/1"])
        let listener = try await SMPTransportListener.start(listening, open: HTTP2Connection.open(isClient: false, limits: limits)) { connection, _ in
            Task {
                try? await withThrowingDiscardingTaskGroup { group in
                    for try await stream in connection.requests {
                        group.addTask {
                            await connection.answering { try? await answer(stream) }
                            answered?.yield()
                        }
                    }
                }
            }
        }
        var settings = SMPTransportClient.Configuration()
        settings.applicationProtocols = ["xftp/1"]
        do {
            let connection = try await SMPTransportClient(configuration: settings).connect(
                host: "127.0.0.1", port: listener.port, keyHash: credential.fingerprint, open: HTTP2Connection.open(isClient: true))
            try await body(connection, listener)
            await connection.close()
        } catch {
            await listener.close()
            throw error
        }
        await listener.close()
    }

    /// Answers with the bytes of the request.
    private static let echo: @Sendable (HTTP2Stream) async throws -> Void = { stream in
        try await stream.executeThenClose { inbound, outbound in
            var body = HTTP2Body(inbound)
            var isFirst = true
            while true {
                let piece = try await body.bytes(100_000)
                if isFirst { try await outbound.send(headers: [(":status", "200")], isEnd: piece.isEmpty) }
                if piece.isEmpty {
                    if !isFirst { try await outbound.send([], isEnd: true) }
                    return await body.untilClosed()
                }
                isFirst = false
                try await outbound.send(piece, isEnd: false)
            }
        }
    }

    private func exchange(_ connection: HTTP2Connection, _ bytes: Bytes) async throws -> Bytes {
        try await connection.openStream().executeThenClose { inbound, outbound in
            async let sending: Void = {
                try await outbound.send(headers: [(":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/")], isEnd: bytes.isEmpty)
                if !bytes.isEmpty { try await outbound.send(bytes, isEnd: true) }
            }()
            var body = HTTP2Body(inbound)
            let answer = try await body.bytes(bytes.count + 1)
            try await sending
            return answer
        }
    }

    @Test func bodiesOfAnySizeArriveWholeAndInOrderAlsoAtTheSameTime() async throws {
        try await withServer(answer: Self.echo) { connection, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for size in [0, 1, 16_384, 16_385, 600_000, 3_000_000] {
                    group.addTask {
                        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
                        let answer = try await exchange(connection, bytes)
                        #expect(answer == bytes, "\(size) bytes")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aRequestThatThePeerGivesUpFailsAndTheNextOneIsAnswered() async throws {
        try await withServer { stream in
            try await stream.executeThenClose { inbound, outbound in
                var body = HTTP2Body(inbound)
                let bytes = try await body.bytes(1)
                guard bytes != [1] else { throw ConnectionError(.closed, "given up") }
                try await outbound.send(headers: [(":status", "200")], isEnd: false)
                try await outbound.send(bytes, isEnd: true)
                await body.untilClosed()
            }
        } _: { connection, _ in
            await #expect(throws: (any Error).self) { _ = try await exchange(connection, [1]) }
            let answer = try await exchange(connection, [2])
            #expect(answer == [2])
        }
    }

    private enum Ending { case goodbye, reset, other }

    /// Records how the peer ends a connection.
    private final class EndingHandler: ChannelInboundHandler {
        typealias InboundIn = Never
        private let ending: EventLoopPromise<Ending>

        init(_ ending: EventLoopPromise<Ending>) { self.ending = ending }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if (error as? ConnectionError)?.code == .closed { ending.succeed(.goodbye) }
            if (error as? IOError)?.errnoCode == ECONNRESET { ending.succeed(.reset) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            ending.succeed(.other)
            context.fireChannelInactive()
        }
    }

    private func ending(of channel: any Channel) async throws -> EventLoopFuture<Ending> {
        let promise = channel.eventLoop.makePromise(of: Ending.self)
        try await channel.eventLoop.submit { try channel.pipeline.syncOperations.addHandler(EndingHandler(promise)) }.get()
        return promise.futureResult
    }

    /// Closes a connection as the kernel does it when a process dies: TLS does not come to know.
    private static func die(_ channel: any Channel) async {
        try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.context(handlerType: OpenSSLHandler.self).close(promise: nil)
        }.get()
    }

    /// Sends the beginning of an answer and nothing more.
    private static let beginning: @Sendable (HTTP2Stream) async throws -> Void = { stream in
        try await stream.executeThenClose { _, outbound in
            try await outbound.send(headers: [(":status", "200")], isEnd: false)
            try await outbound.send([1, 2, 3], isEnd: false)
            try await suspendUntilCancelled()
        }
    }

    /// Ends a connection once the beginning of an answer has come.
    private func cut(_ connection: HTTP2Connection, _ end: @escaping @Sendable () async -> Void) async throws {
        let part: Bytes? = try? await connection.openStream().executeThenClose { inbound, outbound in
            try await outbound.send(headers: [(":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/")], isEnd: true)
            var body = HTTP2Body(inbound)
            let part = try await body.bytes(3)
            async let ending: Void = end()
            await #expect(throws: ConnectionError.self) { _ = try await body.bytes(1) }
            await ending
            return part
        }
        #expect(part == [1, 2, 3])
    }

    // An official client asks again for a body whose connection is reset. One that just ends is a complete body of the wrong size to it.
    @Test func aConnectionThatIsClosedWithinAnAnswerIsReset() async throws {
        try await withServer(answer: Self.beginning) { connection, listener in
            let ending = try await ending(of: connection.channel)
            try await cut(connection) { await listener.close() }
            #expect(try await ending.get() == .reset)
        }
    }

    @Test func aConnectionOfAProcessThatDiesIsReset() async throws {
        let (channels, opened) = AsyncStream.makeStream(of: (any Channel).self)
        try await withServer { stream in
            if let channel = stream.channel.parent { opened.yield(channel) }
            try await Self.beginning(stream)
        } _: { connection, _ in
            let ending = try await ending(of: connection.channel)
            try await cut(connection) {
                for await channel in channels { return await Self.die(channel) }
            }
            #expect(try await ending.get() == .reset)
        }
    }

    @Test func aConnectionOfAClientThatDiesIsNotReset() async throws {
        let (channels, opened) = AsyncStream.makeStream(of: (any Channel).self)
        try await withServer { stream in
            if let channel = stream.channel.parent { opened.yield(channel) }
            try await Self.echo(stream)
        } _: { connection, _ in
            #expect(try await exchange(connection, [7]) == [7])
            for await channel in channels {
                let ending = try await ending(of: channel)
                await Self.die(connection.channel)
                #expect(try await ending.get() == .other)
                break
            }
        }
    }

    @Test func aConnectionThatEndsBetweenAnswersEndsWithAGoodbye() async throws {
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        try await withServer(answered: answered, answer: Self.echo) { connection, listener in
            let ending = try await ending(of: connection.channel)
            #expect(try await exchange(connection, [7]) == [7])
            for await _ in answers { break }
            await listener.close()
            #expect(try await ending.get() == .goodbye)
        }
    }

    @Test func aTimeLimitEndsWhatTakesLongerAndLeavesWhatDoesNot() async {
        let slow: Bool? = await within(.milliseconds(1)) {
            try? await suspendUntilCancelled()
            return true
        }
        #expect(slow == nil)
        let quick: Int? = await within(.seconds(600)) { 7 }
        let unlimited: Int? = await within(nil) { 7 }
        #expect(quick == 7)
        #expect(unlimited == 7)
    }
}
