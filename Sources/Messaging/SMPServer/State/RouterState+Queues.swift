import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

// Creating, securing and deleting queues.
extension RouterState {
    mutating func create(_ request: NewQueueRequest, _ execution: inout Execution, sink: inout some RecordSink) {
        guard limits.allowsNewQueues, limits.basicAuth == nil || limits.basicAuth == request.basicAuth else {
            return execution.fail(.auth)
        }
        let service = sessions[execution.session]?.service
        // A service may only create queues that it subscribes to.
        guard service == nil || request.subscription == .subscribe else { return execution.fail(.command(.prohibited)) }
        guard case .queue(let material) = execution.command.material else { return execution.fail(.internal) }
        guard store.count < limits.maximumQueues else { return execution.fail(.quota) }
        var record = QueueRecord(
            recipientID: material.recipientID, senderID: material.senderID, recipientKeys: [request.recipientKey],
            secret: material.secret, mode: request.mode?.queueMode, notifier: material.notifier?.notifier)
        record.service = service?.id
        record.lastUsed = Self.day(execution.steady)
        var data: QueueLinkData?
        switch request.mode {
        case .messaging(let link?):
            guard let sender = checkedSender(link.senderID, execution) else { return execution.fail(.command(.prohibited)) }
            record.senderID = sender
            record.link = QueueRecord.Link(id: material.linkID, version: 0)
            data = link.data
        case .contact(let link?):
            guard let sender = checkedSender(link.senderID, execution), let id = Identifier(link.linkID) else {
                return execution.fail(.command(.prohibited))
            }
            record.senderID = sender
            record.link = QueueRecord.Link(id: id, version: 0)
            data = link.data
        case .messaging(nil), .contact(nil), nil: break
        }
        // Ids that the client chose may already exist; for random ids that is not expected.
        guard !store.collides(record) else { return execution.fail(data == nil ? .internal : .auth) }
        // Before the queue is its own: a former session of the service has not had this one.
        if let service { claim(service, &execution) }
        let end = store.create(record, link: data, sink: &sink)
        counters.queuesCreated += 1
        if service == nil, request.subscription == .subscribe, let slot = store.slot(recipient: record.recipientID) {
            _ = store.update(slot) { $0.subscription = QueueStore.Subscription(session: execution.session) }
            sessions[execution.session]?.subscriptions.insert(record.recipientID)
        }
        let ids = QueueIDsAndKeys(
            recipientID: record.recipientID.entity, senderID: record.senderID.entity, serverKey: material.publicKey,
            mode: record.mode, linkID: record.link?.id.entity, serviceID: service?.id.entity,
            notifications: material.notifier.map {
                ServerNotificationCredentials(notifierID: $0.notifier.id.entity, serverKey: $0.publicKey)
            })
        execution.respond(.ids(ids), after: end)
    }

    /// Checks that a sender id that the client chose is the hash of the correlation id: otherwise a client could test whether
    /// a queue with a known id still exists.
    private func checkedSender(_ id: SenderID, _ execution: Execution) -> Identifier? {
        guard id.bytes == QueueIDs.senderID(correlationID: execution.command.correlationID.bytes) else { return nil }
        return Identifier(id)
    }

    /// `KEY`: sets the key of the sender, for the recipient.
    mutating func secure(_ slot: Int, _ key: PublicAuthKey, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let record = store.queue(slot)?.record else { return execution.fail(.auth) }
        if let present = record.senderKey {
            // The command may be repeated after a lost response.
            return present == key ? execution.respond(.ok, after: store.queue(slot)?.position.end) : execution.fail(.auth)
        }
        let end = store.change(slot, sink: &sink) { $0.senderKey = key }
        counters.queuesSecured += 1
        execution.respond(.ok, after: end)
    }

    /// `SKEY`: secures a queue for one sender with the key of the sender.
    mutating func secureAsSender(_ slot: Int?, _ key: PublicAuthKey, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let slot, execution.command.key == key, store.queue(slot)?.record.mode == .messaging else {
            return execution.fail(.auth)
        }
        if let info = blocking(slot) { return execution.fail(.blocked(info)) }
        secure(slot, key, &execution, sink: &sink)
    }

    mutating func setRecipientKeys(
        _ slot: Int, _ keys: [PublicAuthKey], _ execution: inout Execution, sink: inout some RecordSink
    ) {
        guard store.queue(slot)?.record.mode == .contact, !keys.isEmpty else { return execution.fail(.auth) }
        // Every command, from any sender, is checked against every key.
        guard keys.count <= limits.maximumRecipientKeys else { return execution.fail(.command(.prohibited)) }
        execution.respond(.ok, after: store.change(slot, sink: &sink) { $0.recipientKeys = keys })
    }

    /// `OFF`: suspends a queue. A blocked queue accepts nothing already, and stays blocked: messages of a suspended queue could be read.
    mutating func suspend(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard blocking(slot) == nil else { return execution.respond(.ok, after: store.queue(slot)?.position.end) }
        execution.respond(.ok, after: store.change(slot, sink: &sink) { $0.status = .off })
    }

    mutating func delete(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        let (subscriber, hearer) = (store.subscriber(slot), store.notifierSubscriber(slot))
        guard let (queue, end) = store.delete(slot, sink: &sink) else { return execution.fail(.auth) }
        let id = queue.record.recipientID
        sessions[execution.session]?.subscriptions.remove(id)
        sessions[execution.session]?.fetches[id] = nil
        if let subscriber, subscriber != execution.session {
            sessions[subscriber]?.subscriptions.remove(id)
            execution.send(.deld, to: subscriber, about: id.entity, after: end)
        }
        if let notifier = queue.record.notifier { endNotifications(notifier, for: hearer, &execution, after: end) }
        counters.queuesDeleted += 1
        execution.respond(.ok, after: end)
    }

    func describe(_ slot: Int, _ execution: inout Execution) {
        guard let queue = store.queue(slot) else { return execution.fail(.auth) }
        var subscription: QueueState.Subscription?
        if let fetch = sessions[execution.session]?.fetches[queue.record.recipientID] {
            subscription = QueueState.Subscription(state: .prohibitSub, deliveredMessageID: fetch.delivered.map(base64))
        } else if store.subscriber(slot) == execution.session {
            let own = queue.subscription.flatMap { $0.session == execution.session ? $0 : nil }
            subscription = QueueState.Subscription(state: .noSub, deliveredMessageID: own?.delivered.map(base64))
        }
        let first = queue.messages.first { $0.kind != .lost }
        execution.respond(
            .info(
                QueueState(
                    isSecured: queue.record.senderKey != nil, hasNotifier: queue.record.notifier != nil,
                    subscription: subscription, size: queue.messages.count,
                    firstMessage: first.map {
                        QueueState.Message(
                            id: base64($0.id), timestamp: UnixTime.text($0.timestamp), kind: $0.kind == .quota ? .quota : .message)
                    })))
    }

    private func base64(_ id: Identifier) -> String { Base64.encode(id.bytes) }
}
