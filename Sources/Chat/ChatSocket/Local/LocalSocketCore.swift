package import ChatAPI
package import ChatProtocol
import NIOCore
import NIOPosix
import SMPWire
import Synchronization

/// The core of another process, by its ``LocalSocketServer``.
package final class LocalSocketCore: IdempotentChatCore {
    private struct State {
        var waiting: [String: CheckedContinuation<LocalReply, Never>] = [:]
        var next = 0
        var isSubscribed = false
        var isEnded = false
    }

    private let channel: any Channel
    private let link: Link
    private var hub: ChatEventHub { link.hub }

    private init(_ channel: any Channel, _ link: Link) {
        self.channel = channel
        self.link = link
    }

    /// Connects to the socket of a process.
    ///
    /// - Throws: ``SocketFault`` `localSocket` if no process listens, or it is another user's.
    package static func connect(path: String) async throws(SocketFault) -> LocalSocketCore {
        let link = Link()
        do {
            let channel = try await SocketPath(path).withShort { short in
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(ReplyHandler(link)) }
                    }
                    .connect(unixDomainSocketPath: short).get()
            }
            return LocalSocketCore(channel, link)
        } catch {
            throw SocketFault(.localSocket, "no process answers at the socket \(path)", cause: error)
        }
    }

    /// Ends the connection. Commands that were not answered fail.
    package func close() async {
        try? await channel.close()
        link.end()
    }

    package func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse { try await send(command, user, nil) }

    package func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse {
        try await send(command, user, key)
    }

    package func events(bufferingUpTo limit: Int) -> ChatEvents {
        let events = hub.subscribe(bufferingUpTo: limit)
        // The other side reads lines in their order: commands that follow are answered after the subscription.
        if link.state.withLock({ state in
            defer { state.isSubscribed = true }
            return !state.isSubscribed
        }) {
            write(LocalRequest(correlationID: "events", .events))
        }
        return events
    }

    /// A report of the process, such as `status`.
    package func report(_ name: String, argument: String? = nil) async throws(ChatCoreError) -> JSONValue {
        switch await ask(.report(name, argument: argument)) {
        case .report(_, let report): return report
        case .failure(_, let code, let message): throw ChatCoreError(.init(rawValue: code), message)
        case .result, .event: throw ChatCoreError(.invalidResponse, "the process did not answer with a report")
        }
    }

    private func send(_ command: ChatCommand, _ user: UserID?, _ key: String?) async throws(ChatCoreError) -> ChatResponse {
        switch await ask(.command(command.commandString, user: user, key: key)) {
        case .result(_, let result): return try result.get()
        case .failure(_, let code, let message): throw ChatCoreError(.init(rawValue: code), message)
        case .report, .event: throw ChatCoreError(.invalidResponse, "the process did not answer the command")
        }
    }

    private func ask(_ body: LocalRequest.Body) async -> LocalReply {
        await withCheckedContinuation { continuation in
            let id = link.state.withLock { state -> String? in
                guard !state.isEnded else { return nil }
                state.next += 1
                state.waiting["\(state.next)"] = continuation
                return "\(state.next)"
            }
            guard let id else { return continuation.resume(returning: .ended) }
            write(LocalRequest(correlationID: id, body))
        }
    }

    private func write(_ request: LocalRequest) {
        let written = channel.writeAndFlush(channel.allocator.buffer(bytes: request.line))
        // All waiters are notified then.
        written.whenFailure { [link] _ in link.end() }
    }

    /// The state that the connection and the core share.
    private final class Link: Sendable {
        let hub = ChatEventHub()
        let state = Mutex(State())

        func take(_ reply: LocalReply) {
            let id: String
            switch reply {
            case .event(let event): return hub.publish(event)
            case .result(let known, _), .report(let known, _), .failure(let known, _, _): id = known
            }
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: reply)
        }

        func end() {
            let waiting = state.withLock { state in
                state.isEnded = true
                defer { state.waiting = [:] }
                return state.waiting.values
            }
            for continuation in waiting { continuation.resume(returning: .ended) }
            hub.finish()
        }
    }

    private final class ReplyHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let link: Link
        private var lines = LineSplitter()

        init(_ link: Link) { self.link = link }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            do {
                for line in try lines.add(unwrapInboundIn(data).readableBytesView) { link.take(try LocalReply(line: line)) }
            } catch {
                // Behind what cannot be read nothing can be trusted.
                context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            link.end()
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension LocalReply {
    /// The answer to all waiters when the connection ends.
    fileprivate static var ended: LocalReply {
        .failure(correlationID: "", code: ChatCoreError.Code.closed.rawValue, message: "the process that runs the bots has ended or closed the connection")
    }
}
