import SMPWire
import TestSupport

extension Bytes {
    /// All beginnings of the bytes but the bytes themselves; of long input some of them.
    var truncations: [Bytes] {
        let step = Swift.max(1, count / 400)
        return stride(from: 0, to: count, by: step).map { Bytes(prefix($0)) }
    }

    /// The bytes with a few of them changed, left out or doubled.
    func garbled(_ random: inout SplitMix64) -> Bytes {
        var result = self
        for _ in 0..<Int.random(in: 1...4, using: &random) where !result.isEmpty {
            let index = Int.random(in: result.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: result[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: result.remove(at: index)
            default: result.insert(contentsOf: result[index...].prefix(8), at: index)
            }
        }
        return result
    }
}
