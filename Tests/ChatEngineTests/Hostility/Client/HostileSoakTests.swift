import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import SMPAgent
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The oracle of peace: over real connections, a hostile client writes as fast as its victim reads, and an honest person goes on talking with the victim.
///
/// The ordinary run asserts that everything of the honest person arrives. A soak (`PARLEY_SOAK_SECONDS`) asks ``PeaceOracle`` how long it takes.
@Suite("Peace beside the hostile client", .timeLimit(.minutes(60)))
struct HostileSoakTests {
    /// Bodies of the hostile client that the victim has not read yet.
    private static let window: Int64 = 8
    /// One of them in the ordinary run.
    private static let victims: [HostilePlace.Victim] = {
        let all = HostilePlace.Victim.allCases
        return HostileClientTests.seconds == nil ? [all[Int(HostileClientTests.seed % UInt64(all.count))]] : all
    }()
    /// The length up to which an agent takes bodies, with post-quantum keys.
    private static let room = ChatLimits.compressedMessage

    @Test("whatever a hostile client sends, another person is answered, and nobody else is another than before", arguments: victims)
    func peace(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld()
        let place = try await world.place(victim), line = try await world.line(to: victim), friend = try await world.friend(of: victim)
        let before = try await others(place)
        var quiet: [Duration] = []
        for number in 0..<(HostileClientTests.seconds == nil ? 2 : 50) { quiet.append(try await friend.say("quiet \(number)")) }
        let end = HostileClientTests.seconds.map { ContinuousClock.now + .seconds($0) }
        let isOver = Atomic(false)
        let attack = Task {
            var random = HostileClientTests.generator(victim, 4)
            var sent = PeaceFigures()
            let last = try await place.lastReceived()
            while !isOver.load(ordering: .relaxed) {
                let body = try Self.body(place, using: &random)
                let results = await line.core.native.engine.agent.send([
                    AgentSendRequest(
                        connection: ConnectionID(line.connection), body: body.bytes, flags: MessageFlags(notification: true), pqEncryption: false, key: nil)
                ])
                for result in results { _ = try result.get() }
                sent.add(body)
                // The queue of the victim takes as many as it reads.
                let bodies = Int64(sent.bodies)
                try await eventually("the victim reads its queue", every: .milliseconds(2)) {
                    place.core.forgetEvents()
                    return try await bodies - (place.lastReceived() - last) <= Self.window || isOver.load(ordering: .relaxed)
                }
            }
            return sent
        }
        let started = ThreadTime.ofProcess, memory = Self.residentMegabytes
        var echoes: [Duration] = []
        while end.map({ ContinuousClock.now < $0 }) ?? (echoes.count < 5) { echoes.append(try await friend.say("beside \(echoes.count)")) }
        isOver.store(true, ordering: .relaxed)
        let figures = try await attack.value
        let used = ThreadTime.ofProcess - started
        let changed = try await others(place).changes(since: before).filter { !place.concernsAttacker($0, before: before) }
        #expect(changed.isEmpty, "\(changed)")
        if HostileClientTests.seconds != nil {
            // The rest of `make test` runs beside the ordinary run, and makes it slow.
            let late = PeaceOracle.ofSoaks.violations(quiet: quiet, beside: echoes)
            #expect(late.isEmpty, "PARLEY_SEED=\(HostileClientTests.seed), \(victim.rawValue): \(late)")
            HostileClientTests.report(
                """
                \(victim.rawValue): \(figures.bodies) bodies, \(figures.messages) messages, \(figures.bytes) bytes (\(figures.plainBytes) before compression); \
                another person: quiet \(PeaceOracle.percentiles(quiet)), beside it \(PeaceOracle.percentiles(echoes)) of \(echoes.count); \
                \(used / .seconds(1) / max(1, Double(figures.messages)) * 1_000_000) µs of the process a message; \
                memory \(memory) MB before, \(Self.residentMegabytes) MB after
                """)
        }
        await friend.close()
        await world.close()
    }

    /// What is stored of everybody's status, role and profile.
    private func others(_ place: HostilePlace) async throws -> StoreFacts {
        try await place.core.native.engine.store.read { try StoreFacts($0, tables: [.member, .contact, .group, .own]) }
    }

    /// A body: full of one message, full of many, one at its longest, or one that cannot be read.
    private static func body(_ place: HostilePlace, using random: inout SplitMix64) throws -> HostileBody {
        // A hostile client does not end its own connection.
        let all = place.messages.all.filter { ![.leaveGroup, .deleteContact].contains(EventKind($0.event)) }
        let kind = Int.random(in: 0..<4, using: &random)
        if kind == 0, let message = place.messages.longest.randomElement(using: &random) {
            let body = try HostileBody([message], isCompressed: true)
            if body.bytes.count <= room { return body }
        }
        if kind == 1 { return try HostileBody(unreadable: 32_765) }
        let one = all.randomElement(using: &random)
        var count = ChatLimits.messagesPerBody
        while count > 1 {
            let messages = (0..<count).compactMap { _ in kind == 2 ? one : all.randomElement(using: &random) }.map { HostileMessage($0.name, $0.event) }
            let body = try HostileBody(messages, form: .json, isCompressed: true)
            if body.bytes.count <= room, body.plainLength <= ChatLimits.decompressedMessage { return body }
            count /= 2
        }
        return try HostileBody(unreadable: 255)
    }

    private static var residentMegabytes: Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4_096 / 1_000_000 : 0
    }
}

/// What a hostile client has sent.
private struct PeaceFigures: Sendable {
    var bodies = 0, messages = 0, bytes = 0, plainBytes = 0

    mutating func add(_ body: HostileBody) {
        bodies += 1
        messages += body.messages
        bytes += body.bytes.count
        plainBytes += body.plainLength
    }
}

/// The hostile client's end of its connection with a victim.
struct HostileLine: Sendable {
    let core: TestCore
    let connection: Bytes
}

/// Somebody who talks with a victim, or by way of it.
struct HonestFriend: Sendable {
    let send: @Sendable (String) async throws -> Void
    /// Who gets what is said.
    let receiver: TestCore
    let close: @Sendable () async -> Void

    /// Says something.
    ///
    /// - Returns: The time until it has come.
    func say(_ text: String) async throws -> Duration {
        let started = ContinuousClock.now
        try await send(text)
        let hasCome = await receiver.eventually {
            let found = try? await receiver.native.engine.store.read { try $0.number("SELECT count(*) FROM chat_items WHERE item_text = ?", [text]) }
            return found ?? 0 > 0
        }
        #expect(hasCome, "\(text) has not come")
        return .now - started
    }
}

extension HostilePlace {
    /// The number of the last message that the victim has read of the hostile client.
    func lastReceived() async throws -> Int64 {
        try await core.native.engine.store.read { [connection] in try $0.connections.find(agentID: connection)?.lastReceivedMessageID ?? 0 }
    }

    /// Tells whether a change concerns the hostile client itself, or somebody whom it has made up.
    func concernsAttacker(_ change: StoreFacts.Change, before: StoreFacts) -> Bool {
        guard change.before != nil else { return true }
        // A relay introduces those whom the subscriber knew by their comments only.
        if victim.hasHostileRelay, change.before?["status"] == "unknown", change.after?["status"] != "left" { return true }
        switch change.key.table {
        case .member: return change.value("member_id") == attacker.bytes.map { String($0, radix: 16, uppercase: true).leftPadded }.joined()
        case .contact: return victim == .contact && change.columns == ["profile"]
        default: return false
        }
    }
}

extension String {
    fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
