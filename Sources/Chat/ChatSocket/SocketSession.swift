import ChatAPI
import ChatProtocol
import Logging
import NIOCore
import NIOWebSocket
import SMPWire

/// One client of the API: commands in, responses and events out.
final class SocketSession: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Commands that may wait for their turn before no more are read.
    private static let waitingLimit = 1024
    /// Bytes of commands that may wait for their turn before no more are read.
    private static let waitingBytesLimit = 1 << 26
    /// Events that are on their way to a client at most before it is waited for: each wait is a change of threads.
    private static let eventsUnderWay = 16
    /// Commands of one chat that run together at most.
    private static let jointLimit = 64

    private let core: any ChatCore
    private let channel: any Channel
    /// The version of the API of the client.
    private let version: APIVersion
    /// The events with their numbers, and the number of the last one that the client has; nil if it does not count them.
    private let numbered: (history: EventHistory, since: Int64)?
    private let logger: Logger
    private let bound: NIOLoopBoundBox<State>

    private struct Order: Sendable {
        let correlationID: String
        let command: ChatCommand
        /// Bytes of the frame.
        let size: Int
    }

    /// A class: a structure would be copied, with all that waits in it, at each change through the box.
    private final class State {
        var queues = CommandQueues<Order>()
        var isReading = true
        /// Bytes of the commands in the queues.
        var bytes = 0
        /// Queues whose answers the client has not taken yet: they continue when it has.
        var answered: [(key: CommandQueues<Order>.Key, joined: Int)] = []
        var events: Task<Void, Never>?
    }

    init(
        core: any ChatCore, channel: any Channel, version: APIVersion, numbered: (history: EventHistory, since: Int64)? = nil, logger: Logger
    ) {
        self.core = core
        self.numbered = numbered
        self.version = version
        self.channel = channel
        self.logger = logger
        bound = NIOLoopBoundBox(State(), eventLoop: channel.eventLoop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // Subscribed before any command is read, so that a client sees all that its commands bring about.
        if let (history, since) = numbered {
            bound.value.events = follow(history, since: since)
            return
        }
        let events = core.events()
        bound.value.events = Task { [channel, version, logger] in
            do throws(ChatCoreError) {
                var memory = JSONWriter.Memory(for: version)
                var lastWrite: EventLoopFuture<Void>?
                var underWay = 0
                for try await event in events {
                    lastWrite = Self.write(SocketMessage.event(event).frame(remembering: &memory), to: channel)
                    underWay += 1
                    guard underWay == Self.eventsUnderWay else { continue }
                    // Whether the connection is gone is seen elsewhere.
                    try? await lastWrite?.get()
                    underWay = 0
                }
                try? await lastWrite?.get()
            } catch {
                // A client that does not read gets no half of the events: it must connect again and look at the state.
                logger.warning("a client of the API fell behind", metadata: ["code": "\(error.code.rawValue)"])
            }
            try? await channel.close()
        }
    }

    /// Writes the events behind a number, and says where some are gone. A client that does not read gets later what is still there.
    private func follow(_ history: EventHistory, since: Int64) -> Task<Void, Never> {
        let (start, id, news) = history.follow(since: since)
        return Task { [channel, version] in
            var position = start
            var memory = JSONWriter.Memory(for: version)
            var lastWrite = Self.write(NumberedFrame.resumed(at: position), to: channel)
            var underWay = 1
            for await _ in news {
                while let step = history.next(after: position) {
                    switch step {
                    case .event(let number, let event):
                        lastWrite = Self.write(NumberedFrame.event(number, event, remembering: &memory), to: channel)
                        position = number
                    case .lost(let last):
                        lastWrite = Self.write(NumberedFrame.lost(after: position, through: last), to: channel)
                        position = last
                    }
                    underWay += 1
                    guard underWay >= Self.eventsUnderWay else { continue }
                    // A client that is gone ends this task.
                    do { try await lastWrite.get() } catch { return history.leave(id) }
                    underWay = 0
                }
            }
            history.leave(id)
            try? await lastWrite.get()
            try? await channel.close()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary: take(Bytes(frame.unmaskedData.readableBytesView))
        case .ping: context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
        case .connectionClose:
            let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)))
                .whenComplete { _ in loopBound.value.close(promise: nil) }
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        bound.value.events?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("a client of the API was disconnected", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: Commands

    private func take(_ frame: Bytes) {
        do throws(ChatError) {
            let request = try SocketRequest(frame: frame)
            do throws(ChatError) {
                let order = Order(
                    correlationID: request.correlationID, command: try ChatCommand(parsing: request.command, for: version),
                    size: frame.count)
                bound.value.bytes += order.size
                start(bound.value.queues.add(order, to: CommandQueues.Key(order.command)))
                adjustReading()
            } catch {
                write(SocketMessage.result(correlationID: request.correlationID, .error(error)).frame(for: version))
            }
        } catch {
            // Without a mark there is nothing to answer to: it goes out as an event, as official cores send it.
            write(SocketMessage.event(.commandError(error: error)).frame(for: version))
        }
    }

    private func start(_ orders: [(key: CommandQueues<Order>.Key, command: Order)]) {
        for (key, order) in orders {
            // Those of one chat that have come by now continue together: they share what waiting for the disk costs.
            let orders = [order] + bound.value.queues.join(key, limit: Self.jointLimit - 1)
            Task { [self] in
                // The answers are made here and not on the event loop, which has other connections to serve.
                let frames = await carryOut(orders)
                channel.eventLoop.execute { [self] in
                    for frame in frames { write(frame, flushing: false) }
                    channel.flush()
                    bound.value.bytes -= orders.reduce(0) { $0 + $1.size }
                    bound.value.answered.append((key, orders.count - 1))
                    goOn()
                }
            }
        }
    }

    /// Starts what waited for those that were answered, unless the client leaves too much of its answers unread.
    private func goOn() {
        if channel.isWritable {
            let answered = bound.value.answered
            bound.value.answered = []
            for (key, joined) in answered { start(bound.value.queues.end(key, joined: joined)) }
        }
        adjustReading()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        goOn()
        context.fireChannelWritabilityChanged()
    }

    private func carryOut(_ orders: [Order]) async -> [Bytes] {
        zip(orders, await core.send(orders.map(\.command), as: nil)).map { order, result in
            let answer: ChatResult =
                switch result {
                case .success(let response): .response(response)
                case .failure(let error): .error(error.chatError ?? .chat(error: .internalError(message: error.message)))
                }
            return SocketMessage.result(correlationID: order.correlationID, answer).frame(for: version)
        }
    }

    private func adjustReading() {
        let state = bound.value
        let mayRead = state.queues.count <= Self.waitingLimit && state.bytes <= Self.waitingBytesLimit && channel.isWritable
        guard mayRead != bound.value.isReading else { return }
        bound.value.isReading = mayRead
        channel.setOption(.autoRead, value: mayRead).whenFailure { [channel] _ in channel.close(promise: nil) }
    }

    // MARK: Writing

    private func write(_ frame: Bytes, flushing: Bool = true) {
        channel.write(WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: frame)), promise: nil)
        if flushing { channel.flush() }
    }

    /// - Returns: done when the client has room for it, and for all before it.
    private static func write(_ frame: Bytes, to channel: any Channel) -> EventLoopFuture<Void> {
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: frame)))
    }
}
