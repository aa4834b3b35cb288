import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The oracles themselves: each fails for what it is to find.
@Suite("The oracles of the hostile client", .serialized)
struct HostileOracleTests {
    /// Changes that no member or contact has a right to, whatever the message.
    private static let forbidden: [String] = [
        "UPDATE group_members SET role = 'owner' WHERE category <> 'user' AND role <> 'owner'",
        "UPDATE group_members SET role = 'observer' WHERE category = 'user'",
        "UPDATE group_members SET status = 'removed' WHERE category <> 'user'", "UPDATE group_members SET status = 'left' WHERE category = 'user'",
        "UPDATE group_members SET blocked = 1", "UPDATE group_members SET show_messages = 0", "UPDATE group_members SET public_key = x'01'",
        "UPDATE group_members SET member_id = x'01' WHERE category = 'user'", "UPDATE profiles SET profile_json = '{\"displayName\":\"x\",\"fullName\":\"\"}'",
        "UPDATE profiles SET local_alias = 'x'", "UPDATE contacts SET is_user = 1 - is_user", "UPDATE contacts SET item_ttl = 1",
        "UPDATE groups SET profile_json = '{\"displayName\":\"x\",\"fullName\":\"\"}'", "UPDATE groups SET member_private_key = x'01', via_link = 'x'",
        "UPDATE connections SET security_code = 'x'", "UPDATE connections SET status = 'deleted'",
        "UPDATE chat_items SET content_json = '{}', item_text = 'attack' WHERE shared_msg_id IS NOT NULL",
        "DELETE FROM chat_items WHERE shared_msg_id IS NOT NULL", "UPDATE chat_items SET deleted = 4 WHERE shared_msg_id IS NOT NULL",
        "UPDATE users SET send_receipts_contacts = 1 - send_receipts_contacts", "INSERT INTO settings (name, value_json) VALUES ('attack', '1')",
        """
        INSERT INTO chat_items (user_id, group_id, sent, content_kind, content_json, item_text, status, item_ts, created_at, updated_at)
        SELECT user_id, group_id, 1, 'sndMsgContent', '{}', 'attack', 'sndNew', 0, 0, 0 FROM groups LIMIT 1
        """,
    ]

    /// The same in channels.
    private static let forbiddenInChannels: [HostilePlace.Victim: [String]] = [
        .relay: [
            "UPDATE groups SET roster_version = 9", "UPDATE stored_rosters SET version = 9", "UPDATE stored_rosters SET list = x'00'",
            "DELETE FROM stored_rosters",
            "UPDATE groups SET relay_own_status = 'rejected'",
            "UPDATE group_members SET public_key = x'01' WHERE role = 'moderator'", "UPDATE group_members SET role = 'moderator' WHERE role = 'observer'",
        ],
        .subscriber: [
            "UPDATE groups SET roster_version = 9", "UPDATE groups SET roster_complete_version = NULL",
            "UPDATE group_members SET role = 'admin' WHERE role = 'moderator'", "UPDATE group_members SET relay_link = 'x' WHERE role = 'owner'",
        ],
        .owner: [
            "UPDATE groups SET roster_version = 9", "UPDATE groups SET roster_version = NULL", "UPDATE group_relays SET relay_json = '{}'",
            "UPDATE group_relays SET group_member_id = (SELECT group_member_id FROM group_members WHERE category = 'user')",
            "UPDATE group_members SET role = 'admin' WHERE role = 'moderator'",
        ],
    ]

    @Test(
        "the oracle of rights finds every change of rosters and relays that the sender has no right to",
        arguments: [HostilePlace.Victim.relay, .subscriber, .owner])
    func rosterRights(_ victim: HostilePlace.Victim) async throws {
        let place = try await HostileWorld.shared().place(victim)
        let state = HostileState.member(
            role: victim.hasHostileRelay ? .relay : .observer, status: .connected, isBlocked: false, own: nil, isModeratedEarly: false)
        for sql in try #require(Self.forbiddenInChannels[victim]) {
            let violations = try await place.violations(of: sql, in: state)
            #expect(!violations.isEmpty, "\(victim.rawValue): \(sql)")
        }
        // Whoever owns the channel, as the victim knows it, signs its roster.
        guard victim == .relay else { return }
        let owner = HostileState.member(role: .owner, status: .connected, isBlocked: false, own: nil, isModeratedEarly: false)
        #expect(try await place.violations(of: "UPDATE groups SET roster_version = 9", in: owner).isEmpty)
    }

    @Test("the oracle of rights finds every change that the sender has no right to", arguments: HostilePlace.Victim.allCases)
    func rights(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld.shared()
        let place = try await world.place(victim)
        let state: HostileState =
            victim == .contact
            ? .contact(status: .active, connection: .ready)
            : .member(role: victim.hasHostileRelay ? .relay : .observer, status: .connected, isBlocked: false, own: nil, isModeratedEarly: false)
        // A relay ends its own connection, and deletions are not signed.
        let allowed = victim.hasHostileRelay ? ["status = 'deleted'", "deleted = 4", "DELETE FROM chat_items"] : []
        for sql in Self.forbidden where !allowed.contains(where: sql.contains) {
            let violations = try await place.violations(of: sql, in: state)
            #expect(!violations.isEmpty, "\(victim.rawValue): \(sql)")
        }
        #expect(try await place.violations(of: "UPDATE connections SET last_received_msg_id = 9", in: state).isEmpty)
    }

    @Test("the oracle of cost finds each kind of excess, and none in what messages cost")
    func cost() throws {
        let body = try HostileBody(unreadable: 32_765)
        var cost = HostileCost(rows: 15, events: 1, useless: 256)
        #expect(HostileClientTests.excess(of: cost, body).isEmpty)
        // An item for each element, as it was.
        cost.rows = 255 * 3
        #expect(HostileClientTests.excess(of: cost, body).count == 1)
        cost = HostileCost(rows: 15, events: 5_000, jobs: 1_000, blocks: 936, useless: 256)
        #expect(HostileClientTests.excess(of: cost, body).count == 3)
    }

    @Test(
        "the oracle of cost finds rows that a body makes its victim write beyond the bounds, also if they are taken back",
        arguments: HostilePlace.Victim.allCases)
    func rows(_ victim: HostilePlace.Victim) async throws {
        let place = try await HostileWorld.shared().place(victim), state = try #require(place.states.first)
        let body = try HostileBody(
            [HostileMessage("writes", .newMessage(MessageContainer(content: .text("x"))))], form: victim.hasHostileRelay ? .binary : .json)
        let row =
            "INSERT OR REPLACE INTO settings (name, value_json) SELECT 'attack' || value, '1' FROM json_each('[\((0..<100).map(String.init).joined(separator: ","))]')"
        for (defect, isFound) in [(nil, false), (row, true)] as [(String?, Bool)] {
            let costs = try await place.receive([body], in: state, checksRights: false, defect: defect).costs
            #expect(costs.contains { !HostileClientTests.excess(of: $0, body).isEmpty } == isFound, "\(victim.rawValue)")
        }
    }

    // MARK: Peace

    @Test("the oracle of peace finds that another person is heard late, by the hundredth of what it says that is heard last")
    func lateness() {
        func times(_ milliseconds: Int, _ count: Int) -> [Duration] { Array(repeating: .milliseconds(milliseconds), count: count) }
        let oracle = PeaceOracle(floor: .seconds(2), factor: 20)
        for (quiet, beside, isFound) in [
            // Nothing that is heard within the floor is late, whatever the quiet was.
            (times(1, 50), times(1_999, 200), false), (times(1, 50), times(2_001, 200), true), ([], times(2_001, 1), true),
            // A slow machine is slow without an attack, too.
            (times(150, 50), times(2_900, 200), false), (times(150, 50), times(3_100, 200), true),
            // One in a hundred counts; one in two hundred does not.
            (times(1, 50), times(10, 198) + times(9_000, 2), true), (times(1, 50), times(10, 199) + times(9_000, 1), false),
            (times(1, 50), times(10, 98) + times(9_000, 1), true), (times(1, 50), times(9_000, 1) + times(10, 4), true),
            // Who says nothing proves nothing.
            (times(1, 50), [], true),
        ] {
            #expect(!oracle.violations(quiet: quiet, beside: beside).isEmpty == isFound, "\(beside.count), \(beside.max() ?? .zero)")
        }
    }

    @Test("the oracle of peace finds a victim that stands still", arguments: [HostilePlace.Victim.contact, .subscriber])
    func standstill(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld(), place = try await world.place(victim), friend = try await world.friend(of: victim)
        let oracle = PeaceOracle(floor: .seconds(1), factor: 1)
        let isHeld = Atomic(false), spoken = Mutex<ContinuousClock.Instant?>(nil)
        let standstill = Task {
            try await place.core.native.engine.store.write { _ in
                isHeld.store(true, ordering: .relaxed)
                // The thread is taken from the others, too: where there is no other one, the person speaks afterwards, and is late all the same.
                let end = ContinuousClock.now + .seconds(20)
                while ContinuousClock.now < end, spoken.withLock({ $0 }).map({ ContinuousClock.now - $0 < oracle.floor * 2 }) ?? true { usleep(5_000) }
            }
        }
        try await eventually("the victim stands still") { isHeld.load(ordering: .relaxed) }
        let slowed = HonestFriend(
            send: { text in
                try await friend.send(text)
                spoken.withLock { $0 = .now }
            }, receiver: friend.receiver, close: friend.close)
        // What the person says cannot be stored before the end of the standstill: a busy machine makes it only longer.
        let heard = try await slowed.say("during the standstill")
        try await standstill.value
        #expect(!oracle.violations(quiet: [], beside: [heard]).isEmpty, "\(heard)")
        await friend.close()
        await world.close()
    }
}
