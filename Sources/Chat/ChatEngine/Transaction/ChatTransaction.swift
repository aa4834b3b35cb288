import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire

/// One transaction of the chat store, and what must happen once it is on disk.
///
/// It lives as long as the closure that it is given to, on the store's writing queue. Features change the store over it, as in
/// `transaction.items.add(…)`.
final class ChatTransaction {
    let db: Database
    /// The time of the transaction.
    let time: TransactionTime
    let random: any RandomSource
    /// The profile of commands that name none; nil for the active one.
    let actor: UserID?
    /// The folders for files.
    let folders: FileFolders
    /// ``NativeCoreConfiguration/refusesPostsWithoutRelay``.
    let refusesPostsWithoutRelay: Bool
    var effects = Effects()

    init(
        _ db: Database, at time: TransactionTime, random: any RandomSource, actor: UserID? = nil, folders: FileFolders = FileFolders(),
        refusesPostsWithoutRelay: Bool = false
    ) {
        self.db = db
        self.time = time
        self.random = random
        self.actor = actor
        self.folders = folders
        self.refusesPostsWithoutRelay = refusesPostsWithoutRelay
    }

    /// The time that is shown.
    var now: UTCTimestamp { time.now }

    func emit(_ event: ChatEvent) { effects.events.append(event) }

    func emit(_ event: TerminalEvent) { emit(.terminalEvent(event: event)) }

    /// Tells of something that a member did wrong.
    func reportError(_ text: String, severity: String = "error", of user: User) {
        emit(.messageError(user: user, severity: severity, message: text))
    }

    /// Stores a job of the agent, which runs once the transaction is on disk.
    func enqueue(_ task: AgentJob.Task, connection: Bytes? = nil, user: User?) throws {
        let job = try db.jobs.insert(
            task, connection: connection, agentUserID: user.flatMap { Int64($0.agentUserID) }, user: user?.userID, at: now)
        effects.jobs.append(job)
    }

    /// Runs `body` in a savepoint. If it is refused, neither its changes nor its effects stay.
    func attempt<T>(_ body: () throws -> T) throws -> Result<T, Refusal> {
        let before = effects.mark
        do {
            return .success(try db.savepoint(body))
        } catch let refusal as Refusal {
            effects.cutBack(to: before)
            return .failure(refusal)
        }
    }

    /// An id under which both sides know a message.
    func newSharedMessageID() -> SharedMessageID { SharedMessageID(random.bytes(12)) }

    // MARK: Profiles

    /// The profile that the command is for.
    func user() throws -> User {
        if let actor {
            guard let user = try db.users.find(actor) else { throw Refusal.chat(.userUnknown) }
            return user
        }
        guard let user = try db.users.activeUser() else { throw Refusal.chat(.noActiveUser) }
        return user
    }

    /// The profile that the command is for, which must be the one that it names.
    func user(_ id: UserID?) throws -> User {
        let user = try user()
        if let id, id != user.userID {
            throw Refusal.chat(.differentActiveUser(commandUserID: id, activeUserID: user.userID))
        }
        return user
    }

    /// A profile by its id, whichever profile is active.
    func anyUser(_ id: UserID) throws -> User {
        guard let user = try db.users.find(id) else { throw Refusal.chat(.userUnknown) }
        return user
    }
}
