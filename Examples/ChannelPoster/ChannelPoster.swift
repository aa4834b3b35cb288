import Foundation
import Logging
import Parley

/// Posts the entries of an RSS or Atom feed into a channel.
///
/// ```sh
/// FEED_URL=https://example.org/feed.xml CHANNEL_RELAYS='https://relay.example.org/r#…' swift run ChannelPoster
/// ```
@main struct ChannelPoster {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        guard let feed = Feed(environment["FEED_URL"] ?? "") else { end("FEED_URL is not the address or the path of a feed") }
        let relays = (environment["CHANNEL_RELAYS"] ?? "").split(separator: " ").map { ManagedChannel.Relay.address(String($0)) }
        guard !relays.isEmpty else { end("CHANNEL_RELAYS names no relay") }
        guard let minutes = Int(environment["FEED_MINUTES"] ?? "15"), (1...1440).contains(minutes) else {
            end("FEED_MINUTES must be a number of minutes from 1 to 1440")
        }
        await bot(feed, channel: environment["CHANNEL_NAME"] ?? "News", relays: relays, every: .seconds(minutes * 60)).run()
    }

    /// The bot that owns the channel.
    ///
    /// - Parameters:
    ///   - name: the name of the channel.
    ///   - interval: the time from one reading of the feed to the next.
    static func bot(_ feed: Feed, channel name: String, relays: [ManagedChannel.Relay], every interval: Duration) -> Bot {
        let logger = Logger(label: "feed")
        var bot = Bot("\(name) desk", id: "poster", address: .none) {
            On(.every(interval, "feed")) { tick in
                // The channel is made once a relay can be reached: until then entries wait in the feed.
                guard let channel = await tick.groups.channels.first(where: { $0.role == .owner }) else { return }
                let entries: [FeedEntry]
                do throws(FeedError) {
                    entries = try await feed.entries()
                } catch {
                    logger.warning("the feed is not read, and is tried again at the next time", metadata: ["error": "\(error)"])
                    return
                }
                let new = try await tick.state(SeenEntries.self, of: .bot).new(entries)
                // A post is sent once under its key, also if the process ends before the entries are noted.
                for entry in new { try await channel.post(entry.text, onceAs: "feed/\(SeenEntries.digest(entry.id))") }
                try await tick.update(SeenEntries.self, of: .bot) { $0.note(entries, posted: new) }
            }
        }
        var settings = GroupSettings(name)
        settings.preferences.set(.history, .on)
        bot.channels = [ManagedChannel("feed", settings, relays: relays)]
        return bot
    }

    private static func end(_ message: String) -> Never {
        FileHandle.standardError.write(Data("ChannelPoster: \(message)\n".utf8))
        exit(2)
    }
}
