import NIOCore
import SMPCrypto
import SMPProtocol
package import SMPTransport
import SMPWire
import Synchronization

/// The observer of a connection. It is called on the connection's event loop and in order.
struct SMPSessionObserver: Sendable {
    let event: @Sendable (SMPSessionEvent) -> Void
    /// Called once, before the commands that wait fail.
    let end: @Sendable (SMPClientError) -> Void
}

/// One connection to a router: performs the actions of its ``SMPSessionMachine``.
///
/// Commands are encoded by their senders and handed over; everything else happens on the connection's event loop, without a
/// task of its own. What one turn of the loop finds leaves in as few blocks as hold it.
final class SMPSession: SMPConnectionDelegate {
    typealias Machine = SMPSessionMachine<ResponseHandle>

    let info: SMPSessionInfo
    /// The client's identity for the router, if it is a service.
    let service: SessionService?
    private let connection: SMPConnection
    private let encoder: RequestEncoder
    private let time: ClientTime
    private let network: NetworkConfiguration
    private let observer: SMPSessionObserver

    private struct Inbox {
        var requests: [Machine.Request] = []
        var isScheduled = false
    }

    private let inbox = Mutex(Inbox())
    private let core: NIOLoopBoundBox<Core>

    /// Used on the event loop only.
    private struct Core {
        var machine: Machine
        var timer: (due: Duration, task: Task<Void, Never>)?
        var endReason: SMPClientError?
    }

    /// Must be made on the connection's event loop.
    init(
        _ connection: SMPConnection, _ session: SMPSessionParameters, service: SessionService? = nil, configuration: SMPClientConfiguration,
        random: any RandomSource, time: ClientTime, observer: SMPSessionObserver
    ) {
        self.connection = connection
        self.time = time
        self.observer = observer
        network = configuration.network
        self.service = service
        encoder = RequestEncoder(session, service: service, random: random)
        info = SMPSessionInfo(
            version: session.version, versions: session.serverVersions, sessionID: session.context.sessionID, serviceID: service?.id)
        let machine = Machine(session, limits: SMPSessionLimits(configuration), now: time.now())
        core = NIOLoopBoundBox(Core(machine: machine), eventLoop: connection.eventLoop)
    }

    // MARK: Requests

    /// Sends commands together and waits for their responses, in the order of the commands.
    func send(_ requests: [SMPRequest]) async -> [SMPResult] {
        guard !requests.isEmpty else { return [] }
        let collector = ResponseCollector(count: requests.count)
        let now = time.now()
        var encoded: [Machine.Request] = []
        encoded.reserveCapacity(requests.count)
        var bytes = 0
        for (index, request) in requests.enumerated() {
            let handle = ResponseHandle(collector: collector, index: index)
            do throws(SMPClientError) {
                var next = try encoder.encode(request, deadline: now, handle: handle)
                bytes += next.transmission.count
                next.deadline += network.limit(of: request, bytes: bytes)
                encoded.append(next)
            } catch {
                handle.complete(.failure(error))
            }
        }
        let ids = encoded.map(\.correlationID)
        submit(encoded)
        return await withTaskCancellationHandler {
            await collector.wait()
        } onCancel: {
            connection.eventLoop.execute { [self] in perform(core.value.machine.abandon(ids)) }
        }
    }

    private func submit(_ requests: [Machine.Request]) {
        let schedule = inbox.withLock { inbox in
            inbox.requests += requests
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        // Not at once, even on the event loop: what the present turn adds leaves in the same blocks.
        if schedule { connection.eventLoop.execute { [self] in takeInbox() } }
    }

    private func takeInbox() {
        let requests = inbox.withLock { inbox in
            inbox.isScheduled = false
            defer { inbox.requests = [] }
            return inbox.requests
        }
        perform(core.value.machine.submit(requests))
        sendOutgoing()
        armTimer()
    }

    private func sendOutgoing() {
        while core.value.machine.hasOutgoing, connection.isWritable {
            let (blocks, actions) = core.value.machine.nextBlocks()
            perform(actions)
            do throws(ConnectionError) {
                try connection.write(blocks)
            } catch {
                return closeConnection(SMPClientError(error))
            }
            // Lets writability follow from what was written.
            connection.flush()
        }
    }

    private func perform(_ actions: [Machine.Action]) {
        for action in actions {
            switch action {
            case .complete(let handle, let result): handle.complete(result)
            case .event(let event): observer.event(event)
            case .close(let reason): closeConnection(reason)
            }
        }
    }

    // MARK: The end

    /// Closes the connection; waiting commands fail with this error.
    func close(_ reason: SMPClientError) {
        connection.eventLoop.execute { [self] in closeConnection(reason) }
    }

    private func closeConnection(_ reason: SMPClientError) {
        if core.value.endReason == nil { core.value.endReason = reason }
        connection.beginClosing()
    }

    private func end(_ reason: SMPClientError) {
        guard !core.value.machine.hasEnded else { return }
        core.value.timer?.task.cancel()
        core.value.timer = nil
        let actions = core.value.machine.end(reason)
        // First, so that callers that get the error find that this connection is no longer the present one.
        observer.end(reason)
        perform(actions)
    }

    // MARK: Time

    private func armTimer() {
        guard let due = core.value.machine.nextTick else { return }
        if let timer = core.value.timer {
            guard due < timer.due else { return }
            timer.task.cancel()
        }
        let wait = max(.zero, due - time.now())
        let task = Task { [weak self, time] in
            guard (try? await time.sleep(wait)) != nil, let self else { return }
            connection.eventLoop.execute { [self] in tick(due) }
        }
        core.value.timer = (due, task)
    }

    private func tick(_ due: Duration) {
        guard core.value.timer?.due == due else { return }
        core.value.timer = nil
        let (actions, ping) = core.value.machine.tick(now: max(due, time.now()))
        perform(actions)
        if ping { sendPing() }
        armTimer()
    }

    private func sendPing() {
        let request = SMPRequest(command: .ping)
        do throws(SMPClientError) {
            submit([try encoder.encode(request, deadline: time.now() + network.responseLimit(isInteractive: false), handle: nil)])
        } catch {
            closeConnection(error)
        }
    }

    // MARK: The connection's delegate

    func connection(_: SMPConnection, received block: Bytes) {
        perform(core.value.machine.receive(block, now: time.now()))
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable: Bool) {
        if isWritable { sendOutgoing() }
    }

    func connection(_: SMPConnection, ended reason: ConnectionError) {
        end(core.value.endReason ?? SMPClientError(reason))
    }
}

extension SMPClientError {
    /// The error of the commands that wait on a connection when it ends.
    package init(_ error: ConnectionError) {
        let code: Code =
            switch error.code {
            case .connectFailed: .network(.connect(error.message))
            case .timedOut: .network(.timeout)
            case .tlsFailed, .wrongProtocol: .network(.tls(error.message))
            case .wrongIdentity: .network(.unknownCA)
            case .disconnected, .closed, .listenFailed, .invalidBlock, .invalidCredential: .network(.failed)
            case .cancelled: .cancelled
            case .unsupported: .incompatibleHost
            }
        self.init(code, error.message, cause: error)
    }
}
