import ListenerSupport
import Logging
import NIOCore
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import SystemSupport

/// One client's connection: handshake, commands in, responses and messages out. It runs on the connection's event loop; other
/// threads only add to its outbox.
final class RouterSession: SMPConnectionDelegate, Sendable {
    /// Bytes of outputs put into blocks at a time, in addition to the bytes that wait in the connection.
    static let flushLimit = 4 * BlockCipher.blockSize
    /// The number of waiting outputs from which no more commands are read.
    static let outboxLimit = 512

    /// The number of commands waiting for other routers from which no more are read. Commands of the present block may exceed it.
    private static let relayingLimit = 32
    /// Blocks that may arrive while the session waits, after reading has stopped. One wake-up brings a few.
    private static let blocksBehindLimit = 16

    /// The time limits of a client.
    struct Timeouts: Sendable {
        /// The time for the client's hello.
        var handshake: TimeAmount
        /// The time until a client without subscriptions sends something; nil: unlimited.
        var idle: TimeAmount?
        /// The time until the client reads some of its waiting data.
        var stall: TimeAmount
    }

    /// Commands that wait for other routers.
    let relaying = Atomic(0)
    let id: SessionID
    let outbox = Mutex(Outbox())
    let core: RouterCore
    /// Seconds since 1970.
    let opened: Int64
    private let agreedVersion = Atomic<UInt16>(0)
    /// The network prefix by which limits for one address count the client; nil on the router's own machine.
    let prefix: NetworkPrefix?
    private let timeouts: Timeouts
    private let connection: SMPConnection
    private let bound: NIOLoopBound<Bound>

    /// The state that is used on the event loop only.
    private final class Bound {
        var phase: Phase
        var authorizer: SessionAuthorizer
        var lastActivity: NIODeadline
        /// The timer of the handshake, then of idleness.
        var timer: Scheduled<Void>?
        /// The timer while the client reads none of the waiting bytes.
        var stallTimer: Scheduled<Void>?
        var isReading = true
        /// Failed key checks of a client on the router's own machine.
        var refusals = TokenBucket()
        /// The end of the pause after failed key checks, during which nothing is read or executed.
        var pausedUntil = NIODeadline.distantPast
        /// Commands of the present block that wait for the end of the pause.
        var rest: ArraySlice<Unwrapped> = []
        /// Blocks that arrived during the pause.
        var blocksBehind: [Bytes] = []
        /// Failed key checks for commands of the present block.
        var failuresOfBlock = 0

        init(phase: Phase, authorizer: SessionAuthorizer) {
            self.phase = phase
            self.authorizer = authorizer
            lastActivity = .now()
        }
    }

    private enum Phase {
        case handshake(SMPServerHandshake)
        case established(Established)
        case closed
    }

    /// The state of a session after its handshake. The cipher changes in place with every block.
    private final class Established {
        let parameters: SMPSessionParameters
        var cipher: BlockCipher

        init(_ parameters: SMPSessionParameters) {
            self.parameters = parameters
            cipher = parameters.cipher
        }
    }

    /// Creates a session. On the connection's event loop.
    init(id: SessionID, core: RouterCore, connection: SMPConnection, handshake: SMPServerHandshake, timeouts: Timeouts) {
        self.id = id
        self.core = core
        opened = core.now()
        self.connection = connection
        self.timeouts = timeouts
        prefix = connection.remote?.limitedPrefix
        bound = NIOLoopBound(
            Bound(phase: .handshake(handshake), authorizer: SessionAuthorizer(sessionKey: handshake.sessionKey)),
            eventLoop: connection.eventLoop)
    }

    /// Sends the router's hello and begins to receive.
    func start() {
        guard case .handshake(let handshake) = bound.value.phase else { return }
        var plain = BlockCipher()
        do {
            try connection.write([try plain.seal(handshake.hello.wireBytes)])
            try connection.start(self)
        } catch {
            return close("cannot send the hello: \(error)")
        }
        bound.value.timer = connection.eventLoop.scheduleTask(in: timeouts.handshake) { [self] in close("no hello in time") }
    }

    private func watchIdle(_ timeout: TimeAmount) {
        if bound.value.lastActivity + timeout < .now(), !core.isSubscribed(id) { return close("idle") }
        bound.value.timer = connection.eventLoop.scheduleTask(in: timeout) { [self] in watchIdle(timeout) }
    }

    /// The role of a client that is a service. On the event loop.
    var serviceRole: SMPClientService.Role? { bound.value.authorizer.service?.role }

    /// nil while it is shaking hands.
    var version: UInt16? {
        let version = agreedVersion.load(ordering: .relaxed)
        return version == 0 ? nil : version
    }

    // MARK: Receiving

    func connection(_: SMPConnection, received block: Bytes) {
        bound.value.lastActivity = .now()
        switch bound.value.phase {
        case .closed: break
        case .handshake(let handshake): accept(block, handshake)
        case .established(let session):
            guard bound.value.pausedUntil > .now() || hasWork else { return execute(block, session) }
            guard bound.value.blocksBehind.count < Self.blocksBehindLimit else { return close("too many blocks during a pause") }
            bound.value.blocksBehind.append(block)
        }
    }

    /// True if commands wait for the end of a pause.
    private var hasWork: Bool { !bound.value.rest.isEmpty || !bound.value.blocksBehind.isEmpty }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable: Bool) {
        outbox.withLock { $0.keepsBodies = isWritable }
        if isWritable {
            bound.value.stallTimer?.cancel()
            bound.value.stallTimer = nil
            scheduleFlush()
        } else if bound.value.stallTimer == nil {
            bound.value.stallTimer = connection.eventLoop.scheduleTask(in: timeouts.stall) { [self] in close("the client reads nothing") }
        }
        adjustReading()
    }

    func connection(_: SMPConnection, ended reason: ConnectionError) { end() }

    private func accept(_ block: Bytes, _ handshake: SMPServerHandshake) {
        var plain = BlockCipher()
        do {
            let (hello, session) = try handshake.accept(try plain.open(block))
            if let claimed = hello.service {
                let response: SMPServiceResponse
                do throws(HandshakeError) {
                    let service = try SessionService(claimed, peerChain: connection.peerChain, router: handshake.keyHash)
                    core.identify(id, as: service)
                    bound.value.authorizer.service = service
                    response = .service(service.id.entity)
                } catch {
                    response = .error(.handshake(error))
                }
                try connection.write([try plain.seal(response.wireBytes)])
                if case .error(let error) = response { return close("the service is refused: \(error)") }
            }
            bound.value.phase = .established(Established(session))
            agreedVersion.store(session.version, ordering: .relaxed)
            bound.value.timer?.cancel()
            if let timeout = timeouts.idle { watchIdle(timeout) }
        } catch {
            close("handshake failed: \(error)")
        }
    }

    private func execute(_ block: Bytes, _ session: Established) {
        let content: Bytes
        do {
            content = try session.cipher.open(block)
        } catch {
            return close("bad block")
        }
        bound.value.failuresOfBlock = 0
        let transmissions: [ReceivedTransmission<SMPCommand>] = session.parameters.context.decode(block: content)
        let commands = transmissions.filter { !proxies($0) }.map { unwrap($0, session.parameters) }
        execute(commands.filter { $0.refusal != nil || !resolves($0.transmission, $0.route) }[...], session.parameters)
    }

    /// Executes commands up to ``AddressLimits/verificationsAtOnce`` failed key checks; the rest follows after a pause for other sessions.
    private func execute(_ commands: ArraySlice<Unwrapped>, _ session: SMPSessionParameters) {
        var requirements = core.requirements(commands.compactMap(\.command))[...]
        var prepared: [SessionCommand] = []
        prepared.reserveCapacity(commands.count)
        var changesKeys = false
        for (index, item) in zip(commands.indices, commands) {
            guard bound.value.authorizer.failures < AddressLimits.verificationsAtOnce else {
                bound.value.rest = commands[index...]
                break
            }
            guard let command = item.command, let requirement = requirements.popFirst() else {
                prepared.append(.refused(item.refusal ?? .block, item.transmission, route: item.route))
                continue
            }
            let version = item.route?.context.version ?? session.version
            var result = prepare(item.transmission, requirement, version: version, item.route)
            // A command may be authorised by a key that an earlier command of its block has set.
            if case .refused(.auth, _, _) = result, changesKeys {
                core.execute(prepared, from: self)
                prepared = []
                if let now = core.requirements([command]).first {
                    result = prepare(item.transmission, now, version: version, item.route)
                }
            }
            prepared.append(result)
            changesKeys = changesKeys || command.0.changesKeys
        }
        core.execute(prepared, from: self)
        pauseAfterRefusals()
        adjustReading()
    }

    /// Pauses reading and executing commands of a client after failed key checks.
    private func pauseAfterRefusals() {
        let failures = bound.value.authorizer.failures
        guard failures > 0 else { return }
        bound.value.authorizer.failures = 0
        bound.value.failuresOfBlock += failures
        guard bound.value.failuresOfBlock <= AddressLimits.verificationsOfBlock else {
            return close("too many failed key checks in a block")
        }
        let pause = max(
            core.limits.pause(after: failures, from: prefix, own: &bound.value.refusals),
            AddressLimits.pauseForVerification * Int64(failures))
        bound.value.pausedUntil = .now() + pause
        connection.eventLoop.scheduleTask(in: pause) { [self] in continueAfterPause() }
    }

    /// Continues with the commands that waited for the end of a pause.
    private func continueAfterPause() {
        guard case .established(let session) = bound.value.phase, bound.value.pausedUntil <= .now() else { return }
        let rest = bound.value.rest
        bound.value.rest = []
        if !rest.isEmpty { execute(rest, session.parameters) }
        // A new pause may have begun, and even ended, meanwhile: its timer executes the commands that it interrupted before later blocks.
        while bound.value.rest.isEmpty, bound.value.pausedUntil <= .now(), case .established = bound.value.phase, !bound.value.blocksBehind.isEmpty {
            execute(bound.value.blocksBehind.removeFirst(), session)
        }
        adjustReading()
    }

    /// Counts a wrong password. On the event loop.
    func chargeWrongPassword() { bound.value.authorizer.failures += AddressLimits.wrongPasswordCost }

    /// A transmission whose layers are decrypted.
    private struct Unwrapped {
        let transmission: ReceivedTransmission<SMPCommand>
        var route: ForwardRoute?
        /// The error if the command cannot be executed.
        var refusal: SMPErrorType?

        var command: (SMPCommand, EntityID)? {
            guard refusal == nil, case .success(let command) = transmission.message else { return nil }
            return (command, transmission.entity)
        }
    }

    /// Decrypts the layers of a forwarded command, and refuses unreadable commands.
    private func unwrap(_ transmission: ReceivedTransmission<SMPCommand>, _ session: SMPSessionParameters) -> Unwrapped {
        switch transmission.message {
        case .failure(let error): return Unwrapped(transmission: transmission, refusal: error)
        case .success(.rfwd(let encrypted)):
            do {
                let (route, inner) = try ForwardRoute.open(
                    encrypted, correlationID: transmission.correlationID, sessionSecret: session.secret,
                    sessionKey: bound.value.authorizer.sessionKey, sessionID: session.context.sessionID)
                switch inner.message {
                case .failure(let error): return Unwrapped(transmission: inner, route: route, refusal: error)
                case .success(let command):
                    let refusal: SMPErrorType? = ForwardRoute.allows(command) ? nil : .command(.prohibited)
                    return Unwrapped(transmission: inner, route: route, refusal: refusal)
                }
            } catch {
                return Unwrapped(transmission: transmission, refusal: error)
            }
        case .success: return Unwrapped(transmission: transmission)
        }
    }

    private func prepare(
        _ transmission: ReceivedTransmission<SMPCommand>, _ requirement: AuthorizationRequirement, version: UInt16,
        _ route: ForwardRoute?
    ) -> SessionCommand {
        do throws(SMPErrorType) {
            let key = try bound.value.authorizer.authorize(transmission, requirement, isForwarded: route != nil)
            let command = try transmission.message.get()
            var prepared = PreparedCommand(
                correlationID: transmission.correlationID, entity: transmission.entity, command: command, version: version,
                key: key)
            switch command {
            case .new(let request):
                if let basicAuth = core.basicAuth, request.basicAuth != basicAuth { chargeWrongPassword() }
                guard core.limits.mayCreate(from: prefix) else { throw .quota }
                prepared.material = .queue(try NewQueueMaterial(request, random: core.random))
            case .send(let flags, _):
                guard let id = Identifier(core.random.bytes(Identifier.count)) else { throw .internal }
                prepared.material = .message(id, notification: flags.notification ? .random(core.random) : nil)
            case .nkey(let credentials):
                prepared.material = .notifier(try NotifierMaterial(credentials, random: core.random))
            default: break
            }
            return .prepared(prepared, route: route)
        } catch {
            return .refused(error, transmission, route: route)
        }
    }

    /// Stops reading during pauses, and while responses, forwarded commands or records for the disk pile up; otherwise continues it.
    private func adjustReading() {
        let isDiskBehind = core.journal.pendingCount > RouterCore.pendingLimit
        let mustWait =
            isDiskBehind || bound.value.pausedUntil > .now() || hasWork || !connection.isWritable || relaying.load(ordering: .relaxed) > Self.relayingLimit
            || outbox.withLock { $0.count } > Self.outboxLimit
        if isDiskBehind { core.waitForCommit(self) }
        guard bound.value.isReading == mustWait else { return }
        bound.value.isReading = !mustWait
        connection.setReading(!mustWait)
    }

    // MARK: Sending

    /// Returns the bytes that wait for the client, and whether the session reads its commands.
    func load() async throws -> (unsent: Int, isReading: Bool) {
        try await connection.eventLoop.submit { [self] in (connection.unsentByteCount, bound.value.isReading) }.get()
    }

    /// Schedules the sending of the outbox, as far as it is durable. Callable from any thread.
    func scheduleFlush() {
        let isFirst = outbox.withLock { outbox in
            defer { outbox.isFlushScheduled = true }
            return !outbox.isFlushScheduled
        }
        if isFirst { connection.eventLoop.execute { [self] in flush() } }
    }

    private func flush() {
        outbox.withLock { $0.isFlushScheduled = false }
        while connection.isWritable {
            guard case .established(let session) = bound.value.phase else { return }
            while outbox.withLock({ $0.hasMore && $0.count < Self.outboxLimit / 2 }) { core.deliverMore(to: self) }
            let (entries, next) = outbox.withLock { outbox in
                (outbox.take(Self.flushLimit, while: core.isDurable), outbox.next)
            }
            if entries.isEmpty {
                guard let next else { break }
                if core.wait(self, for: next) { break }
                continue
            }
            let transmissions = entries.compactMap { transmission($0, session.parameters.context) }
            var blocks: [Bytes] = []
            do {
                for batch in TransmissionBatcher.pack(transmissions).batches { blocks.append(try session.cipher.seal(batch)) }
                FailPoint.routerAnswer.pass()
                // Written at once, so that the session notices a client that does not read before it prepares more for it.
                try connection.writeAtOnce(blocks)
            } catch {
                return close("cannot send: \(error)")
            }
        }
        adjustReading()
    }

    private func transmission(_ entry: Outbox.Entry, _ context: TransmissionContext) -> Bytes? {
        guard let message = message(entry.output) else { return nil }
        guard let route = entry.route else {
            return context.unauthorized(message, correlationID: entry.output.correlationID, entity: entry.output.entity)
        }
        let sealed = route.seal(message, correlationID: entry.output.correlationID, entity: entry.output.entity)
        return context.unauthorized(sealed, correlationID: route.proxyCorrelationID, entity: .none)
    }

    /// Makes the message to send; nil if a stored one is gone or lost.
    private func message(_ output: RouterOutput) -> SMPBrokerMessage? {
        switch output.content {
        case .message(let message): return message
        case .link(let sender, let position):
            do {
                let bytes = try core.journal.body(at: position) { core.linkPosition(sender: sender) }
                return .lnk(sender.entity, try QueueLinkData(wireBytes: bytes))
            } catch {
                core.logger.error("the data of a link cannot be read", metadata: ["reason": "\(error)"])
                return .err(.store("link data cannot be read"))
            }
        case .delivery(let delivery): return delivered(delivery, isResponse: !output.correlationID.isNone)
        }
    }

    private func delivered(_ delivery: Delivery, isResponse: Bool) -> SMPBrokerMessage? {
        let id = MessageID(delivery.message.id.bytes)
        do {
            let content: ReceivedMessageBody
            if delivery.message.kind == .quota {
                content = .quotaExceeded(timestamp: delivery.message.timestamp)
            } else {
                let body =
                    if let body = delivery.body { body } else {
                        try core.journal.body(at: delivery.message.position) { core.position(of: delivery) }
                    }
                content = .message(timestamp: delivery.message.timestamp, flags: delivery.message.flags, body: body)
            }
            let encrypted = try content.seal(id: id, secret: try BoxSecret(delivery.secret.bytes))
            return .msg(ReceivedMessage(id: id, encryptedBody: encrypted))
        } catch {
            let reason = error as? RouterError ?? RouterError(.corrupted, "\(error)")
            // A message that the disk refuses for the moment is not lost: it is delivered when the client connects again.
            guard reason.code == .corrupted else {
                core.logger.error("a stored message cannot be read now", metadata: ["reason": "\(reason)"])
                connection.eventLoop.execute { [self] in close("messages cannot be read") }
                return nil
            }
            core.lose(delivery, from: self, because: reason)
            // A command must be answered; the next message follows as a separate output.
            return isResponse ? .ok : nil
        }
    }

    // MARK: Ending

    /// Ends the session. Callable from any thread.
    func stop() { connection.eventLoop.execute { [self] in close("the router stops") } }

    private func close(_ reason: String) {
        core.logger.debug("session closed", metadata: ["session": "\(id.number)", "reason": "\(reason)"])
        connection.beginClosing()
        end()
    }

    private func end() {
        bound.value.timer?.cancel()
        bound.value.timer = nil
        bound.value.stallTimer?.cancel()
        bound.value.stallTimer = nil
        bound.value.phase = .closed
        bound.value.rest = []
        bound.value.blocksBehind = []
        dropNames()
        core.close(id)
    }
}
