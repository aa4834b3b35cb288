import Foundation
import OfficialPeers
import ProcessSupport
import SMPAgent
import SMPProtocol
import SMPWire

/// What two of this package's agents do by themselves, without chats above them, over a router of each make.
enum AgentLoad {
    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in make.durabilities {
            let router = try await make.startRouter(durability)
            let address = try SMPServerAddress(wireString: router.address)
            let alice = try await BenchAgent.start("alice", server: address), bob = try await BenchAgent.start("bob", server: address)
            let isFirst = durability == make.durabilities.first
            let (connections, made) = try await establishing(alice, bob, count: Int(200 * max(effort, 0.1)))
            if isFirst { figures += made }
            for lanes in [1, 20] {
                figures += try await messages(
                    alice, bob, Array(connections.prefix(lanes)), count: Int(4_000 * effort), durability.isEmpty ? "" : ", \(durability)")
            }
            if isFirst { figures += try await backlog(alice, bob, Array(connections.prefix(100)), count: Int(10_000 * effort)) }
            await alice.stop()
            await bob.stop()
            if isFirst { figures += try await restarting(router, address, count: Int(10_000 * effort)) }
            await router.stop()
        }
        return figures
    }

    private static var ownTime: Duration { ProcessFigures.processorTime(of: getpid()) ?? .zero }

    private static let text = Bytes("a message as people write them, of some eighty bytes, with an end to it".utf8)

    /// Connections by invitations: made, joined, confirmed and ready on both sides.
    private static func establishing(
        _ alice: BenchAgent, _ bob: BenchAgent, count: Int
    ) async throws -> ([ConnectionID], [Figure]) {
        let spent = ownTime, start = ContinuousClock.now
        let links = try await bob.invitations(count, atATime: 16).map(\.link)
        let connections = try await alice.join(links, atATime: 16)
        await alice.connected.wait(for: count)
        await bob.connected.wait(for: count)
        let time = ContinuousClock.now - start, processor = ownTime - spent
        return (
            connections,
            [
                Figure("agents: connections established, 16 at a time", Double(count) / time.seconds, .perSecond),
                Figure("agents: processor time per connection, both sides", processor.milliseconds / Double(count), .milliseconds),
            ]
        )
    }

    private static func messages(
        _ alice: BenchAgent, _ bob: BenchAgent, _ connections: [ConnectionID], count: Int, _ suffix: String
    ) async throws -> [Figure] {
        let received = bob.received.value, spent = ownTime, start = ContinuousClock.now
        let each = count / connections.count
        try await alice.send(each, text, over: connections, atATime: 32)
        await bob.received.wait(for: received + each * connections.count)
        let time = ContinuousClock.now - start, processor = ownTime - spent, sent = Double(each * connections.count)
        let name = "agents: messages, \(connections.count) connection\(connections.count == 1 ? "" : "s")\(suffix)"
        return [
            Figure(name, sent / time.seconds, .perSecond),
            Figure("\(name): processor time per message, both sides", processor.milliseconds / sent, .milliseconds),
        ]
    }

    /// Messages that were sent while the recipient did not run, from its start until it has all.
    private static func backlog(_ alice: BenchAgent, _ bob: BenchAgent, _ connections: [ConnectionID], count: Int) async throws -> [Figure] {
        await bob.stop()
        let each = count / connections.count, all = each * connections.count
        let sent = alice.sent.value, received = bob.received.value
        try await alice.send(each, text, over: connections, atATime: each)
        await alice.sent.wait(for: sent + all)
        let spent = ownTime, start = ContinuousClock.now
        try await bob.start()
        try await bob.subscribe()
        await bob.received.wait(for: received + all)
        let time = ContinuousClock.now - start, processor = ownTime - spent
        let name = "agents: backlog of \(all) messages in \(connections.count) connections drained"
        return [
            Figure(name, time.milliseconds, .milliseconds),
            Figure("\(name): processor time per message", processor.milliseconds / Double(all), .milliseconds),
        ]
    }

    private static func restarting(_ router: any BenchRouter, _ address: SMPServerAddress, count: Int) async throws -> [Figure] {
        let host = try await BenchAgent.start("host", server: address)
        let start = ContinuousClock.now
        _ = try await host.invitations(count, atATime: 64)
        let made = ContinuousClock.now - start
        await host.stop()
        try await router.restart()
        let restarted = ContinuousClock.now, spent = ownTime
        try await host.start()
        try await host.subscribe()
        let time = ContinuousClock.now - restarted, processor = ownTime - spent
        await host.stop()
        let name = "agents: \(count) connections subscribed after a restart of agent and router"
        return [
            Figure("agents: invitations made, 64 at a time", Double(count) / made.seconds, .perSecond),
            Figure(name, time.milliseconds, .milliseconds),
            Figure("\(name): processor time per connection", processor.milliseconds / Double(count), .milliseconds),
        ]
    }
}
