internal import COpenSSL
public import SMPWire
internal import Synchronization

/// A source of random bytes.
///
/// All code that needs randomness takes a source as a parameter, so that a test can replay a run from its seed.
public protocol RandomSource: Sendable {
    /// Returns the next `count` bytes of the source.
    func bytes(_ count: Int) -> Bytes
}

extension RandomSource {
    /// Returns the next `count` bytes, in memory that is zeroed after use.
    public func secret(_ count: Int) -> SecretBytes { SecretBytes(wiping: bytes(count)) }
}

/// OpenSSL's generator for secrets: AES-256 in counter mode (NIST SP 800-90A), one in each thread, seeded and reseeded by the
/// operating system.
package struct SystemRandomSource: RandomSource {
    package init() {}

    package func bytes(_ count: Int) -> Bytes {
        Bytes(count: count) { bytes in
            var done = 0
            while done < count {
                let piece = min(count - done, Int(Int32.max))
                precondition(RAND_priv_bytes(bytes + done, Int32(piece)) == 1, "the system provides no random bytes")
                done += piece
            }
        }
    }
}

/// A stream of bytes that depends only on its seed: for replaying tests, never for real keys.
///
/// The stream is SHA-512(seed || 0) || SHA-512(seed || 1) || …, with the counter as eight little-endian bytes. Concurrent
/// callers get disjoint pieces of it.
package final class SeededRandomSource: RandomSource {
    private struct State: Sendable {
        var block = Bytes()
        var used = 0
        var counter: UInt64 = 0
    }

    private let seed: Bytes
    private let state = Mutex(State())

    package init(seed: Bytes) { self.seed = seed }

    /// Creates a source whose seed is the eight little-endian bytes of a number.
    package convenience init(seed: UInt64) {
        self.init(seed: withUnsafeBytes(of: seed.littleEndian) { Bytes($0) })
    }

    package func bytes(_ count: Int) -> Bytes {
        state.withLock { state in
            var bytes = Bytes()
            bytes.reserveCapacity(count)
            while bytes.count < count {
                if state.used == state.block.count {
                    state.block = Hash.sha512(seed + withUnsafeBytes(of: state.counter.littleEndian) { Bytes($0) })
                    state.counter += 1
                    state.used = 0
                }
                let piece = min(count - bytes.count, state.block.count - state.used)
                bytes += state.block[state.used..<state.used + piece]
                state.used += piece
            }
            return bytes
        }
    }
}
