internal import CCrashSignals
internal import Foundation

/// The handling of crashes of the process.
///
/// The Swift runtime would keep a crashed process, with its ports and the locks of its folders, for as long as it prints a backtrace: minutes
/// for a large program. A bot should be restarted at once. Therefore a crashing process writes one line and ends, and leaves no core dump,
/// which would contain keys and messages. To find a fault, set `SWIFT_BACKTRACE=enable=yes`: then the runtime and the system handle crashes
/// in their own way.
package enum CrashHandling {
    /// The variable that also makes the runtime print a backtrace.
    package static let variable = "SWIFT_BACKTRACE"

    /// Installs handlers for the signals of crashes, unless the environment requests backtraces. For programs that own their process.
    ///
    /// - Parameter program: the name at the beginning of the line.
    package static func install(program: String) {
        guard !asksForBacktrace(ProcessInfo.processInfo.environment[variable]) else { return }
        parley_end_on_crash(program, "Set \(variable)=enable=yes for a backtrace.")
        // If core dumps cannot be disabled, the system's settings apply; the process runs anyway.
        _ = parley_hide_memory()
    }

    /// Checks whether a value of the variable requests backtraces explicitly. Without a value, the runtime would print them, too.
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
