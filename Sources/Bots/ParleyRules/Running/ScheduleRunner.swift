internal import ChatAPI
internal import Foundation
internal import Logging
internal import Parley

/// Sends the messages of a schedule.
struct ScheduleRunner: Sendable {
    let spec: ScheduleSpec
    let botName: String
    let logger: Logger

    private var timer: String { "schedule/\(spec.id)" }

    /// The handlers of its times.
    var handlers: [On] {
        let missed: MissedRuns = spec.runsMissed ? .runOnce : .skip
        switch spec.times {
        case .every(let seconds):
            return [On(.every(.seconds(seconds), timer, missed: missed)) { try await send($0.client, due: $0.dueAt) }]
        case .cron(let expression, let zone):
            return [On(.cron(expression, timer, in: zone, missed: missed)) { try await send($0.client, due: $0.dueAt) }]
        case .at(let date):
            return [
                // Others have something to do at the start too.
                On(.started) { try await plan($0.client, at: date) }.fallThrough(),
                On(.scheduled(CaseTimer.schedule, String.self), where: { $0.value == key(date) }) { tick in
                    try await send(tick.client, due: date)
                    try await tick.client.update(SentSchedules.self) { $0.add(key(date)) }
                },
            ]
        }
    }

    /// A message of another date is another message.
    private func key(_ date: Date) -> String { "\(spec.id) \(Int64(date.timeIntervalSince1970))" }

    /// Sets the timer of a message that is sent once, unless it was sent.
    private func plan(_ client: BotClient, at date: Date) async throws {
        guard try await !client.state(SentSchedules.self).contains(key(date)) else { return }
        // A time that was missed while the bot was stopped has a timer already. A time before the bot knew the schedule is skipped.
        guard date > client.now else { return }
        try await client.schedule(CaseTimer.schedule, key: key(date), at: date, key(date), expiringAfter: spec.runsMissed ? nil : .seconds(60))
    }

    private func send(_ client: BotClient, due: Date) async throws {
        var format = Date.ISO8601FormatStyle.iso8601.year().month().day().time(includingFractionalSeconds: false)
        format.timeZone = spec.zone
        let time = client.now.formatted(format)
        let values = TemplateValues(
            botName: botName, contactName: "", date: String(time.prefix(10)), time: String(time.dropFirst(11).prefix(5)))
        switch spec.target {
        case .contacts:
            let key = "schedule/\(spec.id)/\(Int64(due.timeIntervalSince1970))"
            do {
                try await client.broadcast(spec.message, values, to: await client.contacts, onceAs: key)
            } catch {
                guard !Task.isCancelled else { throw error }
                client.noteFailure(error, of: .schedule(spec.id), action: "broadcast", logger)
            }
        case .chats(let names):
            for name in names {
                do {
                    guard let chat = try await client.destination(name) else { throw RuleFailure.noChat(name) }
                    switch spec.message {
                    case .text(let template): try await chat.announce(template.filled(with: values))
                    case .file(let file): try await chat.announce(file.outgoing(values))
                    }
                } catch {
                    guard !Task.isCancelled else { throw error }
                    // A chat that is gone must not keep the message from the others.
                    client.noteFailure(error, of: .schedule(spec.id), action: "send", chat: name, logger)
                }
            }
        }
    }
}
