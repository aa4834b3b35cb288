import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// The oracles themselves: each fails for what it is to find.
@Suite("The oracles of the hostile client")
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

    @Test("the oracle of rights finds every change that the sender has no right to", arguments: HostilePlace.Victim.allCases)
    func rights(_ victim: HostilePlace.Victim) async throws {
        let world = try await HostileWorld.shared()
        let place = try await world.place(victim)
        let state: HostileState =
            victim == .contact
            ? .contact(status: .active, connection: .ready)
            : .member(role: victim == .subscriber ? .relay : .observer, status: .connected, isBlocked: false, own: nil, isModeratedEarly: false)
        // A relay ends its own connection, and deletions are not signed.
        let allowed = victim == .subscriber ? ["status = 'deleted'", "deleted = 4", "DELETE FROM chat_items"] : []
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
}
