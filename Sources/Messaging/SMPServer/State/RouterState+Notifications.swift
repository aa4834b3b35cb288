import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

// Notifications to notification servers that there are messages. Waiting notifications do not survive a restart; messages do.
extension RouterState {
    mutating func setNotifier(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard case .notifier(let material) = execution.command.material, let queue = store.queue(slot) else {
            return execution.fail(.internal)
        }
        guard store.slot(notifier: material.notifier.id.entity) == nil else { return execution.fail(.internal) }
        let hearer = store.notifierSubscriber(slot)
        let end = store.change(slot, sink: &sink) { $0.notifier = material.notifier }
        if let former = queue.record.notifier {
            endNotifications(former, for: hearer, &execution, after: end ?? 0)
            _ = store.update(slot) { queue in
                queue.notifierSession = nil
                queue.pendingNotifications = []
            }
        }
        execution.respond(.nid(material.notifier.id.entity, material.publicKey), after: end)
    }

    mutating func deleteNotifier(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let queue = store.queue(slot), let notifier = queue.record.notifier else {
            return execution.respond(.ok, after: store.queue(slot)?.position.end)
        }
        let hearer = store.notifierSubscriber(slot)
        let end = store.change(slot, sink: &sink) { $0.notifier = nil }
        endNotifications(notifier, for: hearer, &execution, after: end ?? 0)
        _ = store.update(slot) { queue in
            queue.notifierSession = nil
            queue.pendingNotifications = []
        }
        execution.respond(.ok, after: end)
    }

    /// Tells the subscriber that no more notifications follow.
    mutating func endNotifications(
        _ notifier: QueueRecord.Notifier, for session: SessionID?, _ execution: inout Execution, after end: UInt64
    ) {
        guard let session else { return }
        sessions[session]?.notifiers.remove(notifier.id)
        execution.send(.deld, to: session, about: notifier.id.entity, after: end)
    }

    mutating func subscribeNotifier(_ execution: inout Execution, sink: inout some RecordSink) {
        guard let slot = store.slot(notifier: execution.command.entity), let queue = store.queue(slot), let notifier = queue.record.notifier,
            notifier.key == execution.command.key
        else { return execution.fail(.auth) }
        let service = sessions[execution.session]?.service
        let former = store.notifierSubscriber(slot)
        if let service { claim(service, &execution) }
        // Also whose it is already may still wait for the disk.
        var end: UInt64? = queue.position.end
        if notifier.service != service?.id { end = store.change(slot, sink: &sink) { $0.notifier?.service = service?.id } }
        if let former, former != execution.session, service == nil || notifier.service != service?.id {
            sessions[former]?.notifiers.remove(notifier.id)
            execution.send(.end, to: former, about: notifier.id.entity)
        }
        _ = store.update(slot) { $0.notifierSession = service == nil ? execution.session : nil }
        if service != nil {
            sessions[execution.session]?.notifiers.remove(notifier.id)
        } else {
            sessions[execution.session]?.notifiers.insert(notifier.id)
        }
        execution.respond(.sok(service?.id.entity), after: end)
        execution.events += pendingNotifications(slot, for: execution.session)
    }

    /// Takes the waiting notifications of a queue for its new subscriber.
    mutating func pendingNotifications(_ slot: Int, for session: SessionID) -> [RoutedOutput] {
        guard let id = store.update(slot, { $0.record.notifier?.id }) ?? nil else { return [] }
        let pending = store.update(slot) { queue -> [SMPBrokerMessage] in
            defer { queue.pendingNotifications = [] }
            return queue.pendingNotifications
        }
        guard let pending else { return [] }
        counters.notificationsSent += UInt64(pending.count)
        return pending.map { RoutedOutput(session: session, output: RouterOutput($0, to: .none, entity: id.entity)) }
    }

    /// Notifies the notification server of a message, at once or when it subscribes.
    mutating func notify(_ slot: Int, _ message: StoredMessage, _ nonce: BoxNonce, _ execution: inout Execution) {
        guard let queue = store.queue(slot), let notifier = queue.record.notifier,
            let secret = try? BoxSecret(notifier.secret.bytes),
            let meta = try? NotificationMessageMeta(id: MessageID(message.id.bytes), timestamp: message.timestamp)
                .seal(nonce: nonce, secret: secret)
        else { return }
        let notification = SMPBrokerMessage.nmsg(nonce, meta)
        if let session = store.notifierSubscriber(slot) {
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
