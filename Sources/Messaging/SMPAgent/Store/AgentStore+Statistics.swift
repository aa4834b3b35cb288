import GRDB
import SMPProtocol
import SMPWire

extension AgentStore {
    /// The counts for routers, and their start (milliseconds since 1970); nil if nothing was counted.
    func statistics() async throws -> (servers: [AgentServerKey: ServerStatistics], startedAt: Int64)? {
        try await read { database in
            guard let start = try database.row("SELECT started_at FROM statistics_start") else { return nil }
            var servers: [AgentServerKey: ServerStatistics] = [:]
            for row in try database.rows("SELECT * FROM server_statistics") {
                // One of a later version is nothing to us.
                guard let counter = ServerCounter(rawValue: row["counter"]) else { continue }
                let key = AgentServerKey(user: row["user_id"], server: try serverAddress(row))
                servers[key, default: ServerStatistics()][counter] = try row.number("value", in: StoredBounds.statistics)
            }
            return (servers, try start.number("started_at", in: StoredBounds.times))
        }
    }

    /// Replaces the stored counters.
    func setStatistics(_ servers: [AgentServerKey: ServerStatistics], startedAt: Int64) async throws {
        try await write { database in
            try database.run("DELETE FROM statistics_start")
            try database.run("INSERT INTO statistics_start (started_at) VALUES (?)", startedAt)
            try database.run("DELETE FROM server_statistics")
            for (key, statistics) in servers {
                for counter in ServerCounter.allCases where statistics[counter] != 0 {
                    try database.run(
                        "INSERT INTO server_statistics (user_id, address, counter, value) VALUES (?, ?, ?, ?)", key.user,
                        key.server.wireString, counter.rawValue, statistics[counter])
                }
            }
        }
    }
}
