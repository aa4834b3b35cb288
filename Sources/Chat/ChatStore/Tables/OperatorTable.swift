package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB

// Operators of servers and the conditions on which they let them be used.

/// Operators of routers, and their conditions.
package struct OperatorTable {
    let db: Database

    private static let operatorColumns = """
        SELECT operator_id, tag, trade_name, legal_name, server_domains_json, enabled, smp_storage, smp_proxy, smp_names, xftp_storage, xftp_proxy,
            xftp_names
        FROM server_operators
        """

    private static func serverOperator(_ row: inout RowReader) throws -> ServerOperator {
        let id = row.id(ServerOperatorID.self), tag = row.optionalText(), tradeName = row.text(), legalName = row.optionalText()
        let domains = try JSONValue(parsing: row.text()).arrayValue?.compactMap(\.stringValue) ?? []
        let isEnabled = row.flag()
        let smp = ServerRoles(storage: row.flag(), proxy: row.flag(), names: row.flag())
        let xftp = ServerRoles(storage: row.flag(), proxy: row.flag(), names: row.flag())
        return ServerOperator(
            operatorID: id, operatorTag: tag, tradeName: tradeName, legalName: legalName, serverDomains: domains,
            conditionsAcceptance: .required(deadline: nil), enabled: isEnabled, smpRoles: smp, xftpRoles: xftp)
    }

    /// All operators as they are stored, without what follows from conditions.
    package func stored() throws -> [ServerOperator] {
        try db.all(Self.operatorColumns + " ORDER BY operator_id", [], Self.serverOperator)
    }

    /// All operators, and what is to be done about conditions.
    ///
    /// - Throws: `usageConditionsNotFound`.
    package func operatorConditions(at now: UTCTimestamp) throws -> ServerOperatorConditions {
        let current = try currentConditions()
        let rules = ConditionsRules(current: current, latestAccepted: try latestAcceptedConditions()?.conditionsCommit, now: now)
        let operators = try stored().map { stored in
            var known = stored
            known.conditionsAcceptance = rules.acceptance(try stored.operatorID.flatMap(acceptance(ofOperator:)))
            return known
        }
        return ServerOperatorConditions(
            serverOperators: operators, currentConditions: current, conditionsAction: rules.action(for: operators))
    }

    private func acceptance(ofOperator id: ServerOperatorID) throws -> ConditionsRules.Acceptance? {
        try db.first(
            """
            SELECT conditions_commit, accepted_at, automatic FROM accepted_conditions WHERE operator_id = ?
            ORDER BY accepted_conditions_id DESC LIMIT 1
            """, [id]
        ) { row in
            ConditionsRules.Acceptance(
                commit: row.text(), acceptedAt: row.optionalInt().map(UTCTimestamp.init(stored:)), wasAutomatic: row.flag())
        }
    }

    /// Stores the uses of operators. Their other properties are not changed here.
    package func update(_ operators: [ServerOperator]) throws {
        for one in operators {
            try db.run(
                """
                UPDATE server_operators SET enabled = ?, smp_storage = ?, smp_proxy = ?, smp_names = coalesce(?, smp_names), xftp_storage = ?,
                    xftp_proxy = ?, xftp_names = coalesce(?, xftp_names)
                WHERE operator_id = ?
                """,
                [
                    one.enabled, one.smpRoles.storage, one.smpRoles.proxy, one.smpRoles.names, one.xftpRoles.storage, one.xftpRoles.proxy,
                    one.xftpRoles.names, one.operatorID,
                ])
        }
    }

    /// Stores an operator that comes with the core; what it is used for stays if it is known.
    package func upsert(_ preset: PresetOperator) throws {
        let domains = JSONValue.array(preset.serverDomains.map(JSONValue.string)).text
        try db.run(
            """
            INSERT INTO server_operators (tag, trade_name, legal_name, server_domains_json, enabled, smp_storage, smp_proxy, smp_names, xftp_storage,
                xftp_proxy, xftp_names) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tag) DO UPDATE SET trade_name = excluded.trade_name, legal_name = excluded.legal_name,
                server_domains_json = excluded.server_domains_json
            """,
            [
                preset.tag, preset.tradeName, preset.legalName, domains, preset.isEnabled, preset.smpRoles.storage, preset.smpRoles.proxy,
                preset.smpRoles.names ?? true, preset.xftpRoles.storage, preset.xftpRoles.proxy, preset.xftpRoles.names ?? false,
            ])
    }

    package func delete(except tags: [String]) throws {
        for one in try stored() where one.operatorTag.map({ !tags.contains($0) }) ?? false {
            try db.run("DELETE FROM server_operators WHERE operator_id = ?", [one.operatorID])
        }
    }

    // MARK: Conditions

    private static let conditionsColumns = "SELECT conditions_id, conditions_commit, notified_at, created_at FROM usage_conditions"

    private static func conditions(_ row: inout RowReader) -> UsageConditions {
        UsageConditions(
            conditionsID: row.id(), conditionsCommit: row.text(), notifiedAt: row.optionalInt().map(UTCTimestamp.init(stored:)),
            createdAt: UTCTimestamp(stored: row.int()))
    }

    /// The newest version of the conditions.
    ///
    /// - Throws: `usageConditionsNotFound`.
    package func currentConditions() throws -> UsageConditions {
        guard let current = try db.first(Self.conditionsColumns + " ORDER BY conditions_id DESC LIMIT 1", [], Self.conditions) else {
            throw Refusal.store(.usageConditionsNotFound)
        }
        return current
    }

    /// The version that was accepted last.
    package func latestAcceptedConditions() throws -> UsageConditions? {
        try db.first(
            Self.conditionsColumns + """
                 WHERE conditions_commit =
                    (SELECT conditions_commit FROM accepted_conditions ORDER BY accepted_at DESC, accepted_conditions_id DESC LIMIT 1)
                """, [], Self.conditions)
    }

    /// Stores a version of the conditions if it is a new one. Version 1 were those before the first that this core knows.
    package func insertConditions(commit: String, at now: UTCTimestamp) throws {
        try db.run(
            """
            INSERT INTO usage_conditions (conditions_id, conditions_commit, created_at)
            VALUES ((SELECT coalesce(max(conditions_id), 1) + 1 FROM usage_conditions), ?, ?) ON CONFLICT (conditions_commit) DO NOTHING
            """, [commit, now.stored])
    }

    package func setConditionsNotified(_ id: UsageConditionsID, at now: UTCTimestamp) throws {
        try db.run("UPDATE usage_conditions SET notified_at = ? WHERE conditions_id = ?", [now.stored, id])
    }

    /// - Throws: `usageConditionsNotFound`, `operatorNotFound`.
    package func acceptConditions(_ id: UsageConditionsID, operators: [ServerOperatorID], automatically: Bool = false, at now: UTCTimestamp) throws {
        guard let accepted = try db.first(Self.conditionsColumns + " WHERE conditions_id = ?", [id], Self.conditions) else {
            throw Refusal.store(.usageConditionsNotFound)
        }
        let known = Set(try stored().compactMap(\.operatorID))
        for one in operators {
            guard known.contains(one) else { throw Refusal.store(.operatorNotFound(operatorID: one)) }
            try db.run(
                """
                INSERT INTO accepted_conditions (operator_id, conditions_commit, accepted_at, automatic) VALUES (?, ?, ?, ?)
                ON CONFLICT (operator_id, conditions_commit) DO NOTHING
                """, [one, accepted.conditionsCommit, now.stored, automatically])
        }
    }
}
