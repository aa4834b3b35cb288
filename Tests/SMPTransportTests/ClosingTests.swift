import NIOCore
import NIOEmbedded
import SMPWire
import Testing

@testable import SMPTransport

/// How the TLS of a connection ends when the peer reads slowly or not at all.
@Suite struct ClosingTests {
    private static let credential = Result { try ServerCredential.generate(algorithm: .ed25519) }

    /// Keeps back what is written, as a socket does whose peer does not read.
    private final class Dam: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var isClosed = false
        private var kept: [(NIOAny, EventLoopPromise<Void>?)] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard isClosed else { return context.write(data, promise: promise) }
            kept.append((data, promise))
        }

        func open(_ context: ChannelHandlerContext) {
            isClosed = false
            for (data, promise) in kept { context.write(data, promise: promise) }
            kept = []
            context.flush()
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            for (_, promise) in kept { promise?.fail(ChannelError.ioOnClosedChannel) }
        }
    }

    /// The server's end of a connection, behind a dam that keeps a block back.
    private struct End {
        let channel = EmbeddedChannel()
        let dam = Dam()
        private let peer: TLSSession

        init() throws {
            let credential = try ClosingTests.credential.get()
            let peer = try TLSSession(.client(), verifying: .server(fingerprint: credential.fingerprint))
            let session = try TLSSession(.server(credential: credential), verifying: .client)
            try channel.pipeline.syncOperations.addHandlers([dam, OpenSSLHandler(session)])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            var isOver = false
            while !isOver {
                if case .finished = peer.advanceHandshake() { isOver = true }
                if let flight = peer.wire.takeOutbound() { try channel.writeInbound(flight) }
                while let flight = try channel.readOutbound(as: ByteBuffer.self) { peer.wire.append(flight) }
            }
            self.peer = peer
            dam.isClosed = true
            channel.writeAndFlush(Bytes([1, 2, 3]), promise: nil)
        }

        /// What the peer reads when the dam is open.
        func read() throws -> [String] {
            try dam.open(channel.pipeline.syncOperations.context(handler: dam))
            while let flight = try channel.readOutbound(as: ByteBuffer.self) { peer.wire.append(flight) }
            var read: [String] = []
            for _ in 0..<8 where peer.hasInput {
                switch peer.read() {
                case .bytes(let bytes): read.append("\(bytes)")
                case .closed: return read + ["goodbye"]
                case .needsMore: continue
                case .failed(let error): return read + ["\(error.code)"]
                }
            }
            return read
        }
    }

    @Test(arguments: 1...3)
    func whatWasWrittenArrivesHoweverOftenTheConnectionIsClosed(_ times: Int) throws {
        let end = try End()
        let closings = (0..<times).map { _ in end.channel.close() }
        end.channel.embeddedEventLoop.run()
        #expect(end.channel.isActive)
        #expect(try end.read() == ["[1, 2, 3]", "goodbye"])
        #expect(!end.channel.isActive)
        for closing in closings { try closing.wait() }
    }

    @Test func aPeerThatDoesNotReadIsWaitedForOnceAndForALimitedTime() throws {
        let end = try End(), loop = end.channel.embeddedEventLoop
        end.channel.close(promise: nil)
        loop.advanceTime(by: OpenSSLHandler.closingTime - .milliseconds(1))
        end.channel.close(promise: nil)
        #expect(end.channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!end.channel.isActive)
    }
}
