import Foundation
import NIOCore
import NIOPosix

/// A path of a Unix socket, of any length.
struct SocketPath: Sendable {
    /// Bytes of a path in the address of a socket at most, as NIO counts for all systems.
    static let addressLimit = 103

    private let path: String
    private let folder: String
    private let name: String

    init(_ path: String) {
        self.path = path
        let url = URL(fileURLWithPath: path)
        folder = url.deletingLastPathComponent().path
        name = url.lastPathComponent
    }

    /// Runs `body` with a path that fits an address: a longer one is named by its open folder.
    func withShort<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        if path.utf8.count <= Self.addressLimit { return try await body(path) }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOENT) }
        defer { close(descriptor) }
        return try await body("/proc/self/fd/\(descriptor)/\(name)")
    }

    /// Makes a socket that only its owner can use, in the place of one that an ended process has left.
    ///
    /// - Parameters:
    ///   - isShared: true if another process may use the path: what is not a socket, or a socket that is listened on, is left alone then.
    ///   - body: makes the socket at the path that it is given.
    func withPrivate<Result>(isShared: Bool = false, _ body: (String) async throws -> Result) async throws -> Result {
        if isShared { try await requireFree() }
        // Made where nobody else can enter, so that it is nobody else's for no moment.
        let folder = path + (isShared ? ".\(UUID().uuidString)" : ".new")
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = folder + "/socket"
        let result = try await SocketPath(made).withShort(body)
        guard chmod(made, 0o600) == 0, rename(made, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return result
    }

    /// - Throws: `POSIXError` `EEXIST` for a path of something else, `EADDRINUSE` for a socket that is listened on.
    private func requireFree() async throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw POSIXError(.EEXIST) }
        let isListenedOn = await hasListener()
        guard !isListenedOn else { throw POSIXError(.EADDRINUSE) }
    }

    /// True if a process takes connections at the path.
    private func hasListener() async -> Bool {
        do {
            let channel = try await withShort { short in
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(unixDomainSocketPath: short).get()
            }
            try? await channel.close()
            return true
        } catch {
            return false
        }
    }
}
