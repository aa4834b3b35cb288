import ChatProtocol
import Foundation
import ProcessSupport
import Testing

/// `parley doctor`, as a person and a script run it.
@Suite struct DoctorCommandTests {
    private static let bots = "parley: 1\nprofiles:\n  echo: { rules: [ { when: { text: hi }, then: { send: hello } } ] }\n"

    /// The findings that the command prints, by their codes.
    private func findings(_ arguments: [String]) async throws -> (exitCode: Int32, codes: [String: JSONValue], output: String) {
        let result = try await run(["doctor", "--json"] + arguments)
        let lines = try result.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let codes = lines.compactMap { line in line["code"]?.stringValue.map { ($0, line) } }
        #expect(lines.last?["event"]?.stringValue == "done", "\(result)")
        return (result.exitCode, Dictionary(codes) { first, _ in first }, result.output)
    }

    @Test func aMachineIsCheckedBeforeThereIsAFolder() async throws {
        let folder = try ScratchFolder("doctor")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let (code, found, output) = try await findings([folder("bots.yaml"), "--data", folder("data"), "--offline"])
        #expect(code == 0, "\(output)")
        for code in ["doctor.version", "doctor.disk.new", "doctor.limit.files", "doctor.reach.local", "doctor.unit", "doctor.file"] {
            #expect(found[code] != nil, "\(code): \(output)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder("data")), "nothing is created")
    }

    @Test func aFolderIsCheckedWhileItsBotsRunAndAfterwards() async throws {
        let folder = try ScratchFolder("doctor")
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let bots = try ParleyProgram.start(["run", folder("bots.yaml"), "--data", folder("data"), "--json"], log: folder("log"))
        _ = try await bots.ready()
        let (code, found, output) = try await findings([folder("bots.yaml"), "--data", folder("data")])
        #expect(code == 0, "\(output)")
        #expect(found["doctor.running"]?["level"]?.stringValue == "ok", "\(output)")
        #expect(found["doctor.port"]?["message"]?.stringValue?.contains("the running bots listen") == true, "\(output)")
        #expect(found["doctor.disk.databases"]?["message"]?.stringValue?.contains("in use by process") == true, "\(output)")
        #expect(found["doctor.backup.none"] != nil && found["doctor.reach.local"] != nil)
        bots.send(.terminate)
        #expect(try await bots.exit() == 0)
        #expect(!(try String(contentsOfFile: folder("log"), encoding: .utf8)).contains("error"), "the running bots were not disturbed")

        let port = try #require(Int(try String(contentsOfFile: folder("data/router/port"), encoding: .utf8).trimmingCharacters(in: .newlines)))
        let again = try await findings([folder("bots.yaml"), "--data", folder("data")])
        #expect(again.exitCode == 0 && again.codes["doctor.running"] == nil, "\(again.output)")
        #expect(again.codes["doctor.port"]?["subject"]?.stringValue == "\(port)")
        #expect(again.codes["doctor.port"]?["message"]?.stringValue?.contains("is free") == true, "\(again.output)")
    }

    @Test func aRouterIsReachedByItsAddressAndPasswordOnly() async throws {
        let folder = try ScratchFolder("doctor")
        defer { folder.remove() }
        let settings = ["--data", folder("router")]
        let new = try await run(["server", "smp", "init", "--host", "127.0.0.1", "--port", "0", "--new-queues", "password"] + settings)
        #expect(new.exitCode == 0, "\(new)")
        let router = try ParleyProgram.start(["server", "smp", "start", "--json"] + settings, log: folder("log"))
        let address = try #require(try await router.ready().address)
        let secret = try String(contentsOfFile: folder("router/password"), encoding: .utf8).trimmingCharacters(in: .newlines)
        let data = ["--data", folder("data")]
        let without = try await findings(data + ["--server", address])
        #expect(without.exitCode == 1 && without.codes["doctor.router.password"] != nil, "\(without.output)")
        let host = try #require(address.split(separator: "@").last)
        let complete = address.replacingOccurrences(of: "@", with: ":\(secret)@")
        let with = try await findings(data + ["--server", complete])
        #expect(with.exitCode == 0, "\(with.output)")
        #expect(with.codes["doctor.router"]?["subject"]?.stringValue == String(host), "\(with.output)")
        #expect(!with.output.contains(secret))
        let other = try await findings(data + ["--server", "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@\(host)"])
        #expect(other.exitCode == 1 && other.codes["doctor.router.identity"] != nil, "\(other.output)")
        router.send(.terminate)
        #expect(try await router.exit() == 0)
        let gone = try await findings(data + ["--server", complete])
        #expect(gone.exitCode == 1 && gone.codes["doctor.router.unreachable"] != nil, "\(gone.output)")
        #expect(!gone.output.contains(secret))
    }

    @Test func wrongInputEndsWithTwoAndAFaultyFileWithOne() async throws {
        let folder = try ScratchFolder("doctor")
        defer { folder.remove() }
        try folder.write("parley: 1\nprofiles:\n  echo: { rulez: [] }\n", to: "bots.yaml")
        let faulty = try await run(["doctor", folder("bots.yaml"), "--data", folder("data"), "--offline"])
        #expect(faulty.exitCode == 1 && faulty.output.contains("[doctor.file.unknown-key]"), "\(faulty)")
        let missing = try await run(["doctor", folder("none.yaml"), "--data", folder("data"), "--offline"])
        #expect(missing.exitCode == 2 && missing.errors.contains("[doctor.noFile]"), "\(missing)")
        let server = try await run(["doctor", "--data", folder("data"), "--offline", "--server", "smp://x"])
        #expect(server.exitCode == 2 && server.errors.contains("[serverAddress]"), "\(server)")
        let both = try await run([
            "doctor", "--data", folder("data"), "--offline", "--operators", "preset", "--server", "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@a",
        ])
        #expect(both.exitCode == 2 && both.errors.contains("[serversAndOperators]"), "\(both)")
    }
}
