import Foundation
import ProcessSupport
import Testing

/// `parley server xftp`, as who runs a file router types it.
@Suite struct FileRouterCommandTests {
    @Test func aFileRouterIsMadeStartedAskedAndStopped() async throws {
        let folder = try ScratchFolder("file-router")
        defer { folder.remove() }
        let data = ["--data", folder("r")]
        let made = try await run(
            [
                "server", "xftp", "init", "--host", "files.example.org", "--port", "0", "--bind", "127.0.0.1", "--new-files", "password", "--quota", "2gb",
                "--json",
            ]
                + data)
        #expect(made.exitCode == 0, "\(made)")
        #expect(made.output.contains(#""event":"initialised","address":"xftp://"#))
        for name in ["file-router.yaml", "password", "ca.key", "server.key"] {
            let mode = try #require(
                try FileManager.default.attributesOfItem(atPath: folder("r/\(name)"))[.posixPermissions] as? Int)
            #expect(mode == 0o600, "\(name)")
        }
        #expect(try String(contentsOfFile: folder("r/file-router.yaml"), encoding: .utf8).contains("\nquota: 2gb\n"))
        // Nothing is overwritten.
        let key = try Data(contentsOf: URL(fileURLWithPath: folder("r/ca.key")))
        #expect(try await run(["server", "xftp", "init", "--host", "other.example.org"] + data).exitCode == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("r/ca.key"))) == key)

        let plain = try await run(["server", "xftp", "address"] + data)
        let full = try await run(["server", "xftp", "address", "--with-password"] + data)
        let password = try String(contentsOfFile: folder("r/password"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(plain.output.hasPrefix("xftp://") && plain.output.hasSuffix("@files.example.org:0\n"))
        #expect(full.output == plain.output.replacingOccurrences(of: "@files.", with: ":\(password)@files."))

        let absent = try await run(["server", "xftp", "stats"] + data)
        #expect(absent.exitCode == 1 && absent.errors.contains("[router.notRunning]") && absent.errors.contains("parley server xftp start"))
        let router = try ParleyProgram.start(["server", "xftp", "start", "--json", "--log-level", "info"] + data, log: folder("log"))
        let address = try #require(try await router.ready().address)
        #expect(address.hasPrefix("xftp://") && address.contains("@files.example.org:"))
        let stats = try await run(["server", "xftp", "stats", "--json"] + data)
        #expect(stats.exitCode == 0 && stats.output.contains(#""files":0,"#) && stats.output.contains(#""quota":2147483648"#), "\(stats)")
        #expect(try await run(["server", "xftp", "stats"] + data).output.contains("0 pieces of files with 0 KiB of 2048 MiB"))
        #expect(try await run(["server", "xftp", "compact"] + data).output.hasPrefix("The journal had "))
        let certificate = try Data(contentsOf: URL(fileURLWithPath: folder("r/server.crt")))
        #expect(try await run(["server", "xftp", "renew"] + data).exitCode == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("r/server.crt"))) != certificate)
        let unknown = try await run(["server", "xftp", "chunk", "delete", String(repeating: "A", count: 32)] + data)
        #expect(unknown.exitCode == 1 && unknown.errors.contains("[router.noFile]"))
        let wrong = try await run(["server", "xftp", "chunk", "block", "x", "spam"] + data)
        #expect(wrong.exitCode == 1 && wrong.errors.contains("[router.badCommand]"))
        let second = try await run(["server", "xftp", "start"] + data)
        #expect(second.exitCode != 0 && second.errors.contains("inUse"))
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }

    @Test(arguments: [
        ("prot: 443", #":2:1: error: the file has no key "prot" [unknown-key]"#),
        ("quota: 5", #":2:8: error: "5" is not a size: write 500mb, 20gb or 2tb [bad-value]"#),
        ("quota: 5 gigabytes", #":2:8: error: "5 gigabytes" is not a size"#),
        ("file-hours: 0", ":2:13: error: file-hours must be from 1"),
        ("fsync: often", #":2:8: error: "often" is not a policy"#),
    ])
    func aWrongFileIsRefusedWithThePosition(_ line: String, _ expected: String) async throws {
        let folder = try ScratchFolder("file-router-file")
        defer { folder.remove() }
        try folder.write("file-router: 1\n\(line)\n", to: "file-router.yaml")
        let result = try await run(["server", "xftp", "start", "--data", folder.path])
        #expect(result.exitCode == 2)
        #expect(result.errors.contains(expected), "\(result.errors)")
    }

    @Test(arguments: [["--quota", "much"], ["--fsync", "often"], ["--host", "a b"]])
    func wrongOptionsAreRefused(_ options: [String]) async throws {
        let folder = try ScratchFolder("file-router-options")
        defer { folder.remove() }
        let result = try await run(["server", "xftp", "start", "--data", folder("r")] + options)
        #expect(result.exitCode == 2 && result.errors.contains(options[0]), "\(result)")
    }
}
