import TestSupport

/// When which process is killed during an exchange: all of it follows from a seed.
struct KillPlan: Sendable, Hashable, CustomStringConvertible {
    enum Victim: String, Sendable, Hashable, CaseIterable {
        case bot, router, both
    }

    struct Kill: Sendable, Hashable {
        let victim: Victim
        /// The kill is due once this many messages were sent and the victim of the kill before runs again,
        let afterMessages: Int
        /// and this many milliseconds have passed since: often within the start of the victim, or within its catching up.
        let delay: Int
        /// How long the victim stays dead, in milliseconds.
        let downtime: Int
    }

    let seed: UInt64
    let messages: Int
    let kills: [Kill]

    init(seed: UInt64, messages: Int, kills: Int) {
        var random = SplitMix64(seed: seed)
        self.seed = seed
        self.messages = messages
        let moments = (0..<kills).map { _ in Int.random(in: 1...max(1, messages), using: &random) }.sorted()
        self.kills = moments.map { moment in
            // Every second victim is the bot: it has more states to die in.
            let victim: Victim = Bool.random(using: &random) ? .bot : [.router, .router, .both].randomElement(using: &random) ?? .router
            return Kill(
                victim: victim, afterMessages: moment, delay: Int.random(in: 0...400, using: &random),
                downtime: Int.random(in: 0...150, using: &random))
        }
    }

    var description: String { "PARLEY_SEED=\(seed), \(messages) steps, PARLEY_KILLS=\(kills.count)" }
}
