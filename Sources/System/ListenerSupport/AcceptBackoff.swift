package import Logging
package import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A pause of a listener after the system has refused another connection for lack of open files or memory.
///
/// Without the pause, the kernel reports the waiting connection again at once, and the thread does nothing else. The pause is 100 milliseconds, doubled
/// after each further refusal, up to a second. Connections wait in the kernel's queue meanwhile. The first refusal is logged; further ones within a minute
/// are not.
package final class AcceptBackoff: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel
    package typealias OutboundIn = Never

    /// The pause after the first refusal.
    static let firstPause = TimeAmount.milliseconds(100)
    /// The longest pause.
    static let longestPause = TimeAmount.seconds(1)
    /// The time without a refusal after which the next one is logged.
    static let quietTime = TimeAmount.seconds(60)
    /// The code in the log.
    package static let code = "openFiles"

    private let what: String
    private let logger: Logger
    private var pause = firstPause
    private var pausedUntil = NIODeadline.distantPast
    private var lastRefusal: NIODeadline?
    private var waiting: Scheduled<Void>?

    /// - Parameter what: the name of the listener, for the log.
    package init(_ what: String, logger: Logger) {
        self.what = what
        self.logger = logger
    }

    /// Returns a `serverChannelInitializer` that adds the handler to the channel of a listener.
    package static func initializer(_ what: String, _ logger: Logger) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptBackoff(what, logger: logger)) }
        }
    }

    package func read(context: ChannelHandlerContext) {
        guard waiting == nil else { return }
        guard pausedUntil > context.eventLoop.now else { return context.read() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        waiting = context.eventLoop.scheduleTask(deadline: pausedUntil) {
            let (handler, context) = bound.value
            handler.waiting = nil
            handler.read(context: context)
        }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pause = Self.firstPause
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let number = (error as? IOError)?.errnoCode else { return context.fireErrorCaught(error) }
        switch number {
        // The peer gave up before it was accepted.
        case ECONNABORTED: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: wait(context, String(cString: strerror(number)))
        default: context.fireErrorCaught(error)
        }
    }

    private func wait(_ context: ChannelHandlerContext, _ reason: String) {
        let now = context.eventLoop.now
        pausedUntil = now + pause
        pause = min(pause * 2, Self.longestPause)
        let isNew = lastRefusal.map { now > $0 + Self.quietTime } ?? true
        lastRefusal = now
        guard isNew else { return }
        logger.error(
            "\(what) cannot accept connections, which wait meanwhile: raise the number of open files (LimitNOFILE= of a unit, or ulimit -n)",
            metadata: ["code": "\(Self.code)", "reason": "\(reason)"])
    }

    package func channelInactive(context: ChannelHandlerContext) {
        waiting?.cancel()
        waiting = nil
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        guard let waiting else { return }
        waiting.cancel()
        self.waiting = nil
        context.read()
    }
}
