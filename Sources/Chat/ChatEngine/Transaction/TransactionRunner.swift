import ChatAPI
import ChatStore
import GRDB
import SMPCrypto

/// Runs transactions on the chat store and dispatches their effects once they are on disk.
final class TransactionRunner: Sendable {
    let store: ChatStore
    let clock: EngineClock
    let random: any RandomSource
    let folders: FileFolders
    private let refusesPostsWithoutRelay: Bool
    private let effects: any EffectDispatching

    init(
        store: ChatStore, clock: EngineClock, random: any RandomSource, folders: FileFolders, refusesPostsWithoutRelay: Bool = false,
        effects: any EffectDispatching
    ) {
        self.refusesPostsWithoutRelay = refusesPostsWithoutRelay
        self.store = store
        self.clock = clock
        self.random = random
        self.folders = folders
        self.effects = effects
    }

    /// Passes on effects whose transaction was committed by other means than this runner's.
    func dispatch(_ committed: Effects) { effects.dispatch(committed) }

    /// Runs `body` as a transaction on a connection to the database that is already in one.
    ///
    /// - Returns: The result and the effects, which the caller dispatches after the commit.
    func perform<T>(
        on db: Database, as actor: UserID? = nil, at time: TransactionTime, _ body: (ChatTransaction) throws -> T
    ) throws -> (value: T, effects: Effects) {
        let transaction = ChatTransaction(db, at: time, random: random, actor: actor, folders: folders, refusesPostsWithoutRelay: refusesPostsWithoutRelay)
        let value = try body(transaction)
        return (value, transaction.effects)
    }

    /// Runs a transaction and returns once it is on disk and its effects are dispatched.
    ///
    /// - Parameters:
    ///   - actor: The profile of commands that name none; nil for the active one.
    ///   - isPersistent: Whether the transaction waits for a failing disk to recover: for work that nobody would request again.
    func transaction<T: Sendable>(
        as actor: UserID? = nil, isPersistent: Bool = false, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws(ChatCoreError) -> T {
        let time = clock.time
        do {
            return try await store.write(
                isPersistent: isPersistent, { [self] db in try perform(on: db, as: actor, at: time, body) },
                afterCommit: { [self] in dispatch($0.effects) }
            ).value
        } catch {
            throw ChatCoreError(thrown: error)
        }
    }

    /// Enqueues a transaction behind those submitted earlier, without waiting for it.
    ///
    /// - Parameter completion: Receives the result in commit order, after the effects are dispatched.
    func submit<T: Sendable>(
        as actor: UserID?, _ body: @escaping @Sendable (ChatTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, ChatCoreError>) -> Void
    ) {
        let time = clock.time
        store.submit(
            { [self] db in try perform(on: db, as: actor, at: time, body) },
            completion: { [self] result in
                if case .success(let committed) = result { dispatch(committed.effects) }
                completion(result.map(\.value).mapError { ChatCoreError(thrown: $0) })
            })
    }

    /// Runs queries on the last commit. Events that they emit are published; the database refuses writes.
    ///
    /// - Parameter isLong: Whether the queries read a large part of a table.
    func query<T: Sendable>(
        as actor: UserID? = nil, isLong: Bool = false, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws(ChatCoreError) -> T {
        let time = clock.time
        do {
            let (value, emitted) = try await store.read(isLong: isLong) { [self] db in try perform(on: db, as: actor, at: time, body) }
            dispatch(emitted)
            return value
        } catch {
            throw ChatCoreError(thrown: error)
        }
    }
}
