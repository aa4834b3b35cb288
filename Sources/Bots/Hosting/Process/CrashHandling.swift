internal import CCrashSignals
internal import Foundation

/// The end of a crashing process, and the traces that it leaves.
///
/// The Swift runtime would keep a crashed process, with its ports and the locks of its folders, for as long as it takes to print a backtrace:
/// minutes for a large program. A bot is to be started again at once. So a process of ours that crashes writes one line and is gone, and
/// leaves no core dump, in which keys and messages would be. To look for a fault, set `SWIFT_BACKTRACE=enable=yes`: then everything is as
/// the runtime and the system have it.
package enum CrashHandling {
    /// The variable by which the runtime, too, is asked for a backtrace.
    package static let variable = "SWIFT_BACKTRACE"

    /// Takes over the signals of crashes, unless the environment asks for backtraces. For programs whose process is theirs alone.
    ///
    /// - Parameter program: the name that the line begins with.
    package static func install(program: String) {
        guard !asksForBacktrace(ProcessInfo.processInfo.environment[variable]) else { return }
        parley_end_on_crash(program, "Set \(variable)=enable=yes for a backtrace.")
        // Where it cannot be forbidden the system's own settings hold; that is no reason not to run.
        _ = parley_hide_memory()
    }

    /// Checks whether a value of the variable asks for backtraces in so many words. Without a value the runtime would print them, too.
    static func asksForBacktrace(_ value: String?) -> Bool {
        guard let value else { return false }
        let settings = value.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        guard let enable = settings.last(where: { $0.first == "enable" }), enable.count == 2 else { return false }
        switch enable[1].lowercased() {
        case "yes", "y", "on", "true", "t", "1": return true
        case "tty": return isatty(STDERR_FILENO) == 1
        default: return false
        }
    }
}
