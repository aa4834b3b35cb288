import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A child's process id, which is used as long as it is the child's, and the status with which the child ends.
final class WaitedProcess: Sendable {
    let id: pid_t
    private let status = Mutex<Int32?>(nil)

    /// - Parameter ended: called once, with the exit status, or 128 and the number of the signal that ended the process.
    init(_ id: pid_t, ended: @escaping @Sendable (Int32) -> Void = { _ in }) {
        self.id = id
        // A thread of its own, because waiting blocks. It holds this object until the child has ended.
        Thread { [self] in
            var info = siginfo_t()
            // The child stays in the table while the status is noted, so that its id cannot become another's meanwhile.
            while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let code = status.withLock { status in
                var word: Int32 = 0
                while waitpid(id, &word, 0) < 0, errno == EINTR {}
                let signal = word & 0x7F
                let code = signal == 0 ? (word >> 8) & 0xFF : 128 + signal
                status = code
                return code
            }
            ended(code)
        }.start()
    }

    var isRunning: Bool { status.withLock { $0 == nil } }

    /// Sends a signal, if the child has not ended.
    func send(_ signal: ProcessSignal) {
        status.withLock { status in
            if status == nil { kill(id, signal.number) }
        }
    }
}
