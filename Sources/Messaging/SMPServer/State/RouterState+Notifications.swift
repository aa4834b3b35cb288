import SMPCrypto
import SMPProtocol
import SMPWire

// Telling notification servers that there are messages. What waits for them is not remembered over a restart: the messages are.
extension RouterState {
    mutating func setNotifier(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard case .notifier(let material) = execution.command.material, let queue = store.queue(slot) else {
            return execution.fail(.internal)
        }
        guard store.slot(notifier: material.notifier.id.entity) == nil else { return execution.fail(.internal) }
        let end = store.change(slot, sink: &sink) { $0.notifier = material.notifier }
        if let former = queue.record.notifier {
            endNotifications(former, of: queue, &execution, after: end ?? 0)
            _ = store.update(slot) { queue in
                queue.notifierSession = nil
                queue.pendingNotifications = []
            }
        }
        execution.respond(.nid(material.notifier.id.entity, material.publicKey), after: end)
    }

    mutating func deleteNotifier(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let queue = store.queue(slot), let notifier = queue.record.notifier else { return execution.respond(.ok) }
        let end = store.change(slot, sink: &sink) { $0.notifier = nil }
        endNotifications(notifier, of: queue, &execution, after: end ?? 0)
        _ = store.update(slot) { queue in
            queue.notifierSession = nil
            queue.pendingNotifications = []
        }
        execution.respond(.ok, after: end)
    }

    /// Tells whoever is subscribed that nothing more will come.
    mutating func endNotifications(
        _ notifier: QueueRecord.Notifier, of queue: QueueStore.Queue, _ execution: inout Execution, after end: UInt64
    ) {
        guard let session = queue.notifierSession else { return }
        sessions[session]?.notifiers.remove(notifier.id)
        execution.send(.deld, to: session, about: notifier.id.entity, after: end)
    }

    mutating func subscribeNotifier(_ execution: inout Execution) {
        guard let slot = store.slot(notifier: execution.command.entity), let notifier = store.queue(slot)?.record.notifier,
            notifier.key == execution.command.key
        else { return execution.fail(.auth) }
        let (former, pending) =
            store.update(slot) { queue -> (SessionID?, [SMPBrokerMessage]) in
                defer {
                    queue.notifierSession = execution.session
                    queue.pendingNotifications = []
                }
                return (queue.notifierSession, queue.pendingNotifications)
            } ?? (nil, [])
        if let former, former != execution.session {
            sessions[former]?.notifiers.remove(notifier.id)
            execution.send(.end, to: former, about: notifier.id.entity)
        }
        sessions[execution.session]?.notifiers.insert(notifier.id)
        execution.respond(.sok(nil))
        for notification in pending { execution.send(notification, to: execution.session, about: notifier.id.entity) }
        counters.notificationsSent += UInt64(pending.count)
    }

    /// Tells the notification server about a message, at once or when it subscribes.
    mutating func notify(_ slot: Int, _ message: StoredMessage, _ nonce: BoxNonce, _ execution: inout Execution) {
        guard let queue = store.queue(slot), let notifier = queue.record.notifier,
            let secret = try? BoxSecret(notifier.secret.bytes),
            let meta = try? NotificationMessageMeta(id: MessageID(message.id.bytes), timestamp: message.timestamp)
                .seal(nonce: nonce, secret: secret)
        else { return }
        let notification = SMPBrokerMessage.nmsg(nonce, meta)
        if let session = queue.notifierSession {
            counters.notificationsSent += 1
            execution.send(notification, to: session, about: notifier.id.entity, after: message.position.end)
        } else {
            _ = store.update(slot) { queue in
                if queue.pendingNotifications.count >= QueueStore.pendingNotificationLimit {
                    queue.pendingNotifications.removeFirst()
                }
                queue.pendingNotifications.append(notification)
            }
        }
    }
}
