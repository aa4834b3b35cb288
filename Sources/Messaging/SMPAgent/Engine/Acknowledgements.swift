import AsyncPrimitives
import Logging
import SMPClient
import SMPProtocol
import Synchronization
import SystemSupport

/// Tells routers that messages may be deleted, with one request for all that wait when the last one is answered.
///
/// A lost acknowledgement is repaired by the router delivering the message again; it is known then and acknowledged again.
final class AcknowledgementRegistry: Sendable {
    struct Item: Sendable {
        let queue: ReceiveQueue
        let messageID: MessageID
        /// The wait after the next failure, and how long was waited so far.
        var delay: Duration?
        var elapsed = Duration.zero
        /// Which of the session's connections it is for: in the next one the router delivers the message again.
        fileprivate(set) var connection = 0
    }

    /// The consequence of a failure.
    enum Outcome: Equatable {
        /// There is nothing left to acknowledge.
        case done
        /// The router keeps the queue's next message back until it succeeds: it is tried until the connection is lost.
        case retry
        /// The queue is deleted, and the message with it.
        case deleted
        /// It will not succeed, or the client is closed.
        case giveUp

        init(_ error: SMPClientError) {
            self =
                switch error.code {
                case .protocol(.noMessage): .done
                case .protocol(.auth): .deleted
                case .protocol(.blocked), .protocol(.command), .protocol(.service), .crypto, .invalidRequest, .cancelled,
                    .closed:
                    .giveUp
                case .protocol, .response, .unexpectedResponse, .timeout, .network, .transport, .incompatibleHost, .overloaded: .retry
                }
        }
    }

    private struct Inner {
        var waiting: [TransportSessionKey: [Item]] = [:]
        var running: Set<TransportSessionKey> = []
        /// The number of times that each session's connection was lost.
        var connections: [TransportSessionKey: Int] = [:]
        /// The next moment at which nothing is being sent; nil while nobody waits for it.
        var idle: Promise<Void>?
    }

    private let inner = Mutex(Inner())

    /// Adds one.
    ///
    /// - Returns: true if the caller must start ``AgentCore/sendAcknowledgements(over:)``.
    func add(_ item: Item, over session: TransportSessionKey) -> Bool {
        inner.withLock { inner in
            var item = item
            item.connection = inner.connections[session, default: 0]
            inner.waiting[session, default: []].append(item)
            return inner.running.insert(session).inserted
        }
    }

    /// All that wait; nil ends the sending.
    func take(_ session: TransportSessionKey) -> [Item]? {
        let (items, idle) = inner.withLock { inner -> ([Item]?, Promise<Void>?) in
            if let items = inner.waiting.removeValue(forKey: session), !items.isEmpty { return (items, nil) }
            inner.running.remove(session)
            return (nil, inner.running.isEmpty ? inner.idle.take() : nil)
        }
        idle?.resolve(())
        return items
    }

    /// Returns when nothing waits and nothing is being sent, or at ``stopWaiting()``.
    ///
    /// - Parameter begun: called when it really waits, from which time on ``stopWaiting()`` ends that.
    func waitUntilIdle(begun: () -> Void) async {
        let idle = inner.withLock { inner -> Promise<Void>? in
            guard !inner.running.isEmpty else { return nil }
            let idle = inner.idle ?? Promise()
            inner.idle = idle
            return idle
        }
        guard let idle else { return }
        begun()
        await idle.value()
    }

    /// Ends all waits for idleness.
    func stopWaiting() {
        inner.withLock { $0.idle.take() }?.resolve(())
    }

    /// Adds one again that could not be sent, unless the session was lost since.
    ///
    /// - Returns: true if the caller must start ``AgentCore/sendAcknowledgements(over:)``.
    func addAgain(_ item: Item, over session: TransportSessionKey) -> Bool {
        inner.withLock { inner in
            guard inner.connections[session, default: 0] == item.connection else { return false }
            inner.waiting[session, default: []].append(item)
            return inner.running.insert(session).inserted
        }
    }

    /// The session is lost: its messages will be delivered again.
    func forget(_ session: TransportSessionKey) {
        inner.withLock { inner in
            inner.waiting[session] = nil
            inner.connections[session, default: 0] += 1
        }
    }
}

extension AgentCore {
    /// Acknowledges a message, so that the router deletes it, without waiting for it.
    ///
    /// - Parameter delay: how long the router continues keeping back what is behind the message.
    func acknowledge(_ messageID: MessageID, in queue: ReceiveQueue, for owner: SessionOwner, after delay: Duration) {
        guard delay > .zero else { return acknowledge(messageID, in: queue, for: owner) }
        tasks.run { [self] in
            // If the agent stops meanwhile the message comes again, and is known then.
            guard (try? await clock.sleep(for: delay, tolerance: nil)) != nil else { return }
            acknowledge(messageID, in: queue, for: owner)
        }
    }

    /// Acknowledges a message, so that the router deletes it, without waiting for it.
    func acknowledge(_ messageID: MessageID, in queue: ReceiveQueue, for owner: SessionOwner) {
        let session = session(owner, queue.server)
        if acknowledgements.add(.init(queue: queue, messageID: messageID), over: session) {
            tasks.run { [self] in await sendAcknowledgements(over: session) }
        }
    }

    /// Returns when nothing waits to be acknowledged, or after `timeout`.
    func acknowledgementsSent(within timeout: Duration) async {
        var timer: Task<Void, Never>?
        await acknowledgements.waitUntilIdle {
            timer = runtime.task { [self] in
                try? await clock.sleep(for: timeout, tolerance: nil)
                if !Task.isCancelled { acknowledgements.stopWaiting() }
            }
        }
        timer?.cancel()
    }

    private func sendAcknowledgements(over session: TransportSessionKey) async {
        while let items = acknowledgements.take(session), !Task.isCancelled {
            let requests = items.map {
                SMPRequest(entity: $0.queue.recipientID, command: .ack($0.messageID), authKey: $0.queue.privateKey)
            }
            FailPoint.agentAcknowledge.pass()
            let results = await network.send(batch: requests, over: session)
            FailPoint.agentAcknowledged.pass()
            for (item, result) in zip(items, results) {
                statistics.add(.ackAttempts, session.userID, session.server)
                guard case .failure(let error) = result else {
                    statistics.add(.ackMsgs, session.userID, session.server)
                    continue
                }
                switch AcknowledgementRegistry.Outcome(error) {
                // Acknowledged before.
                case .done: statistics.add(.ackNoMsgErrs, session.userID, session.server)
                case .retry:
                    if !error.isTemporary { statistics.add(.ackOtherErrs, session.userID, session.server) }
                    retry(item, over: session)
                case .deleted:
                    // A connection that is left or deleted loses its queue while messages of it are still acknowledged.
                    statistics.add(.ackOtherErrs, session.userID, session.server)
                    log.debug("a message was not acknowledged: its queue is deleted")
                case .giveUp:
                    statistics.add(.ackOtherErrs, session.userID, session.server)
                    // Of an agent that stops it is the end of its client, and the message comes again at the next start.
                    guard isRunning else { continue }
                    log.warning("a message could not be acknowledged", metadata: ["error": "\(error.label)"])
                }
            }
        }
    }

    private func retry(_ item: AcknowledgementRegistry.Item, over session: TransportSessionKey) {
        tasks.run { [self] in
            let interval = configuration.fastRetry
            var item = item
            let delay = item.delay ?? interval.initial
            await pauses.wait(delay, for: session.server)
            item.elapsed += delay
            item.delay = interval.next(after: delay, elapsed: item.elapsed)
            if acknowledgements.addAgain(item, over: session) { await sendAcknowledgements(over: session) }
        }
    }
}
