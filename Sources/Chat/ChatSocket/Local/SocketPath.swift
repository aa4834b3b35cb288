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
        let (short, descriptor) = try shortened()
        defer { if let descriptor { close(descriptor) } }
        return try await body(short)
    }

    /// - Returns: a path that fits an address, and the open folder that it names, which the caller closes.
    private func shortened() throws -> (path: String, folder: CInt?) {
        if path.utf8.count <= Self.addressLimit { return (path, nil) }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOENT) }
        return ("/proc/self/fd/\(descriptor)/\(name)", descriptor)
    }

    /// Makes a socket at the path on which can be listened.
    ///
    /// NIO does not bind it: when it closes such a socket it removes the path in its address, and the number of the folder there means another folder then.
    private func boundSocket() throws -> CInt {
        let (short, folder) = try shortened()
        defer { if let folder { close(folder) } }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8.prefix(Self.addressLimit)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
        }
        guard isBound, listen(descriptor, SOMAXCONN) == 0 else {
            let fault = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            close(descriptor)
            throw fault
        }
        return descriptor
    }

    /// Makes a socket that only its owner can use, in the place of one that an ended process has left.
    ///
    /// - Parameters:
    ///   - isShared: true if another process may use the path: what is not a socket, or a socket that is listened on, is left alone then.
    ///   - body: takes over the descriptor of the socket.
    func withPrivate<Result>(isShared: Bool = false, _ body: (CInt) async throws -> Result) async throws -> Result {
        if isShared { try await requireFree() }
        // Made where nobody else can enter, so that it is nobody else's for no moment.
        let folder = path + (isShared ? ".\(UUID().uuidString)" : ".new")
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = folder + "/socket"
        let result = try await body(try SocketPath(made).boundSocket())
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
