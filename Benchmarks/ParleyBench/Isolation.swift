import Foundation
import Parley
import ParleyTesting
import Synchronization

/// The isolation of the chats of a bot: the time from a message to its handler in one chat, alone and while the handler of another chat never ends and
/// that of a third one throws.
///
/// Complete clients in one process, over a network in memory.
enum Isolation {
    static func measure(effort: Double) async throws -> [Figure] {
        let count = max(20, Int(300 * effort))
        let alone = try await times(count, isDisturbed: false), disturbed = try await times(count, isDisturbed: true)
        return [("alone", alone), ("while others are slow and fail", disturbed)].flatMap { name, samples in
            [
                Figure("a message to its handler, \(name), p50", samples.median.milliseconds, .milliseconds),
                Figure("a message to its handler, \(name), p99", samples.percentile(0.99).milliseconds, .milliseconds),
            ]
        }
    }

    private struct Failure: Error {}

    private static func times(_ count: Int, isDisturbed: Bool) async throws -> Samples {
        let (arrivals, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        let bot = Bot("Bot") {
            On(.text, where: { $0.senderName == "Ann" }) { _ in try await Task.sleep(for: .seconds(3_600)) }
            On(.text, where: { $0.senderName == "Ben" }) { _ in throw Failure() }
            On(.text) { _ in continuation.yield(.now) }
        }
        return try await withBots(bot) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben"), cath = try await room.person("Cath")
            if isDisturbed { for _ in 0..<20 { try await ann.say("slow") } }
            let failing = Task {
                while isDisturbed, !Task.isCancelled {
                    try await ben.say("fail")
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            defer { failing.cancel() }
            var times: [Duration] = [], arrivals = arrivals.makeAsyncIterator()
            for number in 0..<(count + 10) {
                let start = ContinuousClock.now
                try await cath.say("\(number)")
                guard let arrival = await arrivals.next() else { break }
                // The first ones make connections and caches warm.
                if number >= 10 { times.append(start.duration(to: arrival)) }
                try await Task.sleep(for: .milliseconds(10))
            }
            return Samples(times)
        }
    }
}
