internal import ChatAPI
internal import Parley

/// Delivery of a message to the members of a group.
struct GroupDelivery: Sendable {
    let core: any ChatCore
    let user: UserID
    let chat: ChatReference
    let item: ChatItemID
    /// The delivery state to wait for at each member.
    let stage: DeliveryStage

    /// The progress of the message.
    struct Progress: Sendable {
        /// Members to whom it is sent directly and now.
        var recipients = 0
        /// Those of them whom it has not reached.
        var outstanding = 0
    }

    /// Waits until the message is as far as it is to come at all members to whom it is sent.
    ///
    /// Members whose connection is not active, or to whom others pass it on, are not waited for.
    ///
    /// - Returns: How far it is in the end; nothing is outstanding unless the time was over.
    func wait(within limit: Duration) async throws -> Progress {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follow() }
            group.addTask { try await Task.sleep(for: limit) }
            defer { group.cancelAll() }
            try await group.next()
        }
        return try await progress()
    }

    /// Returns once nothing is outstanding.
    private func follow() async throws {
        while true {
            // Subscribed before the statuses are read, so that nothing falls between.
            let events = core.events()
            defer { events.cancel() }
            if try await progress().outstanding == 0 { return }
            do {
                for try await event in events {
                    guard case .chatItemsStatusesUpdated(_, let items) = event, items.contains(where: { $0.chatItem.id == item }) else { continue }
                    if try await progress().outstanding == 0 { return }
                }
                return
            } catch let error as ChatCoreError where error.code == .eventsLost {
                // The statuses are read anew.
            }
        }
    }

    private func progress() async throws -> Progress {
        guard case .chatItemInfo(_, _, let info) = try await core.send(.chats(.itemInfo(chat, item)), as: user) else {
            throw Outcome.Failed("core.invalidResponse", description: "the core did not report the delivery of the message")
        }
        var progress = Progress()
        for delivery in info.memberDeliveryStatuses ?? [] {
            switch delivery.status {
            case .new, .warning:
                progress.recipients += 1
                progress.outstanding += 1
            case .sent:
                progress.recipients += 1
                if stage == .recipient { progress.outstanding += 1 }
            case .received: progress.recipients += 1
            case .forwarded, .inactive, .error, .invalid, .other: break
            }
        }
        return progress
    }
}
