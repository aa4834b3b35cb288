import Foundation

/// What a program is told.
package enum ProcessSignal: Sendable {
    /// As Ctrl-C does (SIGINT); the official routers save their state on it.
    case interrupt
    /// As a service manager does (SIGTERM).
    case terminate
    /// At once, as a crash does (SIGKILL).
    case kill
    /// As who wants settings to be read again does (SIGHUP).
    case hangUp

    /// The system's number for it.
    package var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .kill: SIGKILL
        case .hangUp: SIGHUP
        }
    }

    /// The exit status that a program has which was ended by it: 128 and the signal's number, as a shell says it.
    package var exitStatus: Int32 { 128 + number }
}
