import ChatAPI
import ChatRules
import Foundation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// A client of ours with an open hand: it sends every message of the protocol, in every state, with every list at its longest, to a contact, a host, a
/// member, a relay and a subscriber. Oracles watch rights and cost; ``HostileSoakTests`` has the third, peace.
///
/// The ordinary run draws a part of it. `PARLEY_SEED` repeats a run, `PARLEY_SOAK_SECONDS` gives each victim and oracle so many seconds.
@Suite("The hostile client", .timeLimit(.minutes(60)))
struct HostileClientTests {
    private static let environment = ProcessInfo.processInfo.environment
    static let seconds = environment["PARLEY_SOAK_SECONDS"].flatMap { Double($0) }
    static let seed: UInt64 = {
        let seed = environment["PARLEY_SEED"].flatMap { UInt64($0) } ?? UInt64(UInt32.random(in: .min ... .max))
        report("PARLEY_SEED=\(seed)")
        return seed
    }()

    /// Not printed: that waits in a buffer, which a crash loses.
    static func report(_ text: String) { FileHandle.standardError.write(Data("hostile client: \(text)\n".utf8)) }

    /// Goes on with `step` until the time of a soak is over, or for a number of steps where none is asked for.
    private static func repeating(_ few: Int, _ step: (Int) async throws -> Void) async throws -> Int {
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        var count = 0
        while end.map({ ContinuousClock.now < $0 }) ?? (count < few) {
            try await step(count)
            count += 1
        }
        return count
    }

    static func generator(_ victim: HostilePlace.Victim, _ oracle: UInt64) -> SplitMix64 {
        SplitMix64(seed: victim.rawValue.utf8.reduce(seed &+ oracle) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    @Test("there is an attack, and a longest one, for every message of the protocol")
    func completeness() {
        let messages = HostileMessages(people: ["x": MemberID([1])], texts: ["x": SharedMessageID([1])], profile: GroupProfile(displayName: "x", fullName: ""))
        #expect(Set(messages.all.map { EventKind($0.event) }) == Set(EventKind.allCases))
        // These have no part of free length.
        let short: Set<EventKind> = [.messageDeleted, .deleteContact, .leaveGroup, .deleteGroup, .ok, .groupPreferences]
        #expect(Set(messages.longest.map { EventKind($0.event) }) == Set(EventKind.allCases).subtracting(short))
        for message in messages.longest { #expect(message.element.count <= ChatLimits.encodedMessage, "\(message.name): \(message.element.count)") }
    }

    // MARK: Rights

    @Test(
        "nothing that anybody sends in any state changes what it has no right to, at the victim and at a third person", arguments: HostilePlace.Victim.allCases)
    func rights(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld.shared()
        let place = try await world.place(victim), all = place.messages.all, states = place.states
        var random = Self.generator(victim, 1), found: Set<String> = []
        /// Bodies of one message each, one after the other: what the first has changed may be a way for the next.
        let count = try await Self.repeating(50) { number in
            let state = states[Int.random(in: states.indices, using: &random)]
            let length = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 2...6, using: &random) : 1
            var bodies: [HostileBody] = []
            for part in 0..<length {
                let message = part == 0 ? all[(number &* 7919 &+ Int(Self.seed % 1_000)) % all.count] : all[Int.random(in: all.indices, using: &random)]
                let signs = Bool.random(using: &random)
                bodies.append(
                    try HostileBody(
                        [message], form: victim.hasHostileRelay ? .binary : .json, signer: signs ? place.signer : nil,
                        isRelay: victim.hasHostileRelay && Bool.random(using: &random)))
            }
            for violation in try await place.receive(bodies, in: state).violations where found.insert(violation).inserted {
                Issue.record("PARLEY_SEED=\(Self.seed), step \(number): \(violation)")
            }
        }
        if Self.seconds != nil { Self.report("\(victim.rawValue): rights held in \(count) attacks of \(all.count) messages in \(states.count) states") }
    }

    @Test("nothing that comes with a request or while a connection is made changes what it has no right to", arguments: HostilePlace.Victim.allCases)
    func handshakes(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld.shared()
        let place = try await world.place(victim), all = place.messages.all + place.messages.longest, states = place.states
        let envelopes = HostileEnvelope.allCases.filter { $0 != .message && ($0 != .request || place.door != nil) }
        var random = Self.generator(victim, 5), found: Set<String> = []
        let count = try await Self.repeating(30) { number in
            let message = all[(number &* 7919 &+ Int(Self.seed % 1_000)) % all.count], state = states[Int.random(in: states.indices, using: &random)]
            // An agent may report each step again.
            let bodies = try [message, message].map { try HostileBody([$0]) }
            for violation in try await place.receive(bodies, in: state, by: envelopes[number % envelopes.count]).violations
            where found.insert(violation).inserted {
                Issue.record("PARLEY_SEED=\(Self.seed), step \(number): \(violation)")
            }
        }
        if Self.seconds != nil { Self.report("\(victim.rawValue): rights held in \(count) handshakes and requests") }
    }

    @Test("a body with hundreds of messages of all kinds changes no more than each of them", arguments: HostilePlace.Victim.allCases)
    func batches(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld.shared()
        let place = try await world.place(victim), all = place.messages.all, states = place.states
        var random = Self.generator(victim, 2), found: Set<String> = []
        let count = try await Self.repeating(3) { number in
            let state = states[Int.random(in: states.indices, using: &random)]
            let messages = (0..<ChatLimits.messagesPerBody).map { _ in all[Int.random(in: all.indices, using: &random)] }
            let body = try HostileBody(
                messages, form: victim.hasHostileRelay ? .binary : HostileBody.Form.allCases[number % 2], isCompressed: false, signer: place.signer,
                isRelay: victim.hasHostileRelay)
            for violation in try await place.receive([body], in: state).violations where found.insert(violation).inserted {
                Issue.record("PARLEY_SEED=\(Self.seed), step \(number): \(violation)")
            }
        }
        if Self.seconds != nil { Self.report("\(victim.rawValue): rights held in \(count) bodies of 255 messages") }
    }

    @Test(
        "a whole roster of a hostile client counts for nothing in any state, sent or passed on, signed or not",
        arguments: [HostilePlace.Victim.member, .host, .relay, .subscriber, .owner])
    func rosters(_ victim: HostilePlace.Victim) async throws {
        let place = try await HostileWorld.shared().place(victim), states = place.states
        var random = Self.generator(victim, 6), found: Set<String> = []
        let people = Array(place.messages.people), owner = people.first { $0.key == "the owner" }?.value
        for number in 0..<(Self.seconds == nil ? 40 : 2_000) {
            let state = states[Int.random(in: states.indices, using: &random)], roster = place.messages.roster(of: people[number % people.count].value)
            let signer = number % 3 == 0 ? nil : place.signer
            var bodies = try [roster.signed, roster.list].map {
                try HostileBody([$0], form: victim.hasHostileRelay ? .binary : .json, signer: signer, isRelay: victim.hasHostileRelay)
            }
            if victim.hasHostileRelay, number % 2 == 0, let owner {
                let forward = MessageForward(sender: .member(owner, name: "owner"), brokerTimestamp: .current()), body = roster.signed.element
                bodies[0].bytes = MessageBatching.binaryBatch(of: [forward.element(signer?.element(of: body, tag: .groupRoster) ?? body)])
            }
            for violation in try await place.receive(bodies, in: state).violations where found.insert(violation).inserted {
                Issue.record("PARLEY_SEED=\(Self.seed), step \(number): \(violation)")
            }
        }
    }

    // MARK: Cost

    /// The bounds that docs/reliability.md tells.
    enum Bound {
        /// For a body as a whole: its connection, its chat, what could not be read, and what every bystander gets.
        static let rowsOfBody = 45
        static let rowsOfMessage = 8
        /// For a message that is refused, or that nobody could read.
        static let rowsOfUselessMessage = 1
        static let eventsOfMessage = 3
        static let blocksOfMessage = 2
        static let blocksOfBody = 4
    }

    /// Bodies of one message, at its longest and as often as fits, in every form.
    private static func expensive(_ place: HostilePlace, _ message: HostileMessage, _ form: HostileBody.Form, isCompressed: Bool) throws -> HostileBody {
        let length = message.element.count + 3, room = isCompressed ? ChatLimits.decompressedMessage : ChatLimits.encodedMessage
        let count = max(1, min(ChatLimits.messagesPerBody, (room - 2) / length))
        let messages = (0..<count).map { number in HostileMessage(message.name, message.event, id: number == 0 ? message.id : nil) }
        return try HostileBody(messages, form: form, isCompressed: isCompressed, signer: nil, isRelay: place.victim.hasHostileRelay)
    }

    @Test("a body costs no more rows, events and blocks than its messages, however long and full it is", arguments: HostilePlace.Victim.allCases)
    func cost(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld.shared()
        let place = try await world.place(victim)
        let all = place.messages.all + place.messages.longest, states = place.states
        var random = Self.generator(victim, 3), found: Set<String> = [], figures = CostFigures()
        // The smallest body that was the dearest: 27 bytes.
        let unreadable = try HostileBody(unreadable: 32_765)
        for state in states.prefix(1) {
            for cost in try await place.receive([unreadable], in: state, checksRights: false).costs {
                #expect(cost.rows <= Bound.rowsOfBody && cost.events <= 2 && cost.blocks == 0)
                Self.report("\(victim.rawValue): \(unreadable.bytes.count) bytes, \(unreadable): \(cost.rows) rows, \(cost.processor / .milliseconds(1)) ms")
            }
        }
        let count = try await Self.repeating(25) { number in
            let message = all[(number &* 7919 &+ Int(Self.seed % 1_000)) % all.count]
            let state = states[Int.random(in: states.indices, using: &random)]
            let body = try Self.expensive(
                place, message, victim.hasHostileRelay ? .binary : HostileBody.Form.allCases.randomElement(using: &random) ?? .json,
                isCompressed: Bool.random(using: &random))
            for cost in try await place.receive([body], in: state, checksRights: false).costs {
                figures.add(cost, of: body, in: state)
                for excess in Self.excess(of: cost, body) where found.insert("\(excess)").inserted {
                    Issue.record("PARLEY_SEED=\(Self.seed), \(victim.rawValue), \(state), \(body): \(excess)")
                }
            }
        }
        Self.report("\(victim.rawValue): \(count) bodies, \(figures)")
    }

    /// What a body has cost beyond the bounds.
    static func excess(of cost: HostileCost, _ body: HostileBody) -> [String] {
        let useful = max(0, body.messages - cost.useless)
        let rows = Bound.rowsOfBody + useful * Bound.rowsOfMessage + min(cost.useless, body.messages) * Bound.rowsOfUselessMessage
        return [
            cost.rows > rows ? "\(cost.rows) rows, \(rows) allowed, for \(body.messages) messages of which \(cost.useless) useless" : nil,
            cost.events > body.messages * Bound.eventsOfMessage + 2 ? "\(cost.events) events" : nil,
            cost.blocks > body.messages * Bound.blocksOfMessage + Bound.blocksOfBody ? "\(cost.blocks) blocks" : nil,
            cost.jobs > body.messages + 1 ? "\(cost.jobs) jobs" : nil,
        ].compactMap { $0 }
    }
}

/// The dearest bodies of a run.
private struct CostFigures: CustomStringConvertible {
    private var rows = (0.0, ""), processor = (Duration.zero, ""), perByte = (0.0, "")
    private var total = Duration.zero, bytes = 0

    mutating func add(_ cost: HostileCost, of body: HostileBody, in state: HostileState) {
        let rowsOfMessage = Double(cost.rows) / Double(body.messages), rowsOfByte = Double(cost.rows) / Double(body.plainLength)
        if body.messages > 20, rowsOfMessage > rows.0 { rows = (rowsOfMessage, "\(body), \(state)") }
        if cost.processor > processor.0 { processor = (cost.processor, "\(body), \(state)") }
        if rowsOfByte > perByte.0 { perByte = (rowsOfByte, "\(body), \(state)") }
        total += cost.processor
        bytes += body.plainLength
    }

    var description: String {
        let nanoseconds = total / .nanoseconds(1) / Double(max(1, bytes))
        return """
            at most \(rows.0.formatted(.number.precision(.fractionLength(1)))) rows a message (\(rows.1)), \
            \(perByte.0.formatted(.number.precision(.fractionLength(2)))) rows a byte (\(perByte.1)), \
            \((processor.0 / .milliseconds(1)).formatted(.number.precision(.fractionLength(0)))) ms (\(processor.1)); \
            \(nanoseconds.formatted(.number.precision(.fractionLength(0)))) ns a byte on average
            """
    }
}
