import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// This router's connection to another one, over which it passes on commands that it cannot read (simplex-messaging.md, "Proxying
/// sender commands"). All clients that send to the other router share it.
final class RelayConnection: SMPConnectionDelegate, Sendable {
    /// Gets what the client is answered with: `PRES`, or `ERR` about the proxy. Called once, on any thread.
    typealias Answer = @Sendable (SMPBrokerMessage) -> Void

    /// Commands that may wait for the other router, 16 KiB each.
    static let maximumPending = 1024
    static let responseTimeout = TimeAmount.seconds(30)

    private struct Pending {
        let clientID: CorrelationID
        let answer: Answer
        let timeout: Scheduled<Void>
    }

    private struct Inner {
        var pending: [CorrelationID: Pending] = [:]
        var lastUse = NIODeadline.now()
        var isEnded = false
    }

    /// What clients need to encrypt for the other router.
    let session: RelaySession
    private let connection: SMPConnection
    private let context: TransmissionContext
    private let secret: BoxSecret
    private let random: any RandomSource
    private let onEnd: @Sendable (RelayConnection) -> Void
    private let inner = Mutex(Inner())

    /// - Throws: what the other router is too old for, or does not offer.
    init(
        _ connection: SMPConnection, _ parameters: SMPSessionParameters, random: any RandomSource,
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
        self.onEnd = onEnd
        context = parameters.context
    }

    /// Passes a command on.
    ///
    /// - Parameter id: of the client's `PFWD`; the other router needs it to read the command.
    func forward(_ command: ForwardedCommand, _ id: CorrelationID, answer: @escaping Answer) {
        let ownID = CorrelationID.random(random)
        let block: Bytes
        do {
            let sealed = try ForwardedTransmission(correlationID: id, command: command).seal(correlationID: ownID, sessionSecret: secret)
            let encoded = context.encode(SMPCommand.rfwd(sealed), correlationID: ownID, entity: .none)
            guard let content = TransmissionBatcher.pack(one: context.authorized(encoded, .none)) else {
                return answer(.err(.proxy(.broker(.transport(.largeMessage)))))
            }
            // What is passed on is encrypted already: blocks between routers are not.
            var cipher = BlockCipher()
            block = try cipher.seal(content)
        } catch {
            return answer(.err(.crypto))
        }
        let timeout = connection.eventLoop.scheduleTask(in: Self.responseTimeout) { [weak self] in
            self?.take(ownID)?.answer(.err(.proxy(.broker(.timeout))))
            return ()
        }
        let isAccepted = inner.withLock { inner in
            guard !inner.isEnded, inner.pending.count < Self.maximumPending else { return false }
            inner.pending[ownID] = Pending(clientID: id, answer: answer, timeout: timeout)
            inner.lastUse = .now()
            return true
        }
        guard isAccepted else {
            timeout.cancel()
            return answer(.err(.proxy(.broker(.network(.failed)))))
        }
        do {
            try connection.write([block])
        } catch {
            take(ownID)?.answer(.err(.proxy(.broker(.network(.failed)))))
        }
    }

    private func take(_ id: CorrelationID) -> Pending? {
        let pending = inner.withLock { $0.pending.removeValue(forKey: id) }
        pending?.timeout.cancel()
        return pending
    }

    /// Closes the connection when nothing was passed on for so long.
    func watchIdle(_ timeout: TimeAmount) {
        let (isIdle, isEnded) = inner.withLock { ($0.pending.isEmpty && $0.lastUse + timeout < .now(), $0.isEnded) }
        if isEnded { return }
        if isIdle { return connection.beginClosing() }
        connection.eventLoop.scheduleTask(in: timeout) { [weak self] in self?.watchIdle(timeout) }
    }

    func close() { connection.beginClosing() }

    // MARK: From the other router

    func connection(_: SMPConnection, received block: Bytes) {
        var cipher = BlockCipher()
        guard let content = try? cipher.open(block) else { return close() }
        for response in context.decode(block: content, as: SMPBrokerMessage.self) {
            guard let pending = take(response.correlationID) else { continue }
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

    func connection(_: SMPConnection, isWritable _: Bool) {}

    func connection(_: SMPConnection, ended _: ConnectionError) {
        let pending = inner.withLock { inner in
            inner.isEnded = true
            defer { inner.pending = [:] }
            return inner.pending.values
        }
        for one in pending {
            one.timeout.cancel()
            one.answer(.err(.proxy(.broker(.network(.failed)))))
        }
        onEnd(self)
    }
}
