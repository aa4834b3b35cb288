import Foundation

/// A path of a Unix socket, of any length.
struct SocketPath: Sendable {
    /// Bytes of a path in the address of a socket at most.
    static let addressLimit = 107

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
}
