import Foundation
import NIOCore
import NIOPosix
import ProcessSupport
import TestSupport
import Testing

/// Programs that may have few files open say so, and do what they can.
@Suite(.enabled(if: ParleyProgram.isBuilt, "the executable parley was not built"))
struct OpenFileLimitTests {
    private func start(_ limit: Int, _ arguments: [String], log: String) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh", ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", ParleyProgram.path] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"],
            in: nil, input: "", log: log)
    }

    private func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    @Test(arguments: [12, 24, 40], ["smp", "xftp"]) func aProgramThatMayOpenTooFewFilesEndsWithASentence(_ limit: Int, _ kind: String) async throws {
        let folder = try TemporaryFolder()
        let process = try start(limit, ["server", kind, "--data", folder("router"), "--port", "0"], log: folder("log"))
        #expect(try await process.exit() == 2)
        let log = text(folder("log"))
        #expect(log.contains("the process may have \(limit) files") && log.contains("openFiles") && log.contains("ulimit -n"), "\(log)")
        #expect(!FileManager.default.fileExists(atPath: folder("router")))
    }

    @Test(arguments: ["smp", "xftp"]) func aRouterTakesAsManyConnectionsAsItHasFilesForAndGoesOn(_ kind: String) async throws {
        let folder = try TemporaryFolder(), log = folder("log"), data = folder("router")
        func run() async throws -> (ChildProcess, Int) {
            let process = try start(160, ["server", kind, "--data", data, "--port", "0", "--json"], log: log)
            let address = try #require(try await process.ready().address)
            return (process, try #require(Int(address.split(separator: ":").last ?? "")))
        }
        let (first, _) = try await run()
        #expect(await first.stop() == 0)
        let (router, port) = try await run()
        var clients: [any Channel] = []
        for _ in 0..<300 {
            if let client = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port).get() {
                clients.append(client)
            }
        }
        // The operator is answered, and the folder is whole.
        let stats = try ParleyProgram.start(["server", kind, "stats", "--data", data, "--json"])
        let report = await stats.restOfOutput().joined()
        #expect(report.contains("\"connections\":"))
        for client in clients { try? await client.close() }
        #expect(await router.stop() == 0)
        let lines = text(log).split(separator: "\n").filter { $0.contains("openFiles") }
        // Each start warns once.
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("160 files") }, "\(lines)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).allSatisfy { !$0.hasSuffix(".damaged") })
    }
}
