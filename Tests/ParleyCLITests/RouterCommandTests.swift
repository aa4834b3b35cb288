import Foundation
import ProcessSupport
import Testing

/// `parley server smp`, as who runs a router types it.
@Suite struct RouterCommandTests {
    @Test func aRouterIsMadeStartedAskedAndStopped() async throws {
        let folder = try ScratchFolder("router")
        defer { folder.remove() }
        let data = ["--data", folder("r")]
        let made = try await run(
            ["server", "smp", "init", "--host", "smp.example.org", "--port", "0", "--bind", "127.0.0.1", "--new-queues", "password", "--json"] + data)
        #expect(made.exitCode == 0, "\(made)")
        #expect(made.output.contains(#""event":"initialised","address":"smp://"#))
        for name in ["router.yaml", "password", "ca.key", "server.key"] {
            let mode = try #require(
                try FileManager.default.attributesOfItem(atPath: folder("r/\(name)"))[.posixPermissions] as? Int)
            #expect(mode == 0o600, "\(name)")
        }
        // Nothing is overwritten.
        let key = try Data(contentsOf: URL(fileURLWithPath: folder("r/ca.key")))
        #expect(try await run(["server", "smp", "init", "--host", "other.example.org"] + data).exitCode == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("r/ca.key"))) == key)

        let plain = try await run(["server", "smp", "address"] + data)
        let full = try await run(["server", "smp", "address", "--with-password"] + data)
        let password = try String(contentsOfFile: folder("r/password"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(plain.output.hasPrefix("smp://") && plain.output.hasSuffix("@smp.example.org:0\n"))
        #expect(full.output == plain.output.replacingOccurrences(of: "@smp.", with: ":\(password)@smp."))

        let absent = try await run(["server", "smp", "stats"] + data)
        #expect(absent.exitCode == 1 && absent.errors.contains("[router.notRunning]"))
        let router = try ParleyProgram.start(["server", "smp", "start", "--json", "--log-level", "info"] + data, log: folder("log"))
        let address = try #require(try await router.ready().address)
        #expect(address.contains("@smp.example.org:"))
        let stats = try await run(["server", "smp", "stats", "--json"] + data)
        #expect(stats.exitCode == 0 && stats.output.contains(#""queues":0,"#), "\(stats)")
        #expect(try await run(["server", "smp", "stats"] + data).output.contains("0 queues, 0 messages waiting"))
        #expect(try await run(["server", "smp", "sessions"] + data).output == "0 clients\n")
        #expect(try await run(["server", "smp", "compact"] + data).output.hasPrefix("The journal had "))
        let certificate = try Data(contentsOf: URL(fileURLWithPath: folder("r/server.crt")))
        #expect(try await run(["server", "smp", "renew"] + data).exitCode == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("r/server.crt"))) != certificate)
        let unknown = try await run(["server", "smp", "queue", "delete", String(repeating: "A", count: 32)] + data)
        #expect(unknown.exitCode == 1 && unknown.errors.contains("[router.noQueue]"))
        #expect(try await run(["server", "smp", "address"] + data).output == plain.output, "the identity stays")
        router.send(.terminate)
        #expect(try await router.exit() == 0)
        #expect(try await run(["server", "smp", "compact", "--json"] + data).output.hasPrefix(#"{"journalBytesBefore":"#))
    }

    /// Else the service could not read what its operator has made, and would not start any more.
    @Test(.enabled(if: ServiceUser.canBeActedAs, "only root can write into a folder of somebody else"))
    func whatRootMakesInTheFolderOfAServiceIsTheServices() async throws {
        let folder = try ScratchFolder("router-owner")
        defer { folder.remove() }
        try FileManager.default.createDirectory(atPath: folder("r"), withIntermediateDirectories: false)
        try ServiceUser.getsTo(folder, and: "r")
        let data = ["--data", folder("r")]

        let made = try await run(
            ["server", "smp", "init", "--host", "smp.example.org", "--port", "0", "--bind", "127.0.0.1", "--new-queues", "password"] + data)
        #expect(made.exitCode == 0, "\(made)")
        try ServiceUser.expectToOwnAll(of: folder("r"), after: "init")
        // The key of the identity is where only root has it.
        try FileManager.default.moveItem(atPath: folder("r/ca.key"), toPath: folder("ca.key"))
        try FileManager.default.setAttributes([.ownerAccountID: 0, .posixPermissions: 0o600], ofItemAtPath: folder("ca.key"))

        let router = try ParleyProgram.start(["server", "smp", "start", "--json"] + data, log: folder("log"))
        _ = try await router.ready()
        try ServiceUser.expectToOwnAll(of: folder("r"), after: "start")
        let renewed = try await run(["server", "smp", "renew", "--ca-key", folder("ca.key")] + data)
        #expect(renewed.exitCode == 0, "\(renewed)")
        #expect(try await run(["server", "smp", "compact"] + data).exitCode == 0)
        try ServiceUser.expectToOwnAll(of: folder("r"), after: "renew")
        router.send(.terminate)
        #expect(try await router.exit() == 0)

        let again = try await run(["server", "smp", "renew", "--ca-key", folder("ca.key")] + data)
        #expect(again.output.hasPrefix("The certificate was renewed."), "\(again)")
        #expect(try await run(["server", "smp", "compact"] + data).exitCode == 0)
        try ServiceUser.expectToOwnAll(of: folder("r"), after: "renew and compact of a router that does not run")
    }

    @Test(arguments: [
        ("router: 1\nprot: 5223", ":2:1: error: the file has no key \"prot\" [unknown-key]"),
        ("router: 1\nport: 70000", ":2:7: error: port must be from 0 to 65535, not 70000 [bad-value]"),
        ("router: 1\nfsync: often", ":2:8: error: \"often\" is not a policy"),
        ("router: 1\nfsync: 5ms", ":2:8: error: \"5ms\" is not a policy"),
        ("router: 1\nhosts: [a.example, \"b c\"]", ":2:20: error: \"b c\" is not the name"),
        ("router: 1\nmessage-days: 0", ":2:15: error: message-days must be from 1"),
        ("router: 1\nconnections-per-address: 0", ":2:26: error: connections-per-address must be from 1"),
        ("router: 1\nconnections-per-address: never", ":2:26: error"),
        ("router: 1\nqueues-per-address: 1000001", ":2:21: error: queues-per-address must be from 1"),
        ("router: 1\nhandshake-seconds: 3601", ":2:20: error: handshake-seconds must be from 1"),
        ("router: 1\nhandshakes: 0", ":2:13: error: handshakes must be from 1"),
        ("router: 1\nrelays: 0", ":2:9: error: relays must be from 1"),
        ("router: 1\nallow-private-relays: perhaps", ":2:23: error"),
        ("router: 2", ":1:9: error: this program reads version 1"),
        ("port: 1", ":1:1: error: the file needs the key \"router\""),
        ("[]", ":1:1: error: the file must be a mapping"),
        ("", ":1:1: error: the file is empty"),
        ("router: 1\nport: 1\nport: 2", "the same key occurs twice"),
        ("router: 1\npassword-file: nowhere", "the password cannot be read"),
    ])
    func aWrongFileIsRefusedWithThePlace(_ text: String, _ expected: String) async throws {
        let folder = try ScratchFolder("router-file")
        defer { folder.remove() }
        try FileManager.default.createDirectory(atPath: folder("r"), withIntermediateDirectories: false)
        try folder.write(text, to: "r/router.yaml")
        let outcome = try await run(["server", "smp", "start", "--data", folder("r")])
        #expect(outcome.exitCode == 2, "\(outcome)")
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test func theLimitsForStrangersAreSetInTheFile() async throws {
        let folder = try ScratchFolder("router-limits")
        defer { folder.remove() }
        try FileManager.default.createDirectory(atPath: folder("r"), withIntermediateDirectories: false)
        try folder.write(
            """
            router: 1
            port: 0
            connections-per-address: unlimited
            queues-per-address: unlimited
            handshakes: 8
            handshake-seconds: 1
            relays: 1
            allow-private-relays: true
            """, to: "r/router.yaml")
        let router = try ParleyProgram.start(["server", "smp", "start", "--json", "--data", folder("r")], log: folder("log"))
        _ = try await router.ready()
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }
}
