import ChatAPI
import ChatProtocol
import SMPAgent
import SystemSupport

// Received events that are set aside because processes died of them.

extension ChatTransaction {
    /// Keeps an event unread, for a version that does not die of it, and passes over it.
    ///
    /// - Returns: its number in quarantine.
    func quarantine(_ incoming: Incoming, as key: InFlightKey) throws -> QuarantinedEventID {
        let notification = incoming.notification
        let id = try db.insertQuarantined(
            key, connection: notification.connection?.bytes, kind: incoming.name, event: notification.stored, body: notification.body, at: now)
        let message = "event.quarantined: processes died of it; it is number \(id) of /_quarantine"
        try setAside(
            incoming, ChatCoreError(.chat(error: .exception(message: message))), shown: "set aside as number \(id): programs crashed while they read it")
        return id
    }

    /// Receives an event that was set aside.
    func retry(_ incoming: Incoming, number id: QuarantinedEventID) throws -> ChatResponse {
        let event = try quarantined(id)
        try receive(incoming)
        guard !effects.isPremature else { throw Refusal.command("the event cannot be received just now: try again later") }
        try db.deleteQuarantined(id)
        return .quarantineRetried(event: event)
    }

    func dropQuarantined(_ id: QuarantinedEventID) throws -> ChatResponse {
        let event = try quarantined(id)
        try db.deleteQuarantined(id)
        return .quarantineDropped(event: event)
    }

    private func quarantined(_ id: QuarantinedEventID) throws -> QuarantinedEvent {
        guard let event = try db.quarantinedEvents(id).first else { throw Refusal.command("there is no event \(id) in quarantine") }
        return event
    }
}
