package import GRDB
import Synchronization

/// The pages of a new database in memory, copied for each new database.
///
/// Migrations run statement by statement, and each `ALTER TABLE` reads the whole schema again. With a template, a process with many databases in
/// memory, such as a test with many persons, runs the migrations once.
package final class DatabaseTemplate: Sendable {
    package let migrator: DatabaseMigrator
    private let migrated = Mutex<DatabaseQueue?>(nil)

    package init(_ migrator: DatabaseMigrator) { self.migrator = migrator }

    /// Copies the schema to an empty database in memory, as if the migrations had run on it.
    ///
    /// - Parameter configuration: The configuration of that database, with the functions that the migrations need.
    func apply(to queue: DatabaseQueue, _ configuration: Configuration) throws {
        let template = try migrated.withLock { migrated in
            if let migrated { return migrated }
            let template = try DatabaseQueue(configuration: configuration)
            try migrator.migrate(template)
            migrated = template
            return template
        }
        try template.backup(to: queue)
    }
}
