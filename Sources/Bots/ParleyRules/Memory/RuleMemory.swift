internal import Parley

/// Everything that rules remember of one person, one chat or the whole bot.
///
/// A value: the runner stores it with the progress of the event, and tests keep it in memory.
struct RuleMemory: StoredState, Hashable {
    static let stateName = "parley.rules"

    /// Points that a rule has given to somebody.
    typealias Warning = ModerationWarning

    /// Rules that are remembered at the most; those that applied longest ago are forgotten first.
    static let maximumRuns = 1_000
    /// Warnings that are remembered at the most; the oldest are forgotten first.
    static let maximumWarnings = ModerationWarning.maximumCount

    /// The time at which each rule applied last, by its key, in seconds since 1970.
    private(set) var runs: [String: Double] = [:]
    /// The warnings, the oldest first.
    private(set) var warnings: [Warning] = []
    /// The question that the person has to answer; nil for none.
    var captcha: CaptchaProgress?

    /// True if a rule may apply.
    func admits(_ rule: RuleSpec, at now: Double) -> Bool {
        guard let repetition = rule.repetition, let last = runs[rule.memoryKey] else { return true }
        guard let pause = repetition.pause else { return false }
        // A clock that was set back must not silence a rule for longer than its pause.
        return now - last >= pause || last - now > pause
    }

    /// The points that count at a time.
    func points(at now: Double) -> Int { warnings.points(at: now) }

    /// Applies a change that may be stored already, or be older than the stored one.
    mutating func anticipate(_ change: MemoryChange) {
        switch change {
        case .ran(let key, let time): if runs[key].map({ $0 >= time }) ?? false { return }
        case .warned(let warning, _): if warnings.contains(where: { $0.number == warning.number }) { return }
        case .forgiven, .revoked, .asked: break
        }
        apply(change)
    }

    mutating func apply(_ change: MemoryChange) {
        switch change {
        case .ran(let key, let now):
            runs[key] = now
            guard runs.count > Self.maximumRuns, let oldest = runs.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
            runs[oldest.key] = nil
        case .warned(let warning, let now): warnings.warn(warning, at: now)
        case .forgiven(let known): warnings.forgive(known)
        case .revoked(let number): warnings.revoke(number)
        case .asked(let progress): captcha = progress
        }
    }
}

/// A change of the memory. It can be applied to another value again when two handlers change the same value concurrently.
enum MemoryChange: Sendable, Hashable {
    case ran(String, at: Double)
    case warned(RuleMemory.Warning, at: Double)
    /// The warnings that there were are taken back.
    case forgiven([RuleMemory.Warning])
    case revoked(Int)
    case asked(CaptchaProgress?)
}

/// The names under which the memories of one event are found.
struct MemoryScopes: Sendable, Hashable {
    /// The person who wrote or acted.
    var person: String
    /// The member whom moderating actions concern.
    var target: String
    var chat: String
    static let bot = ""

    func name(_ scope: Repetition.Scope) -> String {
        switch scope {
        case .person: person
        case .chat: chat
        case .bot: Self.bot
        }
    }
}

extension RuleSpec {
    /// The key under which an application of the rule is stored. An audited application has another key, and does not use up the rule.
    var memoryKey: String { mode == .audit ? "audit/\(label)" : label }
}
