package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire

// The work of a relay: tasks, which are messages to pass on, and jobs, which are bodies for subscribers.

/// Posts that this relay forwards, and to whom.
package struct RelayWorkTable {
    let db: Database

    // MARK: Tasks

    package func insertTask(
        group: GroupID, scope: RelayScope, sender: GroupMemberID, element: Bytes, introduces: Bool = false, endsService: Bool = false,
        at time: UTCTimestamp
    ) throws {
        try db.run(
            """
            INSERT INTO relay_tasks (group_id, support_member_id, for_comments, sender_id, element, introduces, ends_service, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, [group, scope.supportMember, scope.isForComments, sender, element.blob, introduces, endsService, time.stored])
    }

    /// The oldest tasks of a group.
    package func tasks(group: GroupID, limit: Int) throws -> [RelayTask] {
        try db.all(
            """
            SELECT task_id, support_member_id, for_comments, sender_id, element, introduces, ends_service FROM relay_tasks
            WHERE group_id = ? ORDER BY task_id LIMIT ?
            """, [group, limit]
        ) { row in
            let id = row.int(), scope = RelayScope(row.optionalID(), isForComments: row.flag())
            return RelayTask(id: id, scope: scope, sender: row.id(), element: row.bytes(), introduces: row.flag(), endsService: row.flag())
        }
    }

    /// The number of messages that wait in a group, or a larger one if other groups had messages in between. It takes no longer the more wait.
    package func taskSpan(group: GroupID) throws -> Int64 {
        try db.number(
            """
            SELECT (SELECT max(task_id) FROM relay_tasks WHERE group_id = ?1) - (SELECT min(task_id) FROM relay_tasks WHERE group_id = ?1) + 1
            """, [group]) ?? 0
    }

    package func hasTasks(group: GroupID, moreThan limit: Int) throws -> Bool {
        try db.number("SELECT count(*) FROM (SELECT 1 FROM relay_tasks WHERE group_id = ? LIMIT ?)", [group, limit + 1]) ?? 0 > Int64(limit)
    }

    package func deleteTasks(_ ids: [Int64]) throws {
        for id in ids { try db.run("DELETE FROM relay_tasks WHERE task_id = ?", [id]) }
    }

    /// Forgets what a relay still had to pass on in a group.
    package func delete(group: GroupID) throws {
        try db.run("DELETE FROM relay_tasks WHERE group_id = ?", [group])
        try db.run("DELETE FROM relay_jobs WHERE group_id = ?", [group])
    }

    /// The groups with messages to pass on.
    package func groups() throws -> [GroupID] {
        try db.all("SELECT DISTINCT group_id FROM relay_tasks UNION SELECT DISTINCT group_id FROM relay_jobs ORDER BY 1") { $0.id() }
    }

    // MARK: Jobs

    /// Stores a body to be given to members.
    ///
    /// - Parameter senders: The authors who are shown first to members who do not know them.
    package func insertJob(
        group: GroupID, scope: RelayScope, singleSender: GroupMemberID?, senders: [GroupMemberID] = [], body: Bytes, endsService: Bool,
        at time: UTCTimestamp
    ) throws {
        // The agent expects growing numbers, and the introductions come before the body.
        let introductionKey = try senders.isEmpty ? nil : reserveDeliveryNumbers(RelayJob.maximumRosterBodies + senders.count)
        try db.run(
            """
            INSERT INTO relay_jobs (group_id, support_member_id, for_comments, single_sender_id, senders, introduction_key, body, request_key, ends_service,
                created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                group, scope.supportMember, scope.isForComments, singleSender, senders.map { "\($0.rawValue)" }.joined(separator: ","), introductionKey,
                body.blob, try reserveDeliveryNumbers(1), endsService, time.stored,
            ])
    }

    /// Numbers of the series of deliveries, which no delivery gets.
    ///
    /// - Returns: The first of them.
    private func reserveDeliveryNumbers(_ count: Int) throws -> Int64 {
        let last = try db.number("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'deliveries' RETURNING seq", [count])
        if let last { return last - Int64(count) + 1 }
        try db.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('deliveries', ?)", [count])
        return 1
    }

    /// The oldest job of a group; what ends the service comes last.
    package func job(group: GroupID) throws -> RelayJob? {
        try db.first(
            """
            SELECT job_id, support_member_id, for_comments, single_sender_id, senders, introduction_key, body, request_key, cursor, ends_service, created_at
            FROM relay_jobs
            WHERE group_id = ? ORDER BY ends_service, job_id LIMIT 1
            """, [group]
        ) { row in
            let id = row.int(), scope = RelayScope(row.optionalID(), isForComments: row.flag())
            return RelayJob(
                id: id, group: group, scope: scope, singleSender: row.optionalID(),
                senders: row.text().split(separator: ",").compactMap { Int64($0) }.map { GroupMemberID($0) }, introductionKey: row.optionalInt(),
                body: row.bytes(), requestKey: row.int(), cursor: row.id(), endsService: row.flag(), createdAt: UTCTimestamp(stored: row.int()))
        }
    }

    package func updateJob(_ id: Int64, cursor: GroupMemberID) throws {
        try db.run("UPDATE relay_jobs SET cursor = ? WHERE job_id = ?", [cursor, id])
    }

    package func deleteJob(_ id: Int64) throws { try db.run("DELETE FROM relay_jobs WHERE job_id = ?", [id]) }

    /// The number of messages and of bodies that wait in all groups.
    package func backlog() throws -> (tasks: Int, jobs: Int) {
        (Int(try db.number("SELECT count(*) FROM relay_tasks") ?? 0), Int(try db.number("SELECT count(*) FROM relay_jobs") ?? 0))
    }

    // MARK: Receivers

    private static let targets = """
        SELECT m.group_member_id, cn.agent_connection_id, m.index_in_group, cn.peer_max_version >= \(ChatVersions.groupRoster),
            m.roster_served_version IS NOT NULL
        FROM group_members m
        JOIN connections cn ON cn.connection_id = (SELECT max(x.connection_id) FROM connections x WHERE x.group_member_id = m.group_member_id)
        WHERE m.category <> 'user' AND m.role <> 'relay' AND m.status IN \(GroupTables.currentStatuses) AND cn.status IN ('ready', 'sndReady')
            AND cn.auth_errors < \(Connection.disablingErrorCount) AND cn.quota_errors < \(Connection.inactiveErrorCount)
        """

    private static func target(_ row: inout RowReader) -> RelayTarget {
        RelayTarget(member: row.id(), connection: row.bytes(), index: row.int(), knowsRosters: row.flag(), hasRoster: row.flag())
    }

    /// The next members of a group that a body is given to: those whose connections take messages, in the order in which they came.
    ///
    /// - Parameters:
    ///   - excluded: The author of the body.
    ///   - forComments: True for only those whose clients know comments.
    package func targets(
        group: GroupID, after cursor: GroupMemberID, excluding excluded: GroupMemberID?, forComments: Bool = false, limit: Int
    ) throws -> [RelayTarget] {
        try db.all(
            Self.targets + (forComments ? " AND cn.knows_comments = 1" : "")
                + " AND m.group_id = ? AND m.group_member_id > ? AND m.group_member_id IS NOT ? ORDER BY m.group_member_id LIMIT ?",
            [group, cursor, excluded, limit], Self.target)
    }

    /// The next receivers of a message in a support chat.
    package func targets(
        group: GroupID, support member: GroupMemberID, after cursor: GroupMemberID, excluding excluded: GroupMemberID?, limit: Int
    ) throws -> [RelayTarget] {
        try db.all(
            Self.targets + """
                 AND m.group_member_id IN (SELECT ?1 UNION SELECT o.group_member_id FROM group_members o
                    WHERE o.group_id = ?2 AND o.role IN ('moderator', 'admin', 'owner'))
                AND +m.group_id = ?2 AND +m.group_member_id > ?3 AND m.group_member_id IS NOT ?4 ORDER BY m.group_member_id LIMIT ?5
                """, [member, group, cursor, excluded, limit], Self.target)
    }

    /// The next connections with members of a group, which a relay that serves it no longer deletes.
    package func memberConnections(of group: GroupID, limit: Int) throws -> [(id: ChatConnectionID, agentID: Bytes)] {
        try db.all(
            """
            SELECT cn.connection_id, cn.agent_connection_id FROM group_members m JOIN connections cn ON cn.group_member_id = m.group_member_id
            WHERE m.group_id = ? AND m.category <> 'user' ORDER BY cn.connection_id LIMIT ?
            """, [group, limit]
        ) { ($0.id(), $0.bytes()) }
    }
}
