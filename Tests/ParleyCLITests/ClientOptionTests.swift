import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import TestSupport
import Testing

/// `parley api` started as scripts start `simplex-chat`.
@Suite struct ClientOptionTests {
    private static let router = "smp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@127.0.0.1:1"
    private static let fileRouter = "xftp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@127.0.0.1:2"

    /// Runs the program while `body` sends it commands.
    private func withAPI(
        _ arguments: [String], _ folder: ScratchFolder, _ body: (_ command: (String) async throws -> JSONValue) async throws -> Void
    ) async throws {
        let port = try LoopbackPort.free()
        let program = try ParleyProgram.start(["api", "-p", "\(port.number)", "--json"] + arguments, in: folder.path, log: folder("log"))
        _ = try await program.ready()
        let replies = Mailbox<(id: String, body: JSONValue)>(label: { $0.id })
        let socket = try await ChatSocket.connect(port: port.number) { frame in
            guard let id = frame["corrId"]?.stringValue, let body = frame["resp"] else { return }
            replies.put((id, body))
        } closed: {
            replies.finish(PeerError(.ended, "the program has closed the connection"))
        }
        try await body { text in
            let id = UUID().uuidString
            try await socket.send(#"{"corrId":"\#(id)","cmd":\#(JSONValue.string(text).text)}"#)
            return try await replies.first("the response to \(text)", within: Patience.limit) { reply -> JSONValue? in
                guard reply.id == id else { return Optional.none }
                return reply.body
            }
        }
        await socket.close()
        program.send(.terminate)
        #expect(try await program.exit() == 0, "\(program.logTail())")
    }

    @Test func databasesFoldersAndRoutersAreThoseOfTheOptions() async throws {
        let folder = try ScratchFolder("options")
        defer { folder.remove() }
        let options = [
            "-d", folder("data/db"), "-s", "\(Self.router) \(Self.router.replacing("127.0.0.1", with: "127.0.0.2"))", "--xftp-server", Self.fileRouter, "-y",
            "--files-folder", folder("data/files"), "--temp-folder", folder("data/tmp"), "-k", "a key",
        ]
        try await withAPI(options, folder) { command in
            let user = try await command("/create user ann")
            #expect(user["type"] == "activeUser", "\(user.text)")
            _ = try await command("/_start")
            let servers = try await command("/_servers 1")
            #expect(servers["userServers"]?[0]?["smpServers"]?.arrayValue?.count == 2, "\(servers.text)")
            #expect(servers["userServers"]?[0]?["xftpServers"]?[0]?["server"]?.stringValue == Self.fileRouter)
        }
        let there = try Set(FileManager.default.contentsOfDirectory(atPath: folder("data")))
        #expect(there.isSuperset(of: ["db_chat.db", "db_agent.db", "files", "tmp"]), "\(there)")
        #expect(!there.contains("db_router"), "no router runs inside the process")
        let head = try #require(FileManager.default.contents(atPath: folder("data/db_chat.db"))).prefix(6)
        #expect(head != Data("SQLite".utf8), "it is encrypted")
        // Another program can use the folder beside it.
        let other = try await ParleyProgram.start(["api", "-d", folder("data/db"), "-p", "0"], in: folder.path, log: folder("log")).exit()
        #expect(other == 2, "without the key the databases do not open")
    }

    @Test func aBotProfileWithAnAddressIsThereAtTheFirstStart() async throws {
        let folder = try ScratchFolder("profile")
        defer { folder.remove() }
        let options = [
            "-d", folder("db"), "--create-bot-display-name", "helper", "--address", "--accept", "--auto-accept-files", "10mb", "-r", "--mute", "--ha", "-f",
            "--device-name", "server", "--log-hosts", "-q", "1024",
        ]
        for start in 1...2 {
            try await withAPI(options, folder) { command in
                let user = try await command("/u"), profile = user["user"]?["profile"]
                #expect(profile?["displayName"] == "helper" && profile?["peerType"] == "bot", "start \(start): \(user.text)")
                #expect(profile?["preferences"]?["files"]?["allow"] == "no")
                let address = try await command("/show_address")
                #expect(address["contactLink"]?["addressSettings"]?["autoAccept"] != nil, "\(address.text)")
                let users = try await command("/users")
                #expect(users["users"]?.arrayValue?.count == 1)
            }
        }
    }

    @Test(arguments: [
        (["--create-bot-allow-files"], "--create-bot-display-name"), (["--accept"], "--address"), (["--name", ""], "not a valid name"),
        (["--auto-accept-files", "10tb"], "auto-accept-files"), (["--auto-accept-files", "99999999999999gb"], "auto-accept-files"),
        (["-p", "1", "--chat-server-port", "2"], "give one"),
    ])
    func anOptionWithoutItsOtherIsRefused(_ options: [String], _ reason: String) async throws {
        let folder = try ScratchFolder("refused")
        defer { folder.remove() }
        let program = try ParleyProgram.start(["api", "-d", folder("db")] + options, in: folder.path, log: folder("log"))
        #expect(try await program.exit() == 2)
        #expect(program.logTail().contains(reason), "\(program.logTail())")
    }

    @Test func inMaintenanceTheCoreIsStartedByACommand() async throws {
        let folder = try ScratchFolder("maintenance")
        defer { folder.remove() }
        let options = ["-d", folder("db"), "-s", Self.router]
        try await withAPI(options, folder) { command in
            _ = try await command("/create user ann")
        }
        try await withAPI(options, folder) { command in
            let state = try await command("/_check running")
            #expect(state["type"] == "chatRunning")
        }
        try await withAPI(options + ["-m"], folder) { command in
            let before = try await command("/_check running"), after = try await command("/_start")
            #expect(before["type"] == "chatStopped" && after["type"] == "chatStarted")
        }
    }

    @Test func newProfilesBeginWithThePresetContacts() async throws {
        let folder = try ScratchFolder("presets")
        defer { folder.remove() }
        let link = "https://127.0.0.1/a#Dkd6rSQXtlnpIdqBMZRmcJkXqX3tUPt1gqmrTvyJvw4"
        try Data(#"[{"displayName":"Help desk","fullName":"","contactLink":"\#(link)"}]"#.utf8).write(to: URL(filePath: folder("presets.json")))
        let options = ["-d", folder("db"), "-s", Self.router]
        try await withAPI(options + ["--preset-contacts", folder("presets.json")], folder) { command in
            for (name, id) in [("ann", 1), ("bob", 2)] {
                _ = try await command("/create user \(name)")
                let found = try await command("/_get chats \(id)")
                let contacts = found["chats"]?.arrayValue?.compactMap { $0["chatInfo"]?["contact"] }
                #expect(contacts?.map { $0["profile"]?["contactLink"]?.stringValue } == [link], "\(found.text)")
            }
        }
        try await withAPI(options, folder) { command in
            _ = try await command("/create user cath")
            let found = try await command("/_get chats 3")
            #expect(found["chats"]?.arrayValue?.contains { $0["chatInfo"]?["contact"] != nil } == false, "\(found.text)")
        }
    }

    @Test(arguments: [
        ("", "is not a list"), (#"{"displayName":"x"}"#, "is not a list"), (#"[{"fullName":""}]"#, "at 0: \"displayName\" is missing"),
        (#"[{"displayName":"x","fullName":""}]"#, #"contact 1, "x", has no contactLink"#),
        ("[{\"displayName\":\"#x\",\"fullName\":\"\",\"contactLink\":\"y\"}]", "use a name such as x"),
        (String(repeating: " ", count: 1 << 20) + "[]", "more than 1 MiB"),
    ])
    func whatIsWrongWithPresetContactsIsSaid(_ text: String, _ expected: String) async throws {
        let folder = try ScratchFolder("presets")
        defer { folder.remove() }
        try Data(text.utf8).write(to: URL(filePath: folder("presets.json")))
        let options = ["api", "-p", "0", "-s", Self.router, "--preset-contacts", folder("presets.json")]
        let program = try ParleyProgram.start(options, in: folder.path, log: folder("log"))
        #expect(try await program.exit() == 2)
        #expect(program.logTail().contains("presets.json: ") && program.logTail().contains(expected), "\(program.logTail())")
    }

    @Test(arguments: [
        (["-d", "data/"], "names no files"), (["-d", "x/db", "--data", "y"], "both name"),
        (["--xftp-server", "smp://x"], "--xftp-server"), (["--files-folder", "/dev/null/files"], "/dev/null/files"),
        (["--preset-contacts", "nowhere"], "nowhere: cannot read it"),
    ])
    func whatCannotBeDoneIsRefusedAtTheStart(_ options: [String], _ expected: String) async throws {
        let folder = try ScratchFolder("refused")
        defer { folder.remove() }
        let program = try ParleyProgram.start(["api", "-p", "0", "-s", Self.router] + options, in: folder.path, log: folder("log"))
        #expect(try await program.exit() == (options[0] == "--files-folder" ? 1 : 2))
        #expect(program.logTail().contains(expected), "\(program.logTail())")
    }
}
