import Foundation
import GRDB
import ProcessSupport
import Testing

/// The work of a relay as its database has it while the relay is dead.
struct RelayLedger: Sendable, CustomStringConvertible {
    struct Job: Sendable, Hashable {
        let id, cursor: Int64
    }

    /// Posts that are stored.
    let posts: Int
    /// Messages that were ever kept to be passed on, and bodies that were ever made of them.
    let tasks, jobs: Int64
    /// Those that are not passed on yet, oldest first.
    let waitingTasks: [Int64]
    let waitingJobs: [Job]

    var isIdle: Bool { waitingTasks.isEmpty && waitingJobs.isEmpty }

    /// Reads a copy of the database of a process that does not run.
    init(copying database: String) throws {
        let folder = try ScratchFolder("relay-ledger")
        defer { folder.remove() }
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: folder("copy.db" + suffix))
        }
        self = try DatabaseQueue(path: folder("copy.db")).read { db in
            func last(_ table: String) throws -> Int64 {
                try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table]) ?? 0
            }
            return RelayLedger(
                posts: try Int.fetchOne(db, sql: "SELECT count(*) FROM chat_items WHERE item_text LIKE 'post %'") ?? 0,
                tasks: try last("relay_tasks"), jobs: try last("relay_jobs"),
                waitingTasks: try Int64.fetchAll(db, sql: "SELECT task_id FROM relay_tasks ORDER BY task_id"),
                waitingJobs: try Row.fetchAll(db, sql: "SELECT job_id, cursor FROM relay_jobs ORDER BY job_id").map { Job(id: $0[0], cursor: $0[1]) })
        }
    }

    private init(posts: Int, tasks: Int64, jobs: Int64, waitingTasks: [Int64], waitingJobs: [Job]) {
        (self.posts, self.tasks, self.jobs, self.waitingTasks, self.waitingJobs) = (posts, tasks, jobs, waitingTasks, waitingJobs)
    }

    /// Checks that nothing is lost or skipped, and that no work goes back behind where it was.
    ///
    /// - Parameters:
    ///   - first: The state before the first post.
    ///   - previous: The state at the death before.
    func expectProgress(since first: RelayLedger, previous: RelayLedger, _ plan: RelayPlan) {
        let states = "\(plan): \(previous) → \(self)"
        // What was acknowledged is stored; it is stored together with the task to pass it on.
        #expect(posts >= previous.posts && tasks >= previous.tasks && jobs >= previous.jobs, "\(states)")
        #expect(tasks - first.tasks == Int64(posts - first.posts), "\(states)")
        // The oldest ones are done first, none is left out.
        #expect(waitingTasks == Array((tasks - Int64(waitingTasks.count) + 1)..<(tasks + 1)), "\(states)")
        #expect(waitingJobs.map(\.id) == Array((jobs - Int64(waitingJobs.count) + 1)..<(jobs + 1)), "\(states)")
        #expect(waitingTasks.count <= previous.waitingTasks.count + Int(tasks - previous.tasks), "\(states)")
        for job in previous.waitingJobs {
            guard let now = waitingJobs.first(where: { $0.id == job.id }) else { continue }
            #expect(now.cursor >= job.cursor, "\(states)")
        }
    }

    var description: String { "\(posts) posts, tasks \(tasks) (\(waitingTasks.count) wait), jobs \(jobs) (\(waitingJobs) wait)" }
}
