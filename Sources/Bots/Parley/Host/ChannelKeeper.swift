internal import ChatAPI
internal import Logging
internal import Synchronization

/// Makes the channels of bots, and tries again those whose relays cannot be reached.
struct ChannelKeeper: Sendable {
    /// The waits before channels are tried again; the last one repeats.
    private static let waits: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600)]
    /// The waits before relays that have left are invited again; the last one repeats.
    private static let waitsForRelays: [Duration] = [.seconds(15), .seconds(60), .seconds(300), .seconds(600)]

    let provisioner: Provisioner
    let bots: [Bot]
    let profiles: [HostReady.Profile]
    let identities: [BotIdentity]
    let clock: any Clock<Duration>
    let monitor: HostMonitor
    let logger: Logger
    /// The bots whose channels are being given relays again.
    private let repairing = Repairs()

    init(
        provisioner: Provisioner, bots: [Bot], profiles: [HostReady.Profile], identities: [BotIdentity], clock: any Clock<Duration>, monitor: HostMonitor,
        logger: Logger
    ) {
        (self.provisioner, self.bots, self.profiles, self.identities) = (provisioner, bots, profiles, identities)
        (self.clock, self.monitor, self.logger) = (clock, monitor, logger)
    }

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
        monitor.noteFailure(of: bots[index].id, ErrorCode.of(error) ?? "channel", at: "channels", time: provisioner.time.now())
        logger.error(
            "channels are not made yet and are tried again",
            metadata: ["bot": "\(bots[index].id)", "code": "\(ErrorCode.of(error) ?? "channel")", "error": "\(error)"])
    }

    // MARK: Relays that leave

    /// Looks at the channels of profiles whose relays have changed, until the task is cancelled. A channel without a relay is logged, and relays that the bot
    /// names and that have left are invited again.
    func followRelays(_ changes: UniqueKeyQueue<UserID>) async {
        for identity in identities where bots.contains(where: { $0.id == identity.id && !$0.channels.isEmpty }) { changes.add(identity.userID) }
        await withDiscardingTaskGroup { group in
            while let user = await changes.next() {
                guard let index = identities.firstIndex(where: { $0.userID == user }), await !look(index), !bots[index].channels.isEmpty,
                    repairing.begin(index)
                else { continue }
                group.addTask {
                    await repair(index)
                    repairing.end(index)
                }
            }
            group.cancelAll()
        }
    }

    /// Finds the channels of a bot without a relay, and logs those that have lost the last one, or have one again.
    ///
    /// - Returns: true if all have one.
    private func look(_ index: Int) async -> Bool {
        let bot = bots[index].id
        let names = await provisioner.channelsWithoutRelay(of: identities[index]), before = monitor.channelsWithoutRelay(of: bot)
        monitor.setChannelsWithoutRelay(names, of: bot)
        for name in names where !before.contains(name) {
            logger.warning(
                "a channel has no relay: posts would reach no subscriber, and are refused until it has one",
                metadata: ["code": "channel.noRelay", "bot": "\(bot)", "channel": "\(name)"])
        }
        for name in before where !names.contains(name) { logger.notice("a channel has a relay again", metadata: ["bot": "\(bot)", "channel": "\(name)"]) }
        return names.isEmpty
    }

    /// Invites the relays that the bot names again until all its channels have one.
    private func repair(_ index: Int) async {
        var attempt = 0
        while true {
            do { try await clock.sleep(for: Self.waitsForRelays[min(attempt, Self.waitsForRelays.count - 1)]) } catch { return }
            attempt += 1
            do {
                _ = try await keep(index)
            } catch {
                guard !Task.isCancelled else { return }
                report(error, index)
            }
            if await look(index) { return }
        }
    }
}

/// The bots whose channels are being given relays, by their indexes.
private final class Repairs: Sendable {
    private let indexes = Mutex<Set<Int>>([])

    func begin(_ index: Int) -> Bool { indexes.withLock { $0.insert(index).inserted } }
    func end(_ index: Int) { _ = indexes.withLock { $0.remove(index) } }
}
