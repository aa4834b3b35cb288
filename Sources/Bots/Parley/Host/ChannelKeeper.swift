internal import Logging

/// Makes the channels of bots, and tries again those whose relays cannot be reached.
struct ChannelKeeper: Sendable {
    /// The waits before channels are tried again; the last one repeats.
    private static let waits: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    let provisioner: Provisioner
    let bots: [Bot]
    let profiles: [HostReady.Profile]
    let identities: [BotIdentity]
    let clock: any Clock<Duration>
    let logger: Logger

    /// Tries each bot's channels once, and begins to try again what failed for a reason that passes.
    ///
    /// - Returns: The profiles with the channels that are there.
    /// - Throws: ``HostError`` for channels that are described wrongly.
    func start() async throws -> (profiles: [HostReady.Profile], task: Task<Void, Never>) {
        var profiles = profiles, failed: [Int] = []
        for index in bots.indices where !bots[index].channels.isEmpty {
            do {
                profiles[index].managedChannels = try await keep(index)
            } catch let error as HostError {
                throw error
            } catch {
                report(error, index)
                failed.append(index)
            }
        }
        let missing = failed
        return (profiles, Task { await retry(missing) })
    }

    private func keep(_ index: Int) async throws -> [HostReady.Group] {
        let addresses = Dictionary(profiles.map { ($0.id, $0.shortAddress ?? $0.address ?? "") }) { first, _ in first }.filter { !$0.value.isEmpty }
        return try await provisioner.channels(of: bots[index], identity: identities[index], addresses: addresses)
    }

    private func retry(_ indexes: [Int]) async {
        var missing = indexes, attempt = 0
        while !missing.isEmpty {
            do { try await clock.sleep(for: Self.waits[min(attempt, Self.waits.count - 1)]) } catch { return }
            attempt += 1
            var failed: [Int] = []
            for index in missing {
                do {
                    for channel in try await keep(index) {
                        logger.notice("channel ready", metadata: ["bot": "\(bots[index].id)", "channel": "\(channel.id)", "link": "\(channel.link ?? "")"])
                    }
                } catch {
                    report(error, index)
                    failed.append(index)
                }
            }
            missing = failed
        }
    }

    private func report(_ error: any Error, _ index: Int) {
        logger.error("channels are not made yet and are tried again", metadata: ["bot": "\(bots[index].id)", "error": "\(error)"])
    }
}
