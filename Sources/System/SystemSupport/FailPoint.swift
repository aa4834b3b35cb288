internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A place where the end of the process would leave incomplete work: between an operation on disk or on the network and the next one.
///
/// Tests end the process there: `PARLEY_FAIL_POINT=journal.write:3` kills it, as `kill -9` does, when it reaches that place for the third
/// time. Without the variable, a place costs the reading of one constant.
package enum FailPoint: String, CaseIterable, Sendable {
    /// A transaction of any database, before and after its commit.
    case databaseCommit = "database.commit"
    case databaseCommitted = "database.committed"
    /// A database is open, and backed up if it is of an older version, before and after its migrations.
    case databaseMigrate = "database.migrate"
    case databaseMigrated = "database.migrated"
    /// A change of key: a database is copied, the change is decided, a copy has replaced its original.
    case keyCopied = "key.copied"
    case keyDecided = "key.decided"
    case keyReplaced = "key.replaced"
    /// The identity of a data folder: the manifest records a change in progress, a part is marked, the manifest records that the change is done.
    case folderProposed = "folder.proposed"
    case folderMarked = "folder.marked"
    case folderRaised = "folder.raised"
    /// A backup: a part is copied, and all parts are copied, before the manifest that completes it.
    case backupCopied = "backup.copied"
    case backupFilled = "backup.filled"
    /// A restore: the copy is beside the folder's parts, the restore is decided, a part has been moved.
    case restoreCopied = "restore.copied"
    case restoreDecided = "restore.decided"
    case restoreMoved = "restore.moved"
    /// A router has created a queue with its link, has deleted a queue, or has the data of a link, which is not stored yet.
    case agentQueueMade = "agent.queueMade"
    case agentQueueDeleted = "agent.queueDeleted"
    case agentLinkSet = "agent.linkSet"
    /// A stored command is about to be executed: joining, accepting, moving a queue.
    case agentCommand = "agent.command"
    /// A step of a connection is stored, and its effects have not begun.
    case agentStored = "agent.stored"
    /// A message for a peer's queue, before it is sent and when the router has accepted it.
    case agentSend = "agent.send"
    case agentSent = "agent.sent"
    /// Acknowledgements to a router, before they are sent and when they are answered.
    case agentAcknowledge = "agent.acknowledge"
    case agentAcknowledged = "agent.acknowledged"
    /// A received event is in the chat store; then it is announced, and not acknowledged yet.
    case chatStored = "chat.stored"
    case chatAnnounced = "chat.announced"
    /// A relay's agent has a body for one bucket of members, and the cursor has not moved; then a body is delivered to all and its job deleted.
    case relayBucketGiven = "relay.bucketGiven"
    case relayJobFinished = "relay.jobFinished"
    /// A bot's handler has run, which is not stored yet.
    case botHandled = "bot.handled"
    /// The router has changed its state, and the change is not on disk.
    case routerExecuted = "router.executed"
    /// Answers of the router, before they are sent.
    case routerAnswer = "router.answer"
    /// The router's journal, before and after a write, and before and after a synchronization.
    case journalWrite = "journal.write"
    case journalWritten = "journal.written"
    case journalSynchronize = "journal.synchronize"
    case journalSynchronized = "journal.synchronized"

    /// The name of the environment variable.
    package static let variable = "PARLEY_FAIL_POINT"

    /// Passes the place, which ends the process if the place is armed and the count is reached.
    @inlinable @inline(__always)
    package func pass() { if let armed = Self.armed { armed.pass(self) } }

    /// The armed place, read from the environment when the first place is passed.
    package static let armed: ArmedFailPoint? = getenv(variable).flatMap { ArmedFailPoint(String(cString: $0)) }
}

/// The place where this process ends.
package final class ArmedFailPoint: Sendable {
    private let point: FailPoint
    private let left: Atomic<Int>

    /// Reads `name:count`; nil for other texts.
    init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let point = FailPoint(rawValue: String(parts[0])), let count = Int(parts[1]), count > 0 else { return nil }
        self.point = point
        left = Atomic(count)
    }

    package func pass(_ point: FailPoint) {
        guard point == self.point, left.subtract(1, ordering: .relaxed).newValue == 0 else { return }
        _ = kill(getpid(), SIGKILL)
        // No code runs after this.
        while true { _ = pause() }
    }
}
