package import NIOCore
import NIOHPACK
package import NIOHTTP2
package import SMPTransport
package import SMPWire

/// The body of a request or an answer, as it arrives.
package struct HTTP2Body {
    private var frames: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator
    private var left = ByteBuffer()
    private var isEnded = false
    /// The fields before the body, once there are any.
    private var headers: HPACKHeaders?

    package init(_ stream: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>) { frames = stream.makeAsyncIterator() }

    /// The value of a field before the body. Nothing is known of it before the body is read.
    package func header(_ name: String) -> String? { headers?.first(name: name) }

    /// The next bytes, at least one; nil at the end.
    ///
    /// - Throws: ``ConnectionError`` `disconnected` if the peer gave the request up, or the connection broke.
    package mutating func next() async throws(ConnectionError) -> ByteBuffer? {
        if left.readableBytes > 0 {
            defer { left = ByteBuffer() }
            return left
        }
        while !isEnded {
            let frame: HTTP2Frame.FramePayload?
            do {
                frame = try await frames.next()
            } catch {
                throw ConnectionError(.disconnected, "the connection broke", cause: error)
            }
            switch frame {
            case nil: throw ConnectionError(.disconnected, "the connection broke in a message")
            case .headers(let content):
                isEnded = content.endStream
                headers = headers ?? content.headers
            case .data(let content):
                isEnded = content.endStream
                if case .byteBuffer(let buffer) = content.data, buffer.readableBytes > 0 { return buffer }
            case .rstStream(let code): throw ConnectionError(.disconnected, "the peer gave the request up: \(code)")
            default: continue
            }
        }
        return nil
    }

    /// Waits until both sides have sent all, or the connection breaks. What still comes is passed over.
    ///
    /// Bytes that wait to be sent are lost if the stream is closed before.
    ///
    /// - Parameter limit: bytes that are passed over at most.
    package mutating func untilClosed(passingOver limit: Int = 8 << 20) async {
        var passed = left.readableBytes
        left = ByteBuffer()
        while passed <= limit, let frame = try? await frames.next() {
            switch frame {
            case .rstStream: return
            case .data(let content): passed += content.data.readableBytes
            default: continue
            }
        }
    }

    /// As many bytes as are asked for; fewer only at the end.
    ///
    /// - Throws: as ``next()``.
    package mutating func bytes(_ count: Int) async throws(ConnectionError) -> Bytes {
        var bytes = Bytes()
        try await read(count, into: &bytes)
        return bytes
    }

    /// Replaces the content of `bytes` by as many as are asked for; fewer only at the end. Its memory is used again.
    ///
    /// - Throws: as ``next()``.
    package mutating func read(_ count: Int, into bytes: inout Bytes) async throws(ConnectionError) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(count)
        while bytes.count < count, var buffer = try await next() {
            let piece = buffer.readSlice(length: min(count - bytes.count, buffer.readableBytes)) ?? ByteBuffer()
            piece.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
            left = buffer
        }
    }
}

extension NIOAsyncChannelOutboundWriter<HTTP2Frame.FramePayload> {
    /// Sends the fields before a body, or instead of one.
    ///
    /// - Throws: ``ConnectionError`` `disconnected`.
    package func send(headers: [(String, String)], isEnd: Bool) async throws(ConnectionError) {
        try await send(.headers(.init(headers: HPACKHeaders(headers), endStream: isEnd)))
    }

    /// Sends the next bytes of a body, and waits while the peer does not read.
    ///
    /// - Throws: ``ConnectionError`` `disconnected`.
    package func send(_ bytes: Bytes, isEnd: Bool) async throws(ConnectionError) { try await send(ByteBuffer(bytes: bytes), isEnd: isEnd) }

    /// Sends the next bytes of a body, and waits while the peer does not read.
    ///
    /// - Throws: ``ConnectionError`` `disconnected`.
    package func send(_ buffer: ByteBuffer, isEnd: Bool) async throws(ConnectionError) {
        try await send(.data(.init(data: .byteBuffer(buffer), endStream: isEnd)))
    }

    private func send(_ frame: HTTP2Frame.FramePayload) async throws(ConnectionError) {
        do {
            try await write(frame)
        } catch {
            throw ConnectionError(.disconnected, "the connection broke", cause: error)
        }
    }
}
