import Foundation

/// The environment variables that make the plan of a run longer, or repeat it.
enum PlanSettings {
    static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// The seed of `PARLEY_SEED`, or a drawn one.
    static func seed() -> UInt64 { text("PARLEY_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...99_999) }
}
