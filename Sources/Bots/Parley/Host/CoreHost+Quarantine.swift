internal import ChatAPI
internal import ChatProtocol
internal import Foundation

/// Something that was quarantined because processes crashed on it: a received event that could not be stored, or one that a handler could not handle.
package struct QuarantineEntry: Sendable, Hashable {
    /// The name by which it is retried or dropped: `event-1`, `handler-2`.
    package let id: String
    /// `message`, `request`, `connected`, ….
    package let kind: String
    /// The local name of the contact, or the chat as commands name it; empty if it is not known.
    package let chat: String
    /// When it was set aside, in seconds since 1970.
    package let quarantinedAt: Double
    /// True when it is handled again at the next start.
    package let isToBeRetried: Bool
}

extension CoreHost {
    /// The quarantine, oldest first: received events, then items that handlers are not given.
    package func quarantine() async throws -> [QuarantineEntry] {
        guard case .quarantine(let events) = try await core.send(.core(.quarantine(.list)), as: nil) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the quarantined events")
        }
        let handled = try await withState { try await $0.quarantined() }
        return events.map {
            QuarantineEntry(
                id: "event-\($0.id)", kind: $0.kind, chat: $0.contactName ?? "", quarantinedAt: $0.quarantinedAt.timeIntervalSince1970,
                isToBeRetried: false)
        }
            + handled.map {
                QuarantineEntry(
                    id: "handler-\($0.id)", kind: "\($0.event.kind)", chat: $0.event.chat, quarantinedAt: $0.quarantinedAt.timeIntervalSince1970,
                    isToBeRetried: $0.isToBeRetried)
            }
    }

    /// Receives an event now, or has handlers given it at the next start.
    package func retryQuarantined(_ id: String) async throws {
        switch try Self.place(id) {
        case .event(let number): _ = try await core.send(.core(.quarantine(.retry(number))), as: nil)
        case .handler(let number):
            guard try await withState({ try await $0.retryQuarantined(number) }) else { throw Self.unknown(id) }
        }
    }

    /// Forgets it.
    package func dropQuarantined(_ id: String) async throws {
        switch try Self.place(id) {
        case .event(let number): _ = try await core.send(.core(.quarantine(.drop(number))), as: nil)
        case .handler(let number):
            guard try await withState({ try await $0.dropQuarantined(number) }) else { throw Self.unknown(id) }
        }
    }

    private enum Place {
        case event(QuarantinedEventID), handler(Int64)
    }

    private static func place(_ id: String) throws(HostError) -> Place {
        if id.hasPrefix("event-"), let number = QuarantinedEventID(id.dropFirst(6)) { return .event(number) }
        if id.hasPrefix("handler-"), let number = Int64(id.dropFirst(8)) { return .handler(number) }
        throw unknown(id)
    }

    private static func unknown(_ id: String) -> HostError {
        HostError(.quarantine, "there is nothing called \"\(VisibleText.line(id))\" in quarantine: the list names what there is, such as event-1 or handler-2")
    }

    private func withState<Result: Sendable>(_ body: (BotStateStore) async throws -> Result) async throws -> Result {
        let store = try BotStateStore(path: dataFolder + "/bots.db", key: key, logger: logger)
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            try await store.close()
            throw error
        }
    }
}
