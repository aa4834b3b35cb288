internal import Foundation
import Logging
package import SMPClient
package import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

/// Duplex connections over SMP queues (agent-protocol.md).
///
/// The agent makes connections from links, keeps a double ratchet for each, sends messages in order and again until the router has
/// them, and reports received messages once they are stored. What it has accepted survives the end of the process at any moment:
/// messages are at least once on the wire and exactly once for the user, if the user keys its effects by connection and message
/// number and calls ``acknowledge(_:message:receipt:)`` after they are durable.
///
/// Calls for one connection run one after another, those for different connections run side by side.
package final class SMPAgent: Sendable {
    /// The events, in order per connection, for one reader.
    package var events: AsyncStream<AgentNotification> { core.events.events }
    let core: AgentCore

    /// - Parameters:
    ///   - store: the agent is its only user, and closes it.
    ///   - network: the sessions with routers; the agent is the reader of its events. Its owner closes it.
    ///   - clock: for waiting before attempts.
    ///   - now: milliseconds since 1970; nil for the system's time.
    package convenience init(
        configuration: AgentConfiguration = AgentConfiguration(), store: AgentStore, network: any SMPRouting,
        random: any RandomSource = SystemRandomSource(), clock: any Clock<Duration> = ContinuousClock(),
        now: (@Sendable () -> Int64)? = nil
    ) {
        self.init(
            configuration: configuration, store: store, network: network, random: random, runtime: AgentRuntime(clock: clock), now: now)
    }

    init(
        configuration: AgentConfiguration, store: any AgentStorage, network: any SMPRouting, random: any RandomSource,
        runtime: AgentRuntime, now: (@Sendable () -> Int64)?
    ) {
        core = AgentCore(
            configuration: configuration, store: store, network: network, random: random, runtime: runtime,
            now: now ?? { Int64(Date().timeIntervalSince1970 * 1000) })
    }

    /// Begins to receive, to send waiting messages and to continue interrupted work. Events that were not confirmed come first.
    ///
    /// Subscribing is separate: ``subscribe(_:)``, ``subscribeAll()``.
    ///
    /// - Throws: `critical` if the store cannot be read: nothing has begun then, and the call can be repeated.
    package func start() async throws(AgentError) {
        let core = core
        let begins = core.life.withLock { life in
            guard life == .stopped else { return false }
            life = .running
            return true
        }
        guard begins else { return }
        let events: [AgentNotification]
        let commands: [(ConnectionID, CommandRecord)]
        core.commands.beginReading()
        defer { core.commands.endReading() }
        do throws(AgentError) {
            try await core.restoreStatistics()
            events = try await core.stored { try await core.store.events() }
            commands = try await core.stored { try await core.store.commands() }
            await core.commandGuard.load(commands.map(\.1), in: core.store, log: core.log)
            core.know(try await core.stored { try await core.store.users() })
            try await core.synchronizer.load(from: core)
        } catch {
            core.life.withLock { if $0 == .running { $0 = .stopped } }
            throw error
        }
        for notification in events { core.notify(notification.event, notification.connection, durableID: notification.durableID) }
        await core.network.setServices(AgentServices(core: core))
        core.tasks.run { await core.receiveEvents() }
        for (connection, command) in commands { core.run(command, of: connection) }
        await core.resumeDeliveries(of: nil)
        core.resumeSynchronization()
        core.tasks.run { await core.cleanUpRegularly() }
    }

    /// Stops sending and processing within `timeout`, keeping everything for ``resume()``; `suspended` is reported when all has stopped.
    ///
    /// Messages that arrive meanwhile are not acknowledged, and are delivered again after subscribing again.
    package func suspend(timeout: Duration) async {
        let core = core
        core.life.withLock { if $0 == .running { $0 = .suspended } }
        core.pauses.wakeAll()
        core.store.applyLater([])
        await core.acknowledgementsSent(within: timeout)
        await core.saveStatistics()
        core.notify(.suspended)
    }

    /// Goes on after ``suspend(timeout:)``.
    package func resume() async {
        let core = core
        let resumes = core.life.withLock { life in
            guard life == .suspended else { return false }
            life = .running
            return true
        }
        guard resumes else { return }
        do throws(AgentError) {
            try await core.resumeCommands()
        } catch {
            return core.tell(error, nil)
        }
        await core.resumeDeliveries(of: nil)
        _ = await subscribeAll()
    }

    /// Stops all work and closes the store. The network is closed by its owner.
    package func close() async {
        core.life.withLock { $0 = .closed }
        core.pauses.wakeAll()
        for worker in core.deliveries.removeAll() { worker.stop() }
        core.store.stopWaitingForDisk()
        await core.tasks.close()
        core.keyPairs.stop()
        await core.network.setServices(nil)
        await core.saveStatistics()
        do {
            try await core.store.close()
        } catch {
            core.log.error("the agent's store could not be closed", metadata: ["error": "\(error)"])
        }
        core.finishEvents()
    }

    /// The effects of a durable event are durable: it is not repeated any more.
    package func confirm(_ event: DurableEventID) {
        // If this is lost, the event is repeated, which it may be anyway.
        switch event {
        case .event(let number): core.store.applyLater([.deleteEvent(number)])
        case .sent(let connection, let message): core.store.applyLater([.deleteSentEvent(connection: connection, message)])
        }
    }
}
