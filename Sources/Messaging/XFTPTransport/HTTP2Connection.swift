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
    /// Bytes of all bodies of a connection that may arrive before they are used.
    package var connectionWindow = 2 << 20
    /// Requests of a peer at a time.
    package var maximumStreams = 32
    /// Bytes of a body that may wait to be sent.
    package var writeLimit = 128 << 10

    package init() {}
}

/// HTTP/2 over the TLS of the network, on either side (RFC 9113).
package struct HTTP2Connection: Sendable {
    package let channel: any Channel
    /// The results of the TLS handshake.
    package let handshake: TLSHandshake
    private let multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP2Stream>
    private let answers: Answers

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
                stream.eventLoop.makeCompletedFuture { try Self.wrap(stream) }
            }
            return HTTP2Connection(channel: channel, handshake: handshake, multiplexer: multiplexer, answers: answers)
        }
    }

    private static func wrap(_ stream: any Channel) throws -> HTTP2Stream {
        try HTTP2Stream(
            wrappingChannelSynchronously: stream,
            configuration: .init(backPressureStrategy: .init(lowWatermark: 4, highWatermark: 16), isOutboundHalfClosureEnabled: false))
    }

    /// Begins a request.
    ///
    /// - Throws: ``ConnectionError`` `disconnected`.
    package func openStream() async throws(ConnectionError) -> HTTP2Stream {
        do {
            return try await multiplexer.openStream { stream in stream.eventLoop.makeCompletedFuture { try Self.wrap(stream) } }
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
    /// Waits until the connection has taken what was sent. A writer learns only then that the peer does not read: without it, who sends faster than the
    /// connection encrypts has megabytes wait.
    package func untilTaken() async { try? await channel.eventLoop.submit {}.get() }
}
