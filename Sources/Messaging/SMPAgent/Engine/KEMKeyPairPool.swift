import SMPCrypto
import SMPRatchet
import Synchronization

/// KEM key pairs made ahead in the background, because making one takes longer than all else in a message.
///
/// The pool is empty until the first pair is asked for, so that an agent that needs none makes none, and each time it runs low it is
/// filled further, up to the capacity: pairs that are made together cost a fraction of single ones, and few are made without use.
final class KEMKeyPairPool: RatchetKeySource {
    private struct Inner {
        var pairs: [SNTRUP761.KeyPair] = []
        /// The number of pairs that the next filling aims at.
        var target: Int
        var isFilling = false
        var isStopped = false

        /// Begins to fill if the pool is low, which it is by half, so that a batch is worth its name.
        ///
        /// - Returns: the pairs to make; nil to make none.
        mutating func nextBatch(_ capacity: Int) -> Int? {
            guard !isStopped, target > 0, pairs.count <= target / 2 else { return nil }
            defer { target = min(2 * target, capacity) }
            return target - pairs.count
        }
    }

    private let capacity: Int
    private let random: any RandomSource
    private let inner: Mutex<Inner>

    /// - Parameter capacity: pairs that are kept at most; 0 to make each when it is asked for.
    init(capacity: Int, random: any RandomSource) {
        self.capacity = max(0, capacity)
        self.random = random
        inner = Mutex(Inner(target: min(4, self.capacity)))
    }

    /// A pair made ahead, or else a new one.
    func kemKeyPair() -> SNTRUP761.KeyPair {
        let (pair, batch) = inner.withLock { inner -> (SNTRUP761.KeyPair?, Int?) in
            let pair = inner.pairs.popLast()
            guard !inner.isFilling, let batch = inner.nextBatch(capacity) else { return (pair, nil) }
            inner.isFilling = true
            return (pair, batch)
        }
        if let batch { Task.detached(priority: .utility) { [self] in await fill(batch) } }
        return pair ?? SNTRUP761.generateKeyPair(random)
    }

    /// Makes no more ahead.
    func stop() { inner.withLock { $0.isStopped = true } }

    /// Key pairs that are ready.
    var count: Int { inner.withLock { $0.pairs.count } }

    private func fill(_ first: Int) async {
        var batch: Int? = first
        while let count = batch {
            let pairs = SNTRUP761.generateKeyPairs(count: count, random)
            batch = inner.withLock { inner in
                inner.pairs += pairs
                let next = inner.nextBatch(capacity)
                inner.isFilling = next != nil
                return next
            }
            await Task.yield()
        }
    }
}
