import Foundation
package import ProcessSupport

/// A program of the official implementation, found in the folder that the environment variable `SIMPLEX_PEERS` names.
package enum PeerProgram: String, Sendable, CaseIterable {
    case simplexChat = "simplex-chat"
    case smpServer = "smp-server"
    case xftpServer = "xftp-server"
    case xftp

    /// Where it is.
    ///
    /// - Throws: ``PeerError/Code/notInstalled``.
    package func path() throws(PeerError) -> String {
        guard let folder = ProcessInfo.processInfo.environment["SIMPLEX_PEERS"] else {
            throw PeerError(.notInstalled, "SIMPLEX_PEERS is not set: it names the folder with \(rawValue)")
        }
        let path = URL(fileURLWithPath: folder).appendingPathComponent(rawValue).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw PeerError(.notInstalled, "SIMPLEX_PEERS names \(folder), which has no executable \(rawValue)")
        }
        return path
    }

    /// True if the program is there.
    package var isInstalled: Bool { (try? path()) != nil }

    /// The reason to skip tests that need the program.
    package var missing: String { "SIMPLEX_PEERS names no folder with \(rawValue)" }

    /// The first line that it prints about its version.
    package func version() async throws(PeerError) -> String {
        let process = try ChildProcess(try path(), ["--version"])
        defer { process.kill() }
        return try await process.output.first("a version", within: .seconds(20)) { $0 }
    }
}
