import Foundation
import SMPProtocol
import SMPWire

#if canImport(Glibc)
import Glibc
#endif

/// The official router, run from the folder that the environment variable `SIMPLEX_PEERS` names.
final class OfficialRouter {
    static let executable: URL? = {
        guard let folder = ProcessInfo.processInfo.environment["SIMPLEX_PEERS"] else { return nil }
        let url = URL(fileURLWithPath: folder).appendingPathComponent("smp-server")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }()

    let address: SMPServerAddress
    private let folder: URL
    private let executable: URL
    private let environment: [String: String]
    private let port: Int
    private var process: Process?

    init() throws {
        guard let executable = Self.executable else { throw TestFailure(description: "SIMPLEX_PEERS names no smp-server") }
        self.executable = executable
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("official-" + UUID().uuidString)
        let configuration = folder.appendingPathComponent("etc")
        environment = ProcessInfo.processInfo.environment.merging([
            "SMP_SERVER_CFG_PATH": configuration.path, "SMP_SERVER_LOG_PATH": folder.appendingPathComponent("var").path,
            "LANG": "C.UTF-8",
        ]) { $1 }
        let port = try Self.freePort()
        self.port = port
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let initialize = Process()
        initialize.executableURL = executable
        initialize.arguments = ["init", "--yes", "--ip", "127.0.0.1", "--disable-web", "--no-password"]
        initialize.environment = environment
        initialize.standardOutput = FileHandle.nullDevice
        initialize.standardError = FileHandle.nullDevice
        try initialize.run()
        initialize.waitUntilExit()
        guard initialize.terminationStatus == 0 else { throw TestFailure(description: "smp-server init failed") }
        let file = configuration.appendingPathComponent("smp-server.ini")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").map { line in
            if line.hasPrefix("port:") || line.hasPrefix("port =") { return "port: \(port)" }
            return line.hasPrefix("host:") || line.hasPrefix("host =") ? "host: 127.0.0.1" : line
        }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let fingerprint = try String(contentsOf: configuration.appendingPathComponent("fingerprint"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        address = try SMPServerAddress(wireString: "smp://\(fingerprint)@127.0.0.1:\(port)")
    }

    func start() async throws {
        let process = Process()
        // The router saves its messages on an interrupt, which test runners may have made their children ignore.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal=INT", executable.path, "start"]
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        for _ in 0..<600 {
            if Self.isListening(port) { return }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TestFailure(description: "smp-server did not start")
    }

    func stop() {
        guard let process else { return }
        process.interrupt()
        process.waitUntilExit()
        self.process = nil
    }

    func remove() {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func withSocket<Result>(port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    private static func isListening(_ port: Int) -> Bool {
        withSocket(port: port) { connect($0, $1, $2) == 0 }
    }

    private static func freePort() throws -> Int {
        let port = withSocket(port: 0) { descriptor, address, length -> Int in
            guard bind(descriptor, address, length) == 0 else { return 0 }
            var bound = sockaddr_in()
            var size = length
            let result = withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            return result == 0 ? Int(UInt16(bigEndian: bound.sin_port)) : 0
        }
        guard port > 0 else { throw TestFailure(description: "no free port") }
        return port
    }
}
