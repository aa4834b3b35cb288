import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

// The data of short links. It is read from the journal by the session.
extension RouterState {
    mutating func setLink(
        _ slot: Int, _ link: LinkID, _ data: QueueLinkData, _ execution: inout Execution, sink: inout some RecordSink
    ) {
        guard let record = store.queue(slot)?.record, let id = Identifier(link) else { return execution.fail(.auth) }
        // The id of a link does not change, and belongs to one queue.
        guard !record.isSecuredMessaging, record.link == nil || record.link?.id == id,
            store.slot(link: id).map({ $0 == slot }) ?? true
        else { return execution.fail(.auth) }
        execution.respond(.ok, after: store.setLink(slot, id, data, sink: &sink))
    }

    mutating func deleteLink(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard store.queue(slot)?.record.link != nil else { return execution.respond(.ok, after: store.queue(slot)?.position.end) }
        execution.respond(.ok, after: store.change(slot, sink: &sink) { $0.link = nil })
    }

    /// `LGET`: reads the data of a contact's link, which anybody may do.
    func readLink(_ execution: inout Execution) {
        guard let slot = store.slot(link: execution.command.entity), store.queue(slot)?.record.isContact == true else {
            return execution.fail(.auth)
        }
        if let info = blocking(slot) { return execution.fail(.blocked(info)) }
        respondWithLink(slot, &execution)
    }

    /// `LKEY`: secures the queue of a one-time link for the client that opens it.
    mutating func openInvitation(_ key: PublicAuthKey, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let slot = store.slot(link: execution.command.entity) else { return execution.fail(.auth) }
        secureAsSender(slot, key, &execution, sink: &sink)
        guard case .message(.ok) = execution.response?.content else { return }
        respondWithLink(slot, &execution, after: execution.response?.needsSynchronized ?? 0)
    }

    private func respondWithLink(_ slot: Int, _ execution: inout Execution, after end: UInt64 = 0) {
        guard let queue = store.queue(slot), let position = queue.linkPosition else { return execution.fail(.auth) }
        execution.respond(linkOf: queue.record.senderID, at: position, after: end)
    }
}
