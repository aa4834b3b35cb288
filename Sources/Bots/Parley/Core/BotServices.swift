internal import ChatAPI
internal import ChatModel
internal import Foundation
internal import Synchronization

/// The parts of a running bot that the contexts of its handlers share.
final class BotServices: Sendable {
    let store: BotStateStore
    let time: BotTime
    let timers: TimerDispatcher
    let directory: BotDirectory
    let dialogues: DialogueTable
    let trust: TrustRegistry
    /// The groups and channels that the bot declares.
    let declaredChats: [DeclaredChat]
    /// The commands of the menus, with those that are not in one.
    let commands: [CommandHelp]
    /// The calls that wait for a message.
    let replies = ReplyWaiters()
    let locks: ChangeLocks
    let caseNumbers = CaseNumbers()
    /// The fixed texts of the framework.
    let texts: BotTexts
    /// The pace of what is sent.
    let pacer: SendingPacer
    /// True if received files are encrypted on the disk.
    let encryptsFiles: Bool
    /// Takes the effects instead of the core; nil if they happen.
    let dryRun: DryRun?

    init(
        store: BotStateStore, time: BotTime, timers: TimerDispatcher, directory: BotDirectory, dialogues: DialogueTable, trust: TrustRegistry,
        declaredChats: [DeclaredChat] = [], commands: [CommandHelp], texts: BotTexts = BotTexts(),
        pacer: SendingPacer, locks: ChangeLocks, encryptsFiles: Bool = false, dryRun: DryRun? = nil
    ) {
        self.locks = locks
        self.encryptsFiles = encryptsFiles
        self.dryRun = dryRun
        self.pacer = pacer
        self.store = store
        self.time = time
        self.timers = timers
        self.directory = directory
        self.dialogues = dialogues
        self.trust = trust
        self.declaredChats = declaredChats
        self.commands = commands
        self.texts = texts
    }

    /// Stores changes and that an event is handled. The dialogues in memory change in the order in which changes are stored.
    func commit(_ batch: HandlerChanges.Batch, _ mark: HandledMark, of user: UserID) async throws {
        try await store.commit(batch, mark, of: user) { [dialogues] in dialogues.apply(batch) }
        if !batch.timers.isEmpty || !batch.forgotten.isEmpty { timers.wake() }
    }
}

/// The running bots of a process.
final class BotDirectory: Sendable {
    typealias Maker = @Sendable (_ event: String?) -> BotClient
    private let makers = Mutex<[String: Maker]>([:])

    func add(_ id: String, _ maker: @escaping Maker) { makers.withLock { $0[id] = maker } }

    /// - Parameter event: the event whose handler asks: what it sends through the other bot is sent once.
    func client(_ id: String, event: String?) -> BotClient? { makers.withLock { $0[id] }?(event) }
}

/// The dialogues of a bot that are open, in memory: triggers look for them without waiting.
final class DialogueTable: Sendable {
    private let records: Mutex<[String: DialogueRecord]>

    init(_ records: [String: DialogueRecord] = [:]) { self.records = Mutex(records) }

    func record(of scope: String, at time: Date) -> DialogueRecord? {
        records.withLock { records in records[scope].flatMap { record in record.expires.map { $0 > time } ?? true ? record : nil } }
    }

    /// The record of a dialogue, also of one that has expired.
    func expired(_ scope: String) -> DialogueRecord? { records.withLock { $0[scope] } }

    func apply(_ changes: HandlerChanges.Batch) {
        records.withLock { records in
            for scope in changes.forgotten { records[scope] = nil }
            for (scope, record) in changes.dialogues { records[scope] = record }
        }
    }
}
