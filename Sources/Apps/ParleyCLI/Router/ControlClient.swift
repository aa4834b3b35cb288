internal import Foundation

/// Asks the router that runs in a data folder.
struct ControlClient {
    let folder: String
    /// The kind of router, as the command that starts it names it: `smp` or `xftp`.
    let kind: String
    /// Clearing a large journal takes its time.
    private static let patience = 600

    /// Sends a command and returns its answer, one line of JSON.
    ///
    /// - Throws: ``Outcome/Failed``: `router.notRunning`, or what the router has answered.
    func ask(_ command: String) throws -> Data {
        let line = try exchange(command)
        if let failure = try? JSONDecoder().decode(Failure.self, from: line) {
            throw Outcome.Failed("router.\(failure.error.code)", description: failure.error.message)
        }
        return line
    }

    private struct Failure: Decodable {
        struct Error: Decodable {
            let code: String
            let message: String
        }
        let error: Error
    }

    private func exchange(_ command: String) throws -> Data {
        let path = folder + "/control.sock"
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Self.failure("no socket: \(String(cString: strerror(errno)))") }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Self.failure("the path of the data folder is too long for its control socket: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard connected == 0 else {
            let isAbsent = errno == ENOENT || errno == ECONNREFUSED
            throw isAbsent
                ? Outcome.Failed("router.notRunning", description: "no router runs in \(folder): start it with `parley server \(kind) start --data \(folder)`")
                : Self.failure("the router in \(folder) cannot be asked: \(String(cString: strerror(errno)))")
        }
        var timeout = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let handle = FileHandle(fileDescriptor: socket, closeOnDealloc: false)
        try handle.write(contentsOf: Data((command + "\n").utf8))
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !answer.contains(UInt8(ascii: "\n")) {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("the router has stopped, or does not answer") }
            answer += buffer.prefix(count)
        }
        return answer.prefix { $0 != UInt8(ascii: "\n") }
    }

    private static func failure(_ message: String) -> Outcome.Failed { Outcome.Failed("router.control", description: message) }
}
