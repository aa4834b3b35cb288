import EncryptedSQLite
import GRDB

@testable import EncryptedSQLite
@testable import RouterSupport
@testable import SMPAgent

/// A party's disk, which outlives its processes.
protocol SimulatedStorage: Sendable {
    /// The store as a new process finds it.
    ///
    /// - Parameter scheduler: decides when it reads and writes.
    func open(interceptor: any StoreInterceptor, runtime: AgentRuntime, scheduler: @escaping DatabaseFile.Scheduler) -> any AgentStorage
    /// Rows by table.
    func remains() throws -> [String: Int]
}

/// The agent's own SQL, on a database in memory.
struct SQLStorage: SimulatedStorage {
    let file: DatabaseFile

    init() throws { file = try DatabaseFile(path: nil, label: "agent", migrator: AgentSchema.migrator) }

    func open(interceptor: any StoreInterceptor, runtime: AgentRuntime, scheduler: @escaping DatabaseFile.Scheduler) -> any AgentStorage {
        AgentStore(DatabaseFile(reopening: file, scheduler: scheduler), interceptor: interceptor, runtime: runtime)
    }

    func remains() throws -> [String: Int] {
        try file.database.read { database in
            var remains: [String: Int] = [:]
            for table in MemoryTables().counts.keys { remains[table] = try Int(database.number("SELECT COUNT(*) FROM \(table)") ?? 0) }
            return remains
        }
    }
}

/// Tables without SQL.
struct MemoryStorage: SimulatedStorage {
    private let disk = MemoryDisk()

    func open(interceptor: any StoreInterceptor, runtime: AgentRuntime, scheduler: @escaping DatabaseFile.Scheduler) -> any AgentStorage {
        MemoryAgentStore(MemoryDatabase(disk, scheduler: scheduler), interceptor: interceptor, runtime: runtime)
    }

    func remains() -> [String: Int] { disk.read { $0.counts } }
}
