import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A language model on a loopback port: it answers each request as the test says, and keeps what it was asked.
final class ModelServer: Sendable {
    /// The behaviour towards one request.
    enum Answer: Sendable {
        /// Sends these bytes and closes the connection.
        case bytes([UInt8])
        /// Sends these bytes, then others again and again, more than any test reads, and nothing more.
        ///
        /// It does not go on for as long as the client reads: sessions of Foundation on Linux read for seconds after they are cancelled, and keep it all.
        case long([UInt8], [UInt8])
        /// Sends these bytes, and nothing more.
        case hang([UInt8])

        /// Bytes of the others of ``long(_:_:)`` at least.
        static let longSize = 1_000_000

        /// A stream of events with a text in each.
        static func events(_ texts: [String], isDone: Bool = true) -> Answer { .bytes(Array((head() + texts.map(event).joined() + (isDone ? done : "")).utf8)) }

        static func head(_ status: String = "200 OK") -> String { "HTTP/1.1 \(status)\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" }
        static let done = "data: [DONE]\n\n"

        static func event(_ text: String) -> String {
            let json = (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\(json)}}]}\n\n"
        }
    }

    /// The answers that are left, and what was asked.
    private final class Script: Sendable {
        private let state: Mutex<(answers: [Answer], requests: [String])>

        init(_ answers: [Answer]) { state = Mutex((answers, [])) }

        var requests: [String] { state.withLock(\.requests) }

        func answer(_ request: String) -> Answer {
            state.withLock { state in
                state.requests.append(request)
                return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? .bytes([])
            }
        }
    }

    private let script: Script
    private let channel: any Channel

    /// - Parameter answers: one for each request; the last for all further ones.
    init(_ answers: Answer...) async throws {
        let script = Script(answers)
        self.script = script
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering { script.answer($0) }) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/v1" }

    /// The requests with their heads, in their order.
    var requests: [String] { script.requests }

    func close() async throws { try await channel.close() }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let choose: @Sendable (String) -> Answer
        private var received: [UInt8] = []
        private var isAnswered = false

        init(_ choose: @escaping @Sendable (String) -> Answer) { self.choose = choose }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            guard !isAnswered, isComplete else { return }
            isAnswered = true
            switch choose(String(decoding: received, as: UTF8.self)) {
            case .bytes(let bytes):
                let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
            case .long(let bytes, let filler):
                context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
                for _ in 0...Answer.longSize / filler.count { context.write(wrapOutboundOut(ByteBuffer(bytes: filler)), promise: nil) }
                context.flush()
            case .hang(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            }
        }

        /// True if the body has come that the head announces.
        private var isComplete: Bool {
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { return false }
            let length = text[..<end.lowerBound].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
            return text[end.upperBound...].utf8.count >= length ?? 0
        }
    }
}
