import Foundation
import TestSupport

/// When which process is killed while files are transferred: all of it follows from a seed.
struct FilePlan: Sendable, CustomStringConvertible {
    enum Victim: String, Sendable, CaseIterable { case sender, receiver, router }

    struct Kill: Sendable {
        let victim: Victim
        /// The kill is due once this many files were offered and the victim of the kill before runs again,
        let afterFiles: Int
        /// and this many milliseconds have passed since.
        let delay: Int
        /// Milliseconds.
        let downtime: Int
    }

    let seed: UInt64
    /// Bytes of each file.
    let sizes: [Int]
    let kills: [Kill]

    init(seed: UInt64, transfers: Int, kills: Int) {
        var random = SplitMix64(seed: seed)
        self.seed = seed
        sizes = (0..<transfers).map { _ in Int.random(in: 1...(3 << 20), using: &random) }
        let moments = (0..<kills).map { _ in Int.random(in: 1...max(1, transfers), using: &random) }.sorted()
        self.kills = moments.map { moment in
            Kill(
                victim: Victim.allCases.randomElement(using: &random) ?? .router, afterFiles: moment, delay: Int.random(in: 0...600, using: &random),
                downtime: Int.random(in: 0...300, using: &random))
        }
    }

    /// The plan of `PARLEY_SEED`, `PARLEY_TRANSFERS` and `PARLEY_KILLS`; without a seed one is drawn.
    static func fromEnvironment() -> FilePlan {
        return FilePlan(seed: PlanSettings.seed(), transfers: PlanSettings.number("PARLEY_TRANSFERS") ?? 5, kills: PlanSettings.number("PARLEY_KILLS") ?? 5)
    }

    var description: String { "PARLEY_SEED=\(seed), PARLEY_TRANSFERS=\(sizes.count), PARLEY_KILLS=\(kills.count)" }
}
