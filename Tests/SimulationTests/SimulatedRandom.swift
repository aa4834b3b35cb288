import SMPCrypto
import SMPWire
import Synchronization
import TestSupport

/// Random bytes that follow from a seed, faster than a cryptographic source of them.
final class SimulatedRandom: RandomSource {
    private let chance: Mutex<SplitMix64>

    init(seed: UInt64) { chance = Mutex(SplitMix64(seed: seed)) }

    func bytes(_ count: Int) -> Bytes {
        chance.withLock { chance in
            Bytes(unsafeUninitializedCapacity: count) { buffer, written in
                var start = 0
                while start < count {
                    withUnsafeBytes(of: chance.next()) { word in
                        let piece = min(8, count - start)
                        UnsafeMutableRawBufferPointer(buffer)[start..<start + piece].copyBytes(from: word.prefix(piece))
                    }
                    start += 8
                }
                written = count
            }
        }
    }
}
