package import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// The time limits of a proxy for other routers.
package struct RelayTimes: Sendable {
    /// The time for the answer to a command.
    package var response = TimeAmount.seconds(30)
    /// The time for the other router to read any of the waiting bytes. After that, the connection is closed.
    package var stall = TimeAmount.seconds(30)
    /// The time from the last command until the connection is closed.
    package var idle = TimeAmount.hours(1)
    /// The same time for a connection that has had no command.
    package var unused = TimeAmount.minutes(2)
    /// The interval between checks of these times.
    package var watch = TimeAmount.seconds(5)
    /// The time to reach a router. A failure is not reported earlier, so that the time does not reveal the reason.
    package var connect = TimeAmount.seconds(15)
    /// The time for which a router that could not be reached is not tried again.
    package var failureMemory = TimeAmount.seconds(5)

    package init() {}
}

/// This router's connection to another one, over which it forwards commands that it cannot read (simplex-messaging.md, "Proxying
/// sender commands"). All clients that send to the other router share it.
///
/// A ``RelayBudget`` bounds the data that the other router has not read; the rest is refused. A router that reads nothing or answers
/// nothing for a while loses its connection with all waiting commands.
final class RelayConnection: SMPConnectionDelegate, Sendable {
    /// A function that receives the answer for the client: `PRES`, or `ERR` about the proxy. Called once, on any thread.
    typealias Answer = @Sendable (SMPBrokerMessage) -> Void

    /// Commands that may wait for an answer.
    static let maximumPending = 1024
    /// Answers without a waiting command, such as late ones, that a router may send in a row before its connection is closed.
    static let maximumUnmatched = 2 * maximumPending
    /// Blocks written to the socket at a time.
    private static let step = 4

    private struct Pending {
        let clientID: CorrelationID
        let answer: Answer
        let timeout: Scheduled<Void>
    }

    private struct Inner {
        var pending: [CorrelationID: Pending] = [:]
        /// Blocks that are not written to the socket yet.
        var blocks: [Bytes] = []
        /// Bytes of the budget: those of ``blocks``, and those that the socket has not sent.
        var held = 0
        var isWriteScheduled = false
        var lastUse = NIODeadline.now()
        /// The last time at which the other router read something, or had nothing to read.
        var lastRead = NIODeadline.now()
        var lastAnswer = NIODeadline.now()
        var wasUsed = false
        var unmatched = 0
        var isEnded = false
    }

    /// The session data that clients need to encrypt for the other router.
    let session: RelaySession
    private let connection: SMPConnection
    private let context: TransmissionContext
    private let secret: BoxSecret
    private let random: any RandomSource
    private let budget: RelayBudget
    private let times: RelayTimes
    private let onEnd: @Sendable (RelayConnection) -> Void
    private let inner = Mutex(Inner())

    /// - Throws: an error if the other router is too old, or does not support proxies.
    init(
        _ connection: SMPConnection, _ parameters: SMPSessionParameters, random: any RandomSource, budget: RelayBudget, times: RelayTimes,
        onEnd: @escaping @Sendable (RelayConnection) -> Void
    ) throws(TransportError) {
        guard let key = parameters.certifiedKey, let shared = parameters.secret, let secret = try? BoxSecret(shared) else {
            throw .noServerAuth
        }
        guard let versions = parameters.serverVersions.intersection(SMPVersion.proxied) else { throw .version }
        session = RelaySession(sessionID: parameters.context.sessionID, versions: versions, key: key)
        self.connection = connection
        self.secret = secret
        self.random = random
        self.budget = budget
        self.times = times
        self.onEnd = onEnd
        context = parameters.context
    }

    /// True if bytes or commands wait for the other router.
    var isBusy: Bool { inner.withLock { !$0.pending.isEmpty || $0.held > 0 } }
    var isEnded: Bool { inner.withLock { $0.isEnded } }
    /// Bytes that the other router has not read.
    var held: Int { inner.withLock { $0.held } }

    // MARK: To the other router

    private static let unavailable = SMPBrokerMessage.err(.proxy(.broker(.network(.failed))))

    /// Forwards a command.
    ///
    /// - Parameter id: the correlation id of the client's `PFWD`; the other router needs it to read the command.
    func forward(_ command: ForwardedCommand, _ id: CorrelationID, answer: @escaping Answer) {
        let size = SMPConnection.blockSize
        let isAccepted = inner.withLock { inner in
            guard !inner.isEnded, inner.pending.count < Self.maximumPending, budget.reserve(size, beside: inner.held) else { return false }
            if inner.held == 0 { inner.lastRead = .now() }
            inner.held += size
            return true
        }
        guard isAccepted else { return answer(Self.unavailable) }
        let ownID = CorrelationID.random(random)
        let block: Bytes
        do {
            let sealed = try ForwardedTransmission(correlationID: id, command: command).seal(correlationID: ownID, sessionSecret: secret)
            let encoded = context.encode(SMPCommand.rfwd(sealed), correlationID: ownID, entity: .none)
            guard let content = TransmissionBatcher.pack(one: context.authorized(encoded, .none)) else {
                release(1)
                return answer(.err(.proxy(.broker(.transport(.largeMessage)))))
            }
            // The forwarded command is already encrypted; blocks between routers are not.
            var cipher = BlockCipher()
            block = try cipher.seal(content)
        } catch {
            release(1)
            return answer(.err(.crypto))
        }
        enqueue(block, ownID, id, answer)
    }

    private func enqueue(_ block: Bytes, _ ownID: CorrelationID, _ clientID: CorrelationID, _ answer: @escaping Answer) {
        let sent = NIODeadline.now()
        let timeout = connection.eventLoop.scheduleTask(in: times.response) { [weak self] in
            self?.expire(ownID, sent)
            return ()
        }
        let (isOpen, isFirst) = inner.withLock { inner -> (Bool, Bool) in
            guard !inner.isEnded else { return (false, false) }
            inner.pending[ownID] = Pending(clientID: clientID, answer: answer, timeout: timeout)
            inner.blocks.append(block)
            inner.lastUse = sent
            inner.wasUsed = true
            defer { inner.isWriteScheduled = true }
            return (true, !inner.isWriteScheduled)
        }
        guard isOpen else {
            timeout.cancel()
            return answer(Self.unavailable)
        }
        if isFirst { connection.eventLoop.execute { [self] in write() } }
    }

    /// Writes as many blocks as the socket accepts. On the event loop.
    private func write() {
        inner.withLock { $0.isWriteScheduled = false }
        while connection.isWritable {
            let blocks = inner.withLock { inner -> [Bytes] in
                let blocks = Array(inner.blocks.prefix(Self.step))
                inner.blocks.removeFirst(blocks.count)
                return blocks
            }
            guard !blocks.isEmpty else { return }
            do {
                try connection.writeAtOnce(blocks) { [weak self, count = blocks.count] in self?.release(count) }
            } catch {
                return close()
            }
        }
    }

    /// Releases the budget of blocks that have left, or will not be sent.
    private func release(_ count: Int) {
        inner.withLock { inner in
            // The end of the connection has released all.
            guard !inner.isEnded else { return }
            budget.release(count * SMPConnection.blockSize, of: inner.held)
            inner.held -= count * SMPConnection.blockSize
            inner.lastRead = .now()
        }
    }

    private func take(_ id: CorrelationID) -> Pending? {
        let pending = inner.withLock { $0.pending.removeValue(forKey: id) }
        pending?.timeout.cancel()
        return pending
    }

    private func expire(_ id: CorrelationID, _ sent: NIODeadline) {
        guard let pending = take(id) else { return }
        pending.answer(.err(.proxy(.broker(.timeout))))
        // A router that has answered nothing at all in this time does not get the next command.
        if inner.withLock({ $0.lastAnswer < sent }) { close() }
    }

    /// Closes the connection when it is stalled or idle, and repeats the check until it ends.
    func watch() {
        let (isOver, isEnded) = inner.withLock { inner -> (Bool, Bool) in
            let now = NIODeadline.now()
            let isStalled = inner.held > 0 && inner.lastRead + times.stall < now
            let isIdle = inner.pending.isEmpty && inner.lastUse + (inner.wasUsed ? times.idle : times.unused) < now
            return (isStalled || isIdle, inner.isEnded)
        }
        if isEnded { return }
        if isOver { return close() }
        connection.eventLoop.scheduleTask(in: times.watch) { [weak self] in self?.watch() }
    }

    func close() { connection.beginClosing() }

    // MARK: From the other router

    func connection(_: SMPConnection, received block: Bytes) {
        var cipher = BlockCipher()
        guard let content = try? cipher.open(block) else { return close() }
        for response in context.decode(block: content, as: SMPBrokerMessage.self) {
            guard let pending = take(response.correlationID) else {
                let count = inner.withLock { inner in
                    inner.unmatched += 1
                    return inner.unmatched
                }
                if count > Self.maximumUnmatched { return close() }
                continue
            }
            inner.withLock { inner in
                inner.lastAnswer = .now()
                inner.unmatched = 0
            }
            pending.answer(answer(response.message, to: pending.clientID, response.correlationID))
        }
    }

    private func answer(
        _ message: Result<SMPBrokerMessage, SMPErrorType>, to clientID: CorrelationID, _ ownID: CorrelationID
    ) -> SMPBrokerMessage {
        switch message {
        case .success(.rres(let encrypted)):
            guard let response = try? ForwardedResponse(opening: encrypted, correlationID: ownID, sessionSecret: secret),
                response.correlationID == clientID
            else { return .err(.crypto) }
            return .pres(response.encryptedResponse)
        case .success(.err(let error)): return .err(.proxy(.protocol(error)))
        case .success: return .err(.proxy(.broker(.unexpected("not RRES"))))
        case .failure(let error): return .err(.proxy(.broker(.response(error.wireString))))
        }
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable: Bool) { if isWritable { write() } }

    func connection(_: SMPConnection, ended _: ConnectionError) {
        let pending = inner.withLock { inner in
            inner.isEnded = true
            if inner.held > 0 { budget.release(inner.held, of: inner.held) }
            inner.held = 0
            inner.blocks = []
            defer { inner.pending = [:] }
            return inner.pending.values
        }
        for one in pending {
            one.timeout.cancel()
            one.answer(Self.unavailable)
        }
        onEnd(self)
    }
}
