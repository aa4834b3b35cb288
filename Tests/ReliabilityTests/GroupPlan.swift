import TestSupport

/// What happens in a group of five while its members and the router are killed: all of it follows from a seed.
struct GroupPlan: Sendable, CustomStringConvertible {
    /// A change of the members.
    enum Change: Sendable, Hashable {
        /// A guest joins by the link.
        case join(guest: Int)
        /// The owner removes a guest.
        case remove(guest: Int)
        /// A guest leaves.
        case leave(guest: Int)
        /// The owner gives one of the others another role.
        case role(member: Int, String)
    }

    /// A victim and how long it stays dead.
    struct Kill: Sendable, Hashable {
        /// The number of a member; nil for the router.
        let member: Int?
        /// Milliseconds.
        let delay, downtime: Int
    }

    /// The members who are there from the beginning to the end.
    static let members = 5

    let seed: UInt64
    /// Messages of all members together.
    let messages: Int
    /// How many messages each member sends.
    let shares: [Int]
    let guests: Int
    /// What happens besides, in order, each once so many messages were sent.
    let changes: [(afterMessages: Int, change: Change)]
    let kills: [(afterMessages: Int, kill: Kill)]

    /// - Parameters:
    ///   - mayDie: Tells whether a member may be killed.
    init(seed: UInt64, messages: Int, kills: Int, mayDie: (Int) -> Bool = { _ in true }) {
        var random = SplitMix64(seed: seed)
        self.seed = seed
        self.messages = messages
        var shares = Array(repeating: 0, count: Self.members)
        for _ in 0..<messages { shares[Int.random(in: 0..<Self.members, using: &random)] += 1 }
        self.shares = shares
        let guests = max(1, messages / 60)
        self.guests = guests
        func moment(_ part: Int, of parts: Int) -> Int {
            let length = messages / max(1, parts)
            return part * length + Int.random(in: 0...max(1, length / 2), using: &random)
        }
        var changes: [(Int, Change)] = []
        for guest in 0..<guests {
            let begin = moment(guest, of: guests), end = min(messages - 1, begin + messages / max(1, 3 * guests) + 1)
            changes.append((begin, .join(guest: guest)))
            // Some stay.
            switch Int.random(in: 0...3, using: &random) {
            case 0: break
            case 1: changes.append((end, .leave(guest: guest)))
            default: changes.append((end, .remove(guest: guest)))
            }
        }
        for part in 0..<max(2, messages / 40) {
            let role = ["member", "moderator", "admin"].randomElement(using: &random) ?? "member"
            changes.append((moment(part, of: max(2, messages / 40)), .role(member: Int.random(in: 1..<Self.members, using: &random), role)))
        }
        self.changes = changes.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map { ($0.element.0, $0.element.1) }
        let victims = (0..<Self.members).filter(mayDie)
        self.kills = (0..<kills).map { part in
            let member = Int.random(in: 0...3, using: &random) == 0 ? nil : victims.randomElement(using: &random)
            let kill = Kill(member: member, delay: Int.random(in: 0...400, using: &random), downtime: Int.random(in: 0...300, using: &random))
            return (moment(part, of: kills), kill)
        }.sorted { $0.0 < $1.0 }
    }

    var description: String { "PARLEY_SEED=\(seed), \(messages) messages, \(changes.count) changes, PARLEY_KILLS=\(kills.count)" }
}
