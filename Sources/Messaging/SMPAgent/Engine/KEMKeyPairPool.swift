import SMPCrypto
import SMPRatchet
import Synchronization

/// KEM key pairs made ahead in the background, because making one takes longer than all else in a message.
final class KEMKeyPairPool: KEMKeySource {
    private struct Inner {
        var pairs: [SNTRUP761.KeyPair] = []
        var isFilling = false
        var isRunning = false
    }

    private let capacity: Int
    private let random: any RandomSource
    private let inner = Mutex(Inner())

    init(capacity: Int, random: any RandomSource) {
        self.capacity = capacity
        self.random = random
    }

    /// Begins to fill the pool.
    func start() {
        inner.withLock { $0.isRunning = true }
        refill()
    }

    /// Stops filling it.
    func stop() { inner.withLock { $0.isRunning = false } }

    /// A pair made ahead, or else a new one.
    func keyPair() -> SNTRUP761.KeyPair {
        let pair = inner.withLock { $0.pairs.popLast() }
        refill()
        return pair ?? SNTRUP761.generateKeyPair(random)
    }

    /// Key pairs that are ready.
    var count: Int { inner.withLock { $0.pairs.count } }

    private func refill() {
        let begins = inner.withLock { inner in
            guard inner.isRunning, !inner.isFilling, inner.pairs.count < capacity else { return false }
            inner.isFilling = true
            return true
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [self] in
            while inner.withLock({ $0.isRunning && $0.pairs.count < capacity }) {
                let pair = SNTRUP761.generateKeyPair(random)
                inner.withLock { $0.pairs.append(pair) }
                await Task.yield()
            }
            inner.withLock { $0.isFilling = false }
        }
    }
}
