import AsyncPrimitives
import SMPClient
import SMPWire
import Synchronization

@testable import SMPAgent

/// What a run of the simulation does; with the seed it says all.
struct Scenario: Sendable {
    var parties = 3
    var routers = 2
    var messages = 100
    /// Messages that a queue holds.
    var quota = 16
    /// How far a sender goes ahead: beyond the quota, queues become full.
    var window = 24
    var isPQ = false
    /// Milliseconds of simulated time between faults, on average; 0 for fair weather.
    var faultInterval = 1_500
    /// Whether connections move their queues to other routers, meanwhile.
    var rotates = false
    /// Queues that each side of a connection receives through, on different routers.
    var queues = 1
    /// Whether the agents' stores are their own SQL; else tables in memory, which are ten times as fast.
    var usesSQL = true
    /// Whether ratchets agree by ``CheapAgreement``, which only stores without SQL can keep apart from real keys.
    var hasCheapKeys = false
    /// Bytes by which messages are padded less than they are on a real network.
    var paddingReduction = 0
}

extension Scenario {
    /// The scenario of a seed.
    ///
    /// - Parameter isDeep: with SQL, real keys and full lengths.
    init(seed: UInt64, messages: Int, isDeep: Bool) {
        self.init(messages: messages)
        parties = 2 + Int(seed % 3)
        quota = seed % 2 == 0 ? 8 : 128
        window = seed % 4 < 2 ? 24 : 6
        faultInterval = [400, 1_500, 6_000][Int(seed / 3 % 3)]
        rotates = seed % 5 < 3
        if seed % 6 == 5 { queues = 2 }
        guard !isDeep else { return }
        usesSQL = false
        hasCheapKeys = true
        // Keys and ciphertexts of the KEM are long, and there is no cheap one in its place.
        isPQ = seed % 64 == 63
        paddingReduction = isPQ ? 10_000 : 14_200
        if isPQ { self.messages = min(messages, 100) }
    }
}

/// What a run came to.
struct SimulationOutcome: Sendable {
    let faults: [String]
    let fingerprint: UInt64
    let messages: Int
    let transmissions: Int
    let repeats: Int
    let kills: Int
    /// Queues that have moved to another router.
    let moves: Int
    let simulatedSeconds: Int64
    let trace: [String]
}

/// Parties and routers under a plan of faults that follows from a seed.
final class SimulatedWorld: Sendable {
    private enum Phase { case stormy, calm }

    let simulation: Simulation
    private let scenario: Scenario
    private let plan: ConversationPlan
    private let routers: [RouterHost]
    private let parties: [SimulatedParty]
    private let faults = FaultLog()
    private let phase = Mutex(Phase.stormy)
    private let kills = Mutex(0)
    /// Broken connections.
    private let breaks = Mutex(0)

    init(seed: UInt64, _ scenario: Scenario, keepsTrace: Bool = false) throws {
        let simulation = Simulation(seed: seed, keepsTrace: keepsTrace)
        let faults = faults
        self.simulation = simulation
        self.scenario = scenario
        let routers = try (0..<scenario.routers).map {
            try RouterHost("router\($0)", scenario, simulation: simulation, faults: faults)
        }
        self.routers = routers
        plan = ConversationPlan(parties: scenario.parties, messages: scenario.messages, window: scenario.window, isPQ: scenario.isPQ)
        var configuration = AgentConfiguration()
        configuration.keyPairPoolSize = 0
        configuration.paddingReduction = scenario.paddingReduction
        // A full queue is tried again within the run.
        configuration.slowRetry = RetryInterval(initial: .seconds(30), increaseAfter: .seconds(60), maximum: .seconds(120))
        configuration.cachedConnections = 2
        configuration.deliveryBufferSize = 8
        configuration.concurrentDeliveries = 2
        configuration.queuesPerConnection = scenario.queues
        parties = try (0..<scenario.parties).map { try SimulatedParty($0, simulation, routers, configuration, scenario, faults) }
        let parties = parties
        plan.setLinks { parties[$0].conversation($1).link }
    }

    /// Runs to the end.
    func run() throws -> SimulationOutcome {
        for party in parties { party.start(sending: plan) }
        if scenario.faultInterval > 0 { scheduleFault() }
        checkLoad()
        let hour: Int64 = 3_600_000_000_000
        var goesOn = reach("the end of all conversations", within: simulation.time + 48 * hour) { [self] in isAllReceived }
        phase.withLock { $0 = .calm }
        goesOn = goesOn && reach("rest", within: simulation.time + 24 * hour) { [self] in isAtRest }
        if goesOn {
            for party in parties { party.leave() }
            _ = reach("empty stores", within: simulation.time + 24 * hour) { [self] in isEmpty }
        }
        for party in parties { party.kill() }
        _ = simulation.run(until: simulation.time + hour) { false }
        return SimulationOutcome(
            faults: faults.all, fingerprint: simulation.fingerprint,
            messages: parties.reduce(0) { sum, party in sum + plan.peers(of: party.index).reduce(0) { $0 + party.conversation($1).received } },
            transmissions: simulation.transmissions, repeats: parties.reduce(0) { $0 + $1.repeats }, kills: kills.withLock { $0 },
            moves: parties.reduce(0) { $0 + $1.moves },
            simulatedSeconds: simulation.time / 1_000_000_000, trace: simulation.trace)
    }

    private func reach(_ what: String, within limit: Int64, _ condition: @escaping () -> Bool) -> Bool {
        var events = 0
        let isReached = simulation.run(until: limit) {
            events += 1
            guard faults.isEmpty else { return true }
            // Looking at everything after every event would take most of the time.
            return events % 64 == 0 && condition()
        }
        if faults.isEmpty, !isReached { faults.record("\(what) was not reached: \(standing)") }
        return faults.isEmpty
    }

    // MARK: What must be true

    private var isAllReceived: Bool {
        parties.allSatisfy { party in plan.peers(of: party.index).allSatisfy { party.conversation($0).received == plan.messages } }
    }

    /// Nothing waits anywhere, and everybody is there.
    private var isAtRest: Bool {
        guard routers.allSatisfy(\.isRunning), parties.allSatisfy(\.isAlive), routers.allSatisfy({ $0.messageCount == 0 }) else { return false }
        return parties.allSatisfy { party in
            let remains = (try? party.remains()) ?? [:]
            return remains["deliveries"] == 0 && remains["commands"] == 0 && remains["events"] == 0
        }
    }

    /// Deletion leaves nothing: not at the parties, and at the routers nothing but queues whose making was interrupted.
    private var isEmpty: Bool {
        let isForgotten = parties.allSatisfy { party in (try? party.remains())?.values.allSatisfy { $0 == 0 } ?? false }
        let queues = routers.reduce(0) { $0 + $1.queueCount }
        // Who is killed leaves the queues of a connection that was to have several; who goes on deletes them but for the one that was interrupted.
        let interruptions = kills.withLock { $0 } * scenario.queues + (scenario.rotates || scenario.queues > 1 ? breaks.withLock { $0 } : 0)
        return isForgotten && queues <= interruptions
    }

    private var standing: String {
        let conversations = parties.map { party in
            "\(party.index): "
                + plan.peers(of: party.index).map { peer in
                    let conversation = party.conversation(peer)
                    return "\(peer) \(conversation.isConnected ? "" : "not connected ")sent \(conversation.accepted) received \(conversation.received)"
                }.joined(separator: ", ") + " \((try? party.remains()) ?? [:])"
        }
        return conversations.joined(separator: "; ") + "; routers: "
            + routers.map { "\($0.queueCount) queues, \($0.messageCount) messages" }.joined(separator: ", ")
    }

    /// What is in memory stays in proportion to what is done.
    private func checkLoad() {
        for party in parties {
            let load = party.load
            let connections = 4 * scenario.parties
            if load.tasks > 20 + 12 * connections { faults.record("party \(party.index) runs \(load.tasks) tasks for \(connections) connections") }
            if load.connections > 4 + connections {
                faults.record("party \(party.index) has \(load.connections) active connections for \(connections) connections")
            }
        }
        guard phase.withLock({ $0 == .stormy }) else { return }
        simulation.after(1_000_000_000) { [self] in checkLoad() }
    }

    // MARK: Faults

    private func scheduleFault() {
        simulation.after(simulation.microseconds(1...2_000 * scenario.faultInterval)) { [self] in
            guard phase.withLock({ $0 == .stormy }) else { return }
            fault()
            if scenario.rotates { parties[simulation.draw(0...parties.count - 1)].moveQueue() }
            scheduleFault()
        }
    }

    private func fault() {
        let party = parties[simulation.draw(0...parties.count - 1)]
        switch simulation.draw(0...11) {
        case 0...4:
            breaks.withLock { $0 += 1 }
            party.breakConnection()
        case 5...7:
            guard party.isAlive else { return }
            kills.withLock { $0 += 1 }
            party.kill()
            simulation.after(simulation.microseconds(1_000...3_000_000)) { [self] in party.start(sending: plan) }
        case 8:
            let router = routers[simulation.draw(0...routers.count - 1)]
            guard router.isRunning else { return }
            kills.withLock { $0 += 1 }
            router.kill()
            simulation.after(simulation.microseconds(1_000...5_000_000)) { [self] in
                // Who starts a router on a bad disk starts it again.
                router.diskTrouble.set(false)
                do {
                    try router.start()
                } catch {
                    faults.record("a router does not start again: \(error)")
                }
            }
        case 9:
            let router = routers[simulation.draw(0...routers.count - 1)]
            router.diskTrouble.set(true)
            simulation.after(simulation.microseconds(10_000...2_000_000)) { router.diskTrouble.set(false) }
        case 10: party.subscribeAgain()
        // Twice as far apart is within a day, after which messages that nobody acknowledges are dropped.
        default: party.clockError.withLock { $0 = Int64(simulation.draw(-39_600_000...39_600_000)) }
        }
    }
}
