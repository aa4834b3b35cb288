package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

// The use of a relay, and what it has done, as the store keeps it.

/// The usage of quotas at this relay, by channel.
package struct RelayUsageTable {
    let db: Database

    // MARK: Use

    private static func usage(_ row: inout RowReader) -> RelayUsage {
        RelayUsage(minute: row.int(), messages: row.int(), day: row.int(), bytes: row.int())
    }

    /// The use of the relay by a channel.
    package func current(of group: GroupID) throws -> RelayUsage {
        try db.first("SELECT minute, messages, day, bytes FROM relay_usage WHERE group_id = ?", [group], Self.usage) ?? RelayUsage()
    }

    /// The use of the relay by all channels.
    package func current() throws -> RelayUsage {
        try db.first("SELECT minute, messages, day, bytes FROM relay_state", [], Self.usage) ?? RelayUsage()
    }

    /// The use of the relay by each of the other channels with messages to pass on.
    package func ofWaiting(except group: GroupID) throws -> [RelayUsage] {
        try db.all(
            """
            SELECT ifnull(u.minute, 0), ifnull(u.messages, 0), ifnull(u.day, 0), ifnull(u.bytes, 0)
            FROM groups g LEFT JOIN relay_usage u ON u.group_id = g.group_id
            WHERE g.relay_own_status IS NOT NULL AND g.group_id <> ? AND EXISTS (SELECT 1 FROM relay_tasks t WHERE t.group_id = g.group_id)
            """, [group], Self.usage)
    }

    /// Counts what the relay has passed on, for its quotas and statistics.
    ///
    /// - Parameters:
    ///   - messages: Messages that were put into a body.
    ///   - deliveries: Members who were given a body.
    ///   - bytes: The size of the body times those members.
    package func add(messages: Int = 0, deliveries: Int = 0, bytes: Int64 = 0, to group: GroupID, at time: UTCTimestamp) throws {
        guard messages > 0 || deliveries > 0 else { return }
        let own = try current(of: group).adding(messages: messages, bytes: bytes, at: time)
        try set(own, of: group, messages: messages, deliveries: deliveries)
        try set(try current().adding(messages: messages, bytes: bytes, at: time), messages: messages, deliveries: deliveries)
    }

    /// Stores the use by a channel, and adds to what was done for it. Nothing is stored of a channel that is deleted since.
    package func set(_ usage: RelayUsage, of group: GroupID, messages: Int, deliveries: Int) throws {
        try db.run(
            """
            INSERT INTO relay_usage (group_id, minute, messages, day, bytes, total_messages, total_deliveries)
                SELECT group_id, ?2, ?3, ?4, ?5, ?6, ?7 FROM groups WHERE group_id = ?1
            ON CONFLICT (group_id) DO UPDATE SET minute = ?2, messages = ?3, day = ?4, bytes = ?5, total_messages = total_messages + ?6,
                total_deliveries = total_deliveries + ?7
            """, [group, usage.minute, usage.messages, usage.day, usage.bytes, messages, deliveries])
    }

    /// Stores the use by all channels, and adds to what was done for them.
    package func set(_ usage: RelayUsage, messages: Int, deliveries: Int) throws {
        try db.run(
            """
            UPDATE relay_state SET minute = ?, messages = ?, day = ?, bytes = ?, total_messages = total_messages + ?,
                total_deliveries = total_deliveries + ?
            """, [usage.minute, usage.messages, usage.day, usage.bytes, messages, deliveries])
    }

    // MARK: Draining

    /// True if an operator has the relay drained.
    package func isDrained() throws -> Bool { try db.number("SELECT draining FROM relay_state") == 1 }

    package func setDrained(_ isDrained: Bool) throws { try db.run("UPDATE relay_state SET draining = ?", [isDrained]) }

    // MARK: What waits

    /// The time at which the oldest message of a group came that is to be passed on; nil if none waits.
    package func oldestTask(group: GroupID) throws -> UTCTimestamp? {
        try db.number("SELECT created_at FROM relay_tasks WHERE group_id = ? ORDER BY task_id LIMIT 1", [group]).map(UTCTimestamp.init(stored:))
    }

    /// True if the service of a channel ends once what waits is passed on.
    package func endsService(group: GroupID) throws -> Bool {
        try db.number(
            """
            SELECT EXISTS (SELECT 1 FROM relay_jobs WHERE group_id = ?1 AND ends_service = 1)
                OR EXISTS (SELECT 1 FROM groups g JOIN group_members m ON m.group_id = g.group_id AND m.category = 'user'
                    WHERE g.group_id = ?1 AND m.status NOT IN \(GroupTables.currentStatuses))
            """, [group]) == 1
    }

    // MARK: Statistics

    /// Statistics of the relay, with the channels in which most waits.
    package func statistics(limit: Int) throws -> RelayStatistics {
        let served = """
            SELECT s.group_id FROM groups s JOIN group_members m ON m.group_id = s.group_id AND m.category = 'user'
            WHERE s.relay_own_status IN ('accepted', 'acknowledgedRoster', 'active') AND m.status IN \(GroupTables.currentStatuses)
            """
        let subscribers = """
            max(0, g.current_members - (SELECT count(*) FROM group_members r WHERE r.group_id = g.group_id AND r.role IN ('relay', 'owner')
                AND r.status IN \(GroupTables.currentStatuses)))
            """
        let (tasks, jobs) = try db.relayWork.backlog()
        let totals = try db.first("SELECT total_messages, total_deliveries, day, bytes, draining FROM relay_state", []) {
            (messages: $0.int(), deliveries: $0.int(), day: $0.int(), bytes: $0.int(), isDrained: $0.flag())
        }
        let channels = try db.all(
            """
            SELECT g.group_id, g.display_name, g.profile_json, \(subscribers) AS subscribers,
                ifnull(u.total_messages, 0), ifnull(u.total_deliveries, 0), ifnull(u.day, 0), ifnull(u.bytes, 0),
                (SELECT count(*) FROM relay_tasks t WHERE t.group_id = g.group_id) AS tasks,
                (SELECT count(*) FROM relay_jobs j WHERE j.group_id = g.group_id) AS jobs,
                (SELECT min(created_at) FROM (SELECT created_at FROM relay_jobs j WHERE j.group_id = g.group_id
                    UNION ALL SELECT * FROM (SELECT created_at FROM relay_tasks t WHERE t.group_id = g.group_id ORDER BY task_id LIMIT 1)))
            FROM groups g LEFT JOIN relay_usage u ON u.group_id = g.group_id
            WHERE g.group_id IN (\(served)) OR g.group_id IN (SELECT group_id FROM relay_jobs)
            ORDER BY tasks + jobs DESC, subscribers DESC, g.group_id LIMIT ?
            """, [limit]
        ) { row in
            RelayStatistics.Channel(
                group: row.id(), name: row.text(),
                publicGroupID: (try? GroupProfile(parsing: row.text()))?.publicGroup?.publicGroupID.description,
                work: RelayStatistics.Work(
                    subscribers: row.int(), messages: row.int(), deliveries: row.int(), day: row.int(), bytes: row.int(), waitingMessages: row.int(),
                    waitingBodies: row.int(), oldest: row.optionalInt().map(UTCTimestamp.init(stored:))))
        }
        // The channel with the oldest message need not be one of those in which most waits.
        let oldest = try db.number(
            """
            SELECT min(created_at) FROM (SELECT created_at FROM relay_jobs
                UNION ALL SELECT * FROM (SELECT created_at FROM relay_tasks ORDER BY task_id LIMIT 1))
            """)
        let members = try db.number("SELECT sum(\(subscribers)) FROM groups g WHERE g.group_id IN (\(served))") ?? 0
        return RelayStatistics(
            channels: Int(try db.number("SELECT count(*) FROM (\(served))") ?? 0),
            total: RelayStatistics.Work(
                subscribers: members, messages: totals?.messages ?? 0, deliveries: totals?.deliveries ?? 0, day: totals?.day ?? 0,
                bytes: totals?.bytes ?? 0, waitingMessages: Int64(tasks), waitingBodies: Int64(jobs), oldest: oldest.map(UTCTimestamp.init(stored:))),
            isDrained: totals?.isDrained ?? false, busiest: channels, left: try db.groups.leftChannels(limit: limit))
    }
}
