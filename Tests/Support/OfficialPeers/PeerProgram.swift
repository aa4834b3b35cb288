import Foundation
package import ProcessSupport

/// A release of the official programs.
package enum PeerRelease: String, Sendable, CaseIterable {
    /// The one that most tests run with.
    case current = "SIMPLEX_PEERS"
    /// An older one, which tests of several releases run with besides.
    case previous = "SIMPLEX_PREVIOUS_PEERS"

    /// The environment variable that names the folder of its programs.
    package var variable: String { rawValue }
}

/// A program of the official implementation, found in the folder that the environment variable of its release names.
package enum PeerProgram: String, Sendable, CaseIterable {
    case simplexChat = "simplex-chat"
    case smpServer = "smp-server"
    case xftpServer = "xftp-server"
    case xftp

    /// Where it is.
    ///
    /// - Throws: ``PeerError/Code/notInstalled``.
    package func path(in release: PeerRelease = .current) throws(PeerError) -> String {
        guard let folder = ProcessInfo.processInfo.environment[release.variable] else {
            throw PeerError(.notInstalled, "\(release.variable) is not set: it names the folder with \(rawValue)")
        }
        let path = URL(fileURLWithPath: folder).appendingPathComponent(rawValue).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw PeerError(.notInstalled, "\(release.variable) names \(folder), which has no executable \(rawValue)")
        }
        return path
    }

    /// True if the program is there.
    package var isInstalled: Bool { isInstalled(in: .current) }

    /// True if the program of a release is there.
    package func isInstalled(in release: PeerRelease) -> Bool { (try? path(in: release)) != nil }

    /// The reason to skip tests that need the program.
    package var missing: String { "SIMPLEX_PEERS names no folder with \(rawValue)" }

    /// The first line that it prints about its version.
    package func version(in release: PeerRelease = .current) async throws(PeerError) -> String {
        let process = try ChildProcess(try path(in: release), ["--version"])
        defer { process.kill() }
        return try await process.output.first("a version", within: .seconds(20)) { $0 }
    }
}
