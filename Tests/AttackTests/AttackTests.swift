import ChatProtocol
import Foundation
import ProcessSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// Strangers attack the built programs with whole exchanges whose fields were changed.
///
/// The environment variables `PARLEY_ATTACKS` (how many of each suite) and `PARLEY_SEED` make a run longer or repeat it.
@Suite(.serialized, .timeLimit(.minutes(300))) struct AttackTests {
    private static let environment = ProcessInfo.processInfo.environment
    private let count = environment["PARLEY_ATTACKS"].flatMap(Int.init) ?? 100
    private let seed = environment["PARLEY_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)

    @Test func `Bots outlive what strangers send them, and answer others meanwhile`() async throws {
        print("attacks on bots: PARLEY_SEED=\(seed) PARLEY_ATTACKS=\(count)")
        let victims = try await Victims()
        let messages = try RecordedMessages.load()
        #expect(messages.count > 100)
        let honest = try await Stranger(on: victims.server, name: "honest")
        let link = try await honest.agent.resolveShortLink(user: honest.user, link: victims.link).fixed.connectionRequest
        let friend = try await honest.connect(link, name: "honest")
        var tried: [Attack: (sent: Int, refused: Int)] = [:]
        for (round, attacks) in Attack.sequence(count, seed: seed).chunked(25).enumerated() {
            // A connection that was treated so is of no use for long: its ratchets are out of step, or the bot has ended it.
            let stranger = try await Stranger(on: victims.server, name: "mallory")
            let connection = try await stranger.connect(link, name: "mallory")
            var mutator = Mutator(seed: seed &+ UInt64(round) &* 1_000_003)
            for attack in attacks {
                do {
                    try await stranger.carryOut(attack, &mutator, to: link, over: connection, messages: messages)
                    tried[attack, default: (0, 0)].sent += 1
                } catch {
                    tried[attack, default: (0, 0)].refused += 1
                }
            }
            let question = "question \(round)"
            do {
                try await honest.ask(question, answer: Victims.answer(to: question), over: friend)
            } catch {
                try victims.checkAlive(after: "round \(round): \(attacks.map(\.rawValue))")
                throw error
            }
            await stranger.close()
        }
        try await honest.ask("the last", answer: Victims.answer(to: "the last"), over: friend)
        print(Attack.allCases.map { "\($0.rawValue): \(tried[$0]?.sent ?? 0) sent, \(tried[$0]?.refused ?? 0) impossible" }.joined(separator: "; "))
        // Most attacks get as far as the router: else this shows nothing.
        #expect(tried.values.reduce(0) { $0 + $1.sent } * 10 >= count * 6)
        await honest.close()
        #expect(await victims.stop() == [0, 0], "\(victims.bots.logTail())")
    }

    @Test func `A router outlives commands that were changed, and serves others meanwhile`() async throws {
        print("attacks on a router: PARLEY_SEED=\(seed) PARLEY_ATTACKS=\(count)")
        let folder = try ScratchFolder("parley-attack")
        let process = try ParleyProgram.start(
            ["server", "smp", "--data", folder("router"), "--host", "127.0.0.1", "--port", "0", "--json"], log: folder("router.log"))
        let server = try SMPServerAddress(wireString: try await process.ready().address ?? "")
        let relay = try await HostileRouter(seed: seed)
        let (one, other) = (try await Stranger(on: server, name: "one"), try await Stranger(on: server, name: "other"))
        let invitation = try await one.agent.createConnection(user: one.user, mode: .invitation)
        let connection = try await other.connect(invitation.link, name: "other")
        var mutator = Mutator(seed: seed)
        var answers = 0
        for round in 0..<count {
            answers += try await CommandAttack(server, relay: relay.address).carryOut(&mutator)
            guard round.isMultiple(of: 20) || round == count - 1 else { continue }
            try await other.send(Stranger.text("message \(round)").textBytes, over: connection)
            try await eventually("message \(round) comes") { one.hasSeen("message \(round)") }
            #expect(process.isRunning, "\(process.logTail())")
        }
        print("\(answers) answers")
        #expect(answers > count)
        await one.close()
        await other.close()
        await relay.stop()
        #expect(await process.stop() == 0, "\(process.logTail())")
    }

    @Test func `A client outlives routers that answer with anything, and links that hold anything`() async throws {
        print("attacks by a router: PARLEY_SEED=\(seed) PARLEY_ATTACKS=\(count)")
        let victims = try await Victims()
        let relay = try await HostileRouter(seed: seed)
        let attacker = try await Stranger(on: victims.server, name: "mallory")
        let own = try await CommandedVictim(in: victims.folder, named: "own", server: victims.server.wireString)
        let lost = try await CommandedVictim(in: victims.folder, named: "lost", server: relay.address.wireString)
        for victim in [own, lost] {
            _ = try await victim.send(
                #"/_network {"socksMode":"always","hostMode":"public","requiredHostMode":false,"sessionMode":"user","smpProxyMode":"never","smpProxyFallback":"allow","smpWebPortServers":"preset","tcpConnectTimeout":{"backgroundTimeout":2000000,"interactiveTimeout":2000000},"tcpTimeout":{"backgroundTimeout":1000000,"interactiveTimeout":1000000},"tcpTimeoutPerKb":100,"rcvConcurrency":4,"smpPingInterval":1200000000,"smpPingCount":3,"logTLSErrors":false}"#,
                id: -1)
            let made = try await victim.send(
                #"/_create user {"profile":{"displayName":"victim","fullName":""},"pastTimestamp":false,"userChatRelay":false,"clientService":false}"#, id: 0)
            _ = try await victim.send("/_start", id: -2)
            #expect(made["resp"]?["type"]?.stringValue == "activeUser", "\(made)")
        }
        var mutator = Mutator(seed: seed)
        var kinds: [String: Int] = [:]
        var answers = 0
        for round in 1...max(count / 40, 2) {
            // New ones each time: a router that does not answer as it should is left alone for a while. Side by side, as most of the time is waiting.
            var relays: [HostileRouter] = []
            var commands: [(victim: CommandedVictim, command: String)] = [(lost, "/_connect 1"), (lost, "/_connect 1 incognito=on")]
            for number in 0..<5 {
                let other = try await HostileRouter(seed: seed &+ UInt64(round * 5 + number))
                relays.append(other)
                let link = try await attacker.link(on: other.address, &mutator)
                commands += [(own, "/_connect plan 1 \(link.short)"), (own, "/_connect 1 \(link.full)")]
            }
            try await withThrowingTaskGroup { group in
                for (index, (victim, command)) in commands.enumerated() {
                    group.addTask { try await victim.send(command, id: round * 100 + index)["resp"]?["type"]?.stringValue ?? "none" }
                }
                for try await kind in group { kinds[kind, default: 0] += 1 }
            }
            for victim in [own, lost] { #expect(victim.process.isRunning, "\(victim.process.logTail())") }
            for relay in relays {
                answers += relay.answers
                await relay.stop()
            }
        }
        answers += relay.answers
        print("\(answers) answers of routers; \(kinds)")
        #expect(answers >= max(count / 40, 2))
        // It still does what it is told.
        for victim in [own, lost] { #expect(try await victim.send("/users", id: 1)["resp"]?["type"]?.stringValue == "usersList") }
        await attacker.close()
        #expect(await own.stop() == 0, "\(own.process.logTail())")
        #expect(await lost.stop() == 0, "\(lost.process.logTail())")
        await relay.stop()
        #expect(await victims.stop() == [0, 0])
    }
}

extension Array {
    /// Pieces of so many elements.
    func chunked(_ size: Int) -> [[Element]] { stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min(count, $0 + size)]) } }
}
