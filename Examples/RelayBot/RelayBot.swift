import Foundation
import Logging
import Parley

/// Relays channels for others, within limits, and prints the address that owners name.
///
/// ```sh
/// RELAY_CHANNELS=20 RELAY_MEMBERS=5000 swift run RelayBot
/// ```
@main struct RelayBot {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        var configuration = HostConfiguration()
        do throws(RelaySettingError) {
            configuration.relay = try policy(environment)
        } catch {
            FileHandle.standardError.write(Data("RelayBot: \(error)\n".utf8))
            exit(2)
        }
        await bot(name: environment["RELAY_NAME"] ?? "Relay").run(configuration: configuration)
    }

    /// The relay. It accepts channels and subscribers, and passes posts on, by itself; the handlers write what the operator wants to know into the log.
    static func bot(name: String) -> Bot {
        let logger = Logger(label: "relay")
        var bot = Bot(name, id: "relay") {
            On(.groupJoined) { logger.notice("serves a channel", metadata: ["group": "\($0.group?.id ?? 0)"]) }
            On(.groupEnded) { logger.notice("serves a channel no longer", metadata: ["group": "\($0.group?.id ?? 0)"]) }
        }
        bot.isRelay = true
        return bot
    }

    /// The limits that environment variables describe.
    static func policy(_ environment: [String: String]) throws(RelaySettingError) -> HostRelay {
        func number(_ name: String) throws(RelaySettingError) -> Int? {
            guard let text = environment[name], !text.isEmpty else { return nil }
            guard let number = Int(text), number > 0 else { throw RelaySettingError(description: "\(name) is not a number above 0: \"\(text)\"") }
            return number
        }
        func names(_ name: String) -> Set<String> {
            Set((environment[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
        }
        var relay = HostRelay()
        relay.maximumChannels = try number("RELAY_CHANNELS")
        relay.maximumMembers = try number("RELAY_MEMBERS")
        relay.channelQuota.messagesPerMinute = try number("RELAY_MESSAGES_PER_MINUTE")
        relay.allowed = names("RELAY_ALLOW")
        relay.denied = names("RELAY_DENY")
        relay.isDraining = environment["RELAY_DRAIN"] == "1"
        return relay
    }
}

/// A setting that cannot be used.
struct RelaySettingError: Error, Hashable, CustomStringConvertible {
    let description: String
}
