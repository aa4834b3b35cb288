import NIOCore
import NIOEmbedded
import SMPWire
import Testing

@testable import SMPTransport

/// Reading from a peer that sends faster than its blocks are taken, and through a proxy.
@Suite struct ReadingTests {
    /// Counts how often a channel is asked to read.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = Any
        private(set) var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    @Test func aPeerIsNotReadWhileBlocksWaitToBeTaken() async throws {
        let channel = NIOAsyncTestingChannel(), loop = channel.testingEventLoop
        let (connection, counter) = try await loop.executeInContext {
            let counter = ReadCounter()
            let connection = SMPConnection(
                channel: channel, handshake: TLSHandshake(sessionID: [], applicationProtocol: nil, peerChain: [], version: "TLSv1.3"))
            try channel.pipeline.syncOperations.addHandlers([counter, BlockHandler(connection)])
            return (connection, NIOLoopBound(counter, eventLoop: loop))
        }
        var blocks = connection.blocks.makeAsyncIterator()
        await loop.run()
        /// Gives the connection a block if it wants one.
        func give(_ number: Int) async throws -> Bool {
            guard try await loop.executeInContext({ counter.value.count }) > number else { return false }
            try await channel.writeInbound(block(UInt8(number)))
            await loop.run()
            return true
        }
        var given = 0
        while given < 100, try await give(given) { given += 1 }
        #expect(given == BlockSequence.capacity)
        // It goes on once half of them are taken, with each block in its place.
        for taken in 0..<40 {
            let next = try await blocks.next()
            #expect(next == block(UInt8(taken)))
            await loop.run()
            let waiting = given - taken - 1
            while given < 100, try await give(given) { given += 1 }
            if waiting > BlockSequence.capacity / 2 { #expect(given - taken - 1 == waiting) }
            #expect(given - taken - 1 <= BlockSequence.capacity)
            #expect(given > taken + 1)
        }
        _ = try? await channel.finish(acceptAlreadyClosed: true)
    }

    /// Keeps what comes through.
    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private(set) var bytes = Bytes()

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += Bytes(unwrapInboundIn(data).readableBytesView) }
    }

    @Test(arguments: [[], [7], [22, 3, 1, 0, 5]] as [Bytes]) func whatComesWithAProxysLastAnswerIsTheServers(_ rest: Bytes) throws {
        let channel = EmbeddedChannel(), recorder = Recorder()
        let handshake = try SOCKSHandshake(host: "a.onion", port: 1, credentials: nil)
        try channel.pipeline.syncOperations.addHandler(
            SOCKSHandler(handshake, timeout: .seconds(1)) { error in
                Issue.record("\(error)")
            } addHandlers: {
                try $0.pipeline.syncOperations.addHandler(recorder)
            })
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(ByteBuffer(bytes: [5, 0]))
        try channel.writeInbound(ByteBuffer(bytes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + rest))
        #expect(recorder.bytes == rest)
        try channel.writeInbound(ByteBuffer(bytes: [9]))
        #expect(recorder.bytes == rest + [9])
        // The time limit of the handshake is over with it.
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(channel.isActive)
    }

    @Test(arguments: [[[4, 0]], [[5, 0], [5, 1, 0, 1, 0, 0, 0, 0, 0, 0]], [[5, 0], [5]], [[]]] as [[Bytes]])
    func aProxyThatDoesNotConnectIsLeftOnce(_ answers: [Bytes]) throws {
        let channel = EmbeddedChannel()
        var failures: [ConnectionError.Code] = []
        let handshake = try SOCKSHandshake(host: "a.onion", port: 1, credentials: nil)
        try channel.pipeline.syncOperations.addHandler(
            SOCKSHandler(handshake, timeout: .seconds(1)) {
                failures.append($0.code)
            } addHandlers: { _ in
                Issue.record("there is no connection")
            })
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for answer in answers { try channel.writeInbound(ByteBuffer(bytes: answer)) }
        let isRefused = !failures.isEmpty
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(failures == [isRefused ? .connectFailed : .timedOut] && !channel.isActive)
    }

    @Test(arguments: [("", "x", false), ("u", "", true), (String(repeating: "u", count: 255), String(repeating: "p", count: 255), true)])
    func aNameForAProxyHasAtLeastAByte(_ user: String, _ password: String, _ isTaken: Bool) throws {
        let handshake = Result { try SOCKSHandshake(host: "a", port: 1, credentials: (user, password)) }
        guard isTaken else {
            #expect { try handshake.get() } throws: { ($0 as? ConnectionError)?.code == .unsupported }
            return
        }
        var socks = try handshake.get()
        let expected = [1, UInt8(user.utf8.count)] + Bytes(user.utf8) + [UInt8(password.utf8.count)] + Bytes(password.utf8)
        #expect(socks.receive([5, 2]) == .send(expected))
    }
}
