import ChatAPI
import ChatProtocol
import Parley

/// From a received message to the handler that takes it, without a network: what a bot adds to the work of the engine.
///
/// `Benchmarks/frameworks/dispatch.py` measures the same handlers and rules with frameworks in Python.
enum Dispatch {
    static func measure(effort: Double) async throws -> [Figure] {
        let count = max(100, Int(20_000 * effort))
        var figures: [Figure] = []
        for handlers in [20, 200] {
            let patterns = Bot("Patterns") {
                for number in 0..<handlers { On(.matches("^word\(number) ([0-9]+)$")) { _ in } }
            }
            figures.append(
                try await Figure("dispatch: \(handlers) patterns, the last matches", time(patterns, "word\(handlers - 1) 42", count), .microseconds))
            let commands = Bot("Commands") { for number in 0..<handlers { On(.command("word\(number)")) { _ in } } }
            figures.append(
                try await Figure("dispatch: \(handlers) commands, the last matches", time(commands, "/word\(handlers - 1) 42", count), .microseconds))
        }
        return figures
    }

    /// Passes, of which the median counts: the machine is not always alone, and the first passes are slower.
    private static let passes = 11

    /// Microseconds for a message: its context is made, its handler found and run.
    private static func time(_ bot: Bot, _ text: String, _ count: Int) async throws -> Double {
        let probe = HandlerProbe(bot, core: SilentCore()), entry = try Sample.message(text)
        guard let message = probe.message(entry), try await probe.handle(message) == 1 else { throw BenchError("no handler took \"\(text)\"") }
        var times: [Duration] = []
        for _ in 0..<passes {
            let start = ContinuousClock.now
            for _ in 0..<count { if let message = probe.message(entry) { _ = try await probe.handle(message) } }
            times.append(ContinuousClock.now - start)
        }
        return Samples(times).median.seconds / Double(count) * 1e6
    }
}

/// Messages of a contact.
enum Sample {
    static func message(_ text: String) throws -> ItemInChat {
        let time = UTCTimestamp(seconds: 1_767_225_600)
        let item = ChatItem(
            direction: .directReceived,
            meta: ItemMeta(itemID: 1, itemTimestamp: time, text: text, status: .receivedNew, createdAt: time, updatedAt: time),
            content: .receivedMessage(content: .text(text)))
        return ItemInChat(chatInfo: .direct(contact: try Contact(parsing: contact)), chatItem: item)
    }

    /// A contact as the API shows it.
    private static let contact = #"""
        {"contactId":4,"localDisplayName":"alice","profile":{"profileId":4,"displayName":"alice","fullName":"","localAlias":""},"contactUsed":true,
        "contactStatus":"active","chatSettings":{"enableNtfs":"all","favorite":false},"userPreferences":{},"mergedPreferences":{
        "timedMessages":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},
        "fullDelete":{"enabled":{"forUser":false,"forContact":false},"userPreference":{"type":"user","preference":{"allow":"no"}},"contactPreference":{"allow":"no"}},
        "reactions":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},
        "voice":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},
        "files":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"always"}},"contactPreference":{"allow":"always"}},
        "calls":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},
        "sessions":{"enabled":{"forUser":false,"forContact":false},"userPreference":{"type":"user","preference":{"allow":"no"}},"contactPreference":{"allow":"no"}},
        "commands":[]},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","chatTs":"2026-01-01T00:00:00Z","contactGrpInvSent":false,
        "chatTags":[],"chatDeleted":false}
        """#
}

/// A core that nothing is asked of.
private struct SilentCore: ChatCore {
    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        throw ChatCoreError(.unsupported, "there is no core behind the benchmark")
    }

    func events(bufferingUpTo limit: Int) -> ChatEvents { ChatEventHub().subscribe(bufferingUpTo: limit) }
}

/// A benchmark that would measure something else than it says.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
