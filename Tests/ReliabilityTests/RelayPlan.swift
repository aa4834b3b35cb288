import Foundation
import TestSupport

/// When a relay is killed while the owner of a channel posts: all of it follows from a seed.
struct RelayPlan: Sendable, CustomStringConvertible {
    /// The end of the relay's process.
    struct Kill: Sendable, Hashable {
        /// The kill is due once this many posts were sent and the relay runs again after the kill before,
        let afterPosts: Int
        /// and this many milliseconds have passed since.
        let delay: Int
        /// How long the relay stays dead, in milliseconds.
        let downtime: Int
        /// The milliseconds after which the next process is killed while it starts; nil lets it run.
        let again: Int?
    }

    let seed: UInt64
    let posts: Int
    let subscribers: Int
    let kills: [Kill]

    init(seed: UInt64, posts: Int, subscribers: Int, kills: Int) {
        var random = SplitMix64(seed: seed)
        (self.seed, self.posts, self.subscribers) = (seed, posts, subscribers)
        let moments = (0..<kills).map { _ in Int.random(in: 1...max(1, posts), using: &random) }.sorted()
        self.kills = moments.map { moment in
            Kill(
                afterPosts: moment, delay: Int.random(in: 0...400, using: &random), downtime: Int.random(in: 0...150, using: &random),
                again: Int.random(in: 0...3, using: &random) == 0 ? Int.random(in: 0...300, using: &random) : nil)
        }
    }

    /// The plan of `PARLEY_SEED`, `PARLEY_POSTS`, `PARLEY_SUBSCRIBERS` and `PARLEY_KILLS`; without a seed one is drawn.
    static func fromEnvironment() -> RelayPlan {
        return RelayPlan(
            seed: PlanSettings.seed(), posts: PlanSettings.number("PARLEY_POSTS") ?? 40, subscribers: PlanSettings.number("PARLEY_SUBSCRIBERS") ?? 4,
            kills: PlanSettings.number("PARLEY_KILLS") ?? 4)
    }

    var description: String {
        "PARLEY_SEED=\(seed), PARLEY_POSTS=\(posts), PARLEY_SUBSCRIBERS=\(subscribers), PARLEY_KILLS=\(kills.count)"
    }
}
