internal import ChatAPI
internal import Synchronization

/// The numbers of cases, by group. Handlers that run side by side have different ones, although the cases of each are stored when it has ended.
final class CaseNumbers: Sendable {
    private let next = Mutex<[GroupID: Int]>([:])

    /// - Parameters:
    ///   - stored: the next number as the record has it.
    ///   - take: gets the next number, and sets it to the one after those that it takes.
    func take<Result: Sendable>(in group: GroupID, from stored: Int, _ take: (inout Int) -> Result) -> Result {
        next.withLock { next in
            var number = max(stored, next[group] ?? stored)
            defer { next[group] = number }
            return take(&number)
        }
    }
}
