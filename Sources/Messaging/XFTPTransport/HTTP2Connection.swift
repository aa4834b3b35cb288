package import NIOCore
package import NIOHTTP2
package import SMPTransport
import Synchronization

/// One request and its answer on a connection of HTTP/2. Both sides wait while the other does not read.
package typealias HTTP2Stream = NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>

/// The way of what is sent on a stream.
package typealias HTTP2Writer = NIOAsyncChannelOutboundWriter<HTTP2Frame.FramePayload>

/// The bounds of a connection, which are memory that a peer can have filled.
package struct HTTP2Limits: Sendable {
    /// Bytes of a body that may arrive before they are used.
    package var streamWindow = 512 << 10
    /// Bytes of all bodies of a connection that may be on their way. They are on their way no more once they have arrived, used or not: what a peer can
    /// fill is the windows of its streams.
    package var connectionWindow = 2 << 20
    /// Frames that are handed over before those in front of them are used, beyond the window.
    package var framesAhead = 16
    /// Bytes that may arrive before ``HTTP2Connection/finishHandshake()``, those of frames included; nil: any number.
    package var handshakeBytes: Int?
    /// Requests of a peer at a time.
    package var maximumStreams = 32
    /// Bytes of a body that may wait to be sent.
    package var writeLimit = 128 << 10

    package init() {}

    /// The bounds of a router, whose clients are strangers: a request holds up to 320 KiB that nobody has read, and a connection 48 KiB before its
    /// handshake is over, which takes about 17.
    package static var router: HTTP2Limits {
        var limits = HTTP2Limits()
        limits.streamWindow = 256 << 10
        limits.framesAhead = 4
        limits.handshakeBytes = 48 << 10
        return limits
    }
}

/// HTTP/2 over the TLS of the network, on either side (RFC 9113).
package struct HTTP2Connection: Sendable {
    package let channel: any Channel
    /// The results of the TLS handshake.
    package let handshake: TLSHandshake
    private let multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP2Stream>
    private let answers: Answers
    private let gate: HandshakeAllowance.Gate
    private let framesAhead: Int

    /// The answers that are being sent.
    private final class Answers: Sendable {
        let count = Atomic<Int>(0)
    }

    /// Makes the connection of a channel whose TLS handshake is over. Must be called on the channel's event loop.
    package static func open(
        isClient: Bool, limits: HTTP2Limits = HTTP2Limits()
    ) -> @Sendable (any Channel, TLSHandshake) throws -> HTTP2Connection {
        { channel, handshake in
            let answers = Answers()
            let isAnswering: @Sendable () -> Bool = { answers.count.load(ordering: .relaxed) > 0 }
            // A client has no answers to leave unfinished.
            try ByteStreamHandler.add(to: channel, isUnfinished: isClient ? nil : isAnswering)
            let gate = HandshakeAllowance.Gate()
            if let bytes = limits.handshakeBytes { try channel.pipeline.syncOperations.addHandler(HandshakeAllowance(bytes: bytes, gate: gate)) }
            try channel.pipeline.syncOperations.addHandler(FrameAligner(isClient: isClient))
            var configuration = NIOHTTP2Handler.Configuration()
            configuration.connection.initialSettings = [
                HTTP2Setting(parameter: .maxConcurrentStreams, value: isClient ? 0 : limits.maximumStreams),
                HTTP2Setting(parameter: .maxHeaderListSize, value: 16_384),
                HTTP2Setting(parameter: .initialWindowSize, value: limits.streamWindow),
            ]
            if isClient { configuration.connection.initialSettings.append(HTTP2Setting(parameter: .enablePush, value: 0)) }
            configuration.connection.targetWindowSize = limits.connectionWindow
            configuration.stream.targetWindowSize = limits.streamWindow
            configuration.stream.outboundBufferSizeHighWatermark = limits.writeLimit
            configuration.stream.outboundBufferSizeLowWatermark = limits.writeLimit / 2
            let multiplexer = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
                mode: isClient ? .client : .server, configuration: configuration
            ) { stream in
                stream.eventLoop.makeCompletedFuture { try Self.wrap(stream, limits.framesAhead) }
            }
            return HTTP2Connection(
                channel: channel, handshake: handshake, multiplexer: multiplexer, answers: answers, gate: gate, framesAhead: limits.framesAhead)
        }
    }

    private static func wrap(_ stream: any Channel, _ framesAhead: Int) throws -> HTTP2Stream {
        try HTTP2Stream(
            wrappingChannelSynchronously: stream,
            configuration: .init(
                backPressureStrategy: .init(lowWatermark: max(1, framesAhead / 4), highWatermark: framesAhead), isOutboundHalfClosureEnabled: false))
    }

    /// Begins a request.
    ///
    /// - Throws: ``ConnectionError`` `disconnected`.
    package func openStream() async throws(ConnectionError) -> HTTP2Stream {
        do {
            return try await multiplexer.openStream { [framesAhead] stream in stream.eventLoop.makeCompletedFuture { try Self.wrap(stream, framesAhead) } }
        } catch {
            throw ConnectionError(.disconnected, "the connection takes no request", cause: error)
        }
    }

    /// The requests of the peer. To be iterated once; it ends with the connection.
    package var requests: NIOHTTP2AsyncSequence<HTTP2Stream> { multiplexer.inbound }

    /// Answers a request. A connection that is closed meanwhile ends without a goodbye, so that no peer takes a part of an answer for all of it.
    package func answering<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        answers.count.add(1, ordering: .relaxed)
        defer { answers.count.subtract(1, ordering: .relaxed) }
        return try await body()
    }

    /// Ends the bound on the bytes that may arrive before the peer has shaken hands. May be called from any thread, and again.
    package func finishHandshake() { gate.open() }

    package var isOpen: Bool { channel.isActive }

    /// Closes without waiting.
    package func beginClosing() { channel.close(promise: nil) }

    /// Closes. Returns when the socket is closed; may be called again.
    package func close() async {
        beginClosing()
        try? await channel.closeFuture.get()
    }
}

extension NIOAsyncChannel where Inbound == HTTP2Frame.FramePayload, Outbound == HTTP2Frame.FramePayload {
    /// Waits until the connection has taken what was sent. A writer learns only then that the peer does not read: without it, a sender that is faster than the
    /// connection encrypts has megabytes wait.
    package func untilTaken() async { try? await channel.eventLoop.submit {}.get() }
}
