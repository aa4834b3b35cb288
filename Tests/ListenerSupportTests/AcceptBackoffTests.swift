import Foundation
import ListenerSupport
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import TestSupport
import Testing

/// A listener that the system refuses connections waits, and says so once.
@Suite struct AcceptBackoffTests {
    /// Counts the times that the listener asks the system for a connection.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

        struct Handler: LogHandler {
            let lines: Lines
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                lines.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata?["code"].map { "\($0)" } ?? "")") }
            }
        }
    }

    private func open(_ lines: Lines) throws -> (EmbeddedChannel, Reads) {
        let channel = EmbeddedChannel(), reads = Reads()
        try channel.pipeline.syncOperations.addHandlers([reads, AcceptBackoff("the test", logger: lines.logger)])
        return (channel, reads)
    }

    private func refuse(_ channel: EmbeddedChannel, _ number: CInt) {
        channel.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
        channel.read()
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM]) func aListenerWaitsLongerAfterEachRefusal(_ number: CInt) throws {
        let lines = Lines(), (channel, reads) = try open(lines)
        channel.read()
        #expect(reads.count == 1)
        var expected = 1
        for pause in [100, 200, 400, 800, 1_000, 1_000] as [Int64] {
            refuse(channel, number)
            channel.read()
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(pause - 1))
            #expect(reads.count == expected)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            expected += 1
            #expect(reads.count == expected)
        }
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix("error the test cannot accept") && lines.all[0].hasSuffix("openFiles"))
        _ = try channel.finish()
    }

    @Test func anEpisodeIsLoggedOnceAndTheNextOneAgain() throws {
        let lines = Lines(), (channel, reads) = try open(lines)
        for _ in 0..<100 {
            refuse(channel, EMFILE)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            // Now and then a connection gets through.
            try channel.writeInbound(0)
        }
        #expect(lines.all.count == 1 && reads.count == 100)
        channel.embeddedEventLoop.advanceTime(by: .seconds(61))
        refuse(channel, EMFILE)
        #expect(lines.all.count == 2)
        _ = try? channel.finish()
    }

    @Test func aPeerThatGaveUpStopsNothingAndOtherErrorsArePassedOn() throws {
        let lines = Lines(), (channel, reads) = try open(lines)
        refuse(channel, ECONNABORTED)
        #expect(reads.count == 1)
        refuse(channel, EBADF)
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        #expect(reads.count == 2 && lines.all.isEmpty)
        _ = try channel.finish()
    }

    @Test func aConnectionThatWaitedIsAcceptedAfterThePause() async throws {
        let lines = Lines(), accepted = Mutex(0)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer(AcceptBackoff.initializer("the test", lines.logger))
            .childChannelInitializer { channel in
                accepted.withLock { $0 += 1 }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(channel.localAddress)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        let clients = try await withThrowingTaskGroup(of: (any Channel).self) { group in
            for _ in 0..<3 { group.addTask { try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get() } }
            return try await group.reduce(into: [any Channel]()) { $0.append($1) }
        }
        try await eventually("the connections are accepted") { accepted.withLock { $0 } == 3 }
        #expect(lines.all.count == 1)
        for client in clients { try await client.close() }
        try await channel.close()
    }
}
