import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPCrypto
import SMPWire

/// A feature of the engine within one transaction. Features are made where they are used, as in `transaction.items.add(…)`, and hold nothing but the transaction.
protocol TransactionFeature {
    var transaction: ChatTransaction { get }
}

extension TransactionFeature {
    var db: Database { transaction.db }
    /// The time that is shown.
    var now: UTCTimestamp { transaction.now }
    var time: TransactionTime { transaction.time }
    var random: any RandomSource { transaction.random }
    /// The folders for files.
    var folders: FileFolders { transaction.folders }

    func emit(_ event: ChatEvent) { transaction.emit(event) }

    func emit(_ event: TerminalEvent) { transaction.emit(event) }

    /// Tells of something that a member did wrong.
    func reportError(_ text: String, severity: String = "error", of user: User) {
        transaction.reportError(text, severity: severity, of: user)
    }

    /// Stores a job of the agent, which runs once the transaction is on disk.
    func enqueue(_ task: AgentJob.Task, connection: Bytes? = nil, user: User?) throws {
        try transaction.enqueue(task, connection: connection, user: user)
    }

    /// Runs `body` in a savepoint. If it is refused, neither its changes nor its effects stay.
    func attempt<T>(_ body: () throws -> T) throws -> Result<T, Refusal> { try transaction.attempt(body) }

    /// An id under which both sides know a message.
    func newSharedMessageID() -> SharedMessageID { transaction.newSharedMessageID() }
}
