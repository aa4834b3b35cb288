import Foundation

/// Ends a child when this process is gone, however it went: not even a killed test run leaves a server behind.
///
/// A shell holds the reading end of a pipe whose only writing end is here. When it reads the end of the pipe instead of a line, nobody
/// is left who could stop the child.
final class Guardian: Sendable {
    private let pipe: FileHandle
    private let shell: WaitedProcess

    init(of child: Int32) throws(PeerError) {
        let (reading, writing) = try Spawn.pipe()
        pipe = writing
        // What ends a whole group of processes must not end the guardian first.
        let script = "trap '' INT TERM HUP; read -r _ || kill -KILL \"$1\""
        let null = FileHandle.nullDevice.fileDescriptor
        shell = WaitedProcess(
            try Spawn.start(
                "/bin/sh", ["-c", script, "sh", "\(child)"], environment: [:], files: [reading.fileDescriptor, null, null], closing: [reading]))
    }

    /// The child has ended; its number may soon be another's.
    func dismiss() { shell.send(.kill) }
}
