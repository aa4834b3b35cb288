internal import AsyncPrimitives
internal import Foundation
internal import Logging
internal import Synchronization
internal import SystemSupport

/// Knows the events on which processes crashed while a handler ran, and records the events that are being handled.
///
/// The suspects of a crash are handled alone at the next start, one after the other, so that only the culprit crashes again. After three
/// crashes handlers are not given it; see ``CrashSuspects``.
final class HandlerCrashTracker: Sendable {
    private let table: InFlightTable?
    private let store: BotStateStore
    private let suspects = Mutex(CrashSuspects())
    private let hasSuspects = Atomic(false)
    /// Held while an event is handled on which processes crashed.
    private let alone = AsyncLock()

    /// - Parameter table: nil if nothing is noted.
    init(table: InFlightTable?, store: BotStateStore) {
        self.table = table
        self.store = store
    }

    /// Counts the events on which the previous process crashed, if it crashed.
    ///
    /// - Returns: what is to be handled once more because somebody wants it.
    func load(logger: Logger) async throws -> [HandlerEventName] {
        let died = table?.leftBehind ?? []
        let (known, new) = try await store.count(died: died, by: table?.previousEnd ?? .kill, at: Date())
        table?.forgetLeftBehind()
        if !died.isEmpty {
            logger.warning("the process before this one died while handlers ran", metadata: ["events": "\(died.count)", "code": "handler.suspect"])
        }
        for event in new {
            logger.error(
                "handlers are not given this any more: several processes died of it. parley db quarantine shows it",
                metadata: ["code": "handler.quarantined", "kind": "\(event.kind)", "chat": "\(event.chat)", "reference": "\(event.reference)"])
        }
        suspects.withLock { $0 = known }
        hasSuspects.store(!known.isEmpty, ordering: .releasing)
        return try await store.quarantined().filter(\.isToBeRetried).map(\.event)
    }

    /// Checks whether handlers are not given something.
    func isSetAside(_ event: HandlerEventName?) -> Bool {
        guard hasSuspects.load(ordering: .acquiring), let key = event?.key else { return false }
        return suspects.withLock { $0.isQuarantined(key) }
    }

    /// Runs `body` while the event is recorded as being handled; alone, if processes crashed on the event.
    ///
    /// - Parameters:
    ///   - isRetry: whether it was set aside before.
    ///   - body: returns whether it counts as handled now; then it is not looked for any more.
    /// - Returns: what `body` returns.
    func noting(_ event: HandlerEventName, isRetry: Bool = false, _ body: () async -> Bool) async -> Bool {
        guard let key = event.key else { return await body() }
        guard hasSuspects.load(ordering: .acquiring), suspects.withLock({ $0.isSuspect(key) }) else {
            return await run(key, wasCounted: isRetry, body)
        }
        return await alone.withLock { await run(key, wasCounted: true, body) }
    }

    private func run(_ key: InFlightKey, wasCounted: Bool, _ body: () async -> Bool) async -> Bool {
        let entry = table?.begin(key)
        let isHandled = await body()
        table?.end(entry)
        guard wasCounted, isHandled else { return isHandled }
        suspects.withLock { suspects in
            _ = suspects.clear(key)
            hasSuspects.store(!suspects.isEmpty, ordering: .releasing)
        }
        store.forgetSuspect(key)
        return isHandled
    }
}
