import ChatAPI
import ChatProtocol
import Testing

/// Commands about the core, its databases, controlled devices and calls.
@Suite struct CoreCommandTests {
    static let core: [CommandCase] = [
        CommandCase("/_start", .core(.start())),
        CommandCase("/_start main=off", .core(.start(mainApp: false, sendFiles: false)), as: "/_start main=off snd_files=off"),
        CommandCase("/_start main=on", .core(.start()), as: "/_start"),
        CommandCase("/_start main=off snd_files=on", .core(.start(mainApp: false, sendFiles: true))),
        CommandCase("/_app activate", .core(.activate()), as: "/_app activate restore=on"),
        CommandCase("/_app activate restore=off", .core(.activate(restoreChat: false))),
        CommandCase("/_app suspend 0", .core(.suspend(timeout: 0))),
        CommandCase("/_connections diff show_ids=off", .core(.connectionsDifference()), as: "/_connections diff"),
        CommandCase("/_connections diff show_ids=on", .core(.connectionsDifference(showIDs: true))),
        CommandCase("/files_folder /a b", .core(.setFilesFolder("/a b")), as: "/_files_folder /a b"),
        CommandCase("/remote_hosts_folder /r", .core(.setRemoteHostsFolder("/r"))),
        CommandCase(
            #"/set file paths {"appFilesFolder":"f","appTempFolder":"t","appAssetsFolder":"a"}"#,
            .core(.setFilePaths(AppFilePaths(filesFolder: "f", temporaryFolder: "t", assetsFolder: "a")))),
        CommandCase("/_save app settings{}", .core(.saveAppSettings([:])), as: "/_save app settings {}"),
        CommandCase("/_get app settings", .core(.appSettings(defaults: nil))),
        CommandCase(#"/_get app settings {"a":null}"#, .core(.appSettings(defaults: ["a": .null]))),
        CommandCase("/v", .core(.version), as: "/version"),
        CommandCase("/exit", .core(.quit), as: "/quit"),
        CommandCase("/get subs details", .core(.subscriptions(details: true))),
        CommandCase("/get subs total 5", .core(.subscriptionsTotal(user: 5))),
        CommandCase("/get workers", .core(.workers())),
        CommandCase("/_quarantine retry 3", .core(.quarantine(.retry(3)))),
        CommandCase("//do /this", .core(.custom("do /this"))),
        CommandCase("//", .core(.custom(""))),
        CommandCase("/db encrypt k", encryption("", "k"), as: #"/_db encryption {"currentKey":"","newKey":"k","keepKey":false}"#),
        CommandCase("/db key a b", encryption("a", "b"), as: #"/_db encryption {"currentKey":"a","newKey":"b","keepKey":false}"#),
        CommandCase("/db decrypt k", encryption("k", ""), as: #"/_db encryption {"currentKey":"k","newKey":"","keepKey":false}"#),
        CommandCase("/db test key 'k'", .database(.testKey("'k'"))),
        CommandCase("/db export", .database(.exportArchive(nil))),
        CommandCase(
            #"/_db export {"archivePath":"/a.zip","disableCompression":true}"#,
            .database(.exportArchive(ArchiveConfig(archivePath: "/a.zip", disableCompression: true)))),
        CommandCase("/sql chat SELECT  1", .database(.chatSQL("SELECT  1"))),
    ]

    private static func encryption(_ current: String, _ new: String) -> ChatCommand {
        .database(.changeEncryption(DatabaseEncryptionConfig(currentKey: current, newKey: new, keepKey: false)))
    }

    static let devices: [CommandCase] = [
        CommandCase("/set device name my  phone", .devices(.setName("my  phone"))),
        CommandCase("/start remote host new", .devices(.startHost(nil))),
        CommandCase(
            "/start remote host 2 multicast=on addr=10.0.0.1 iface=eth0 port=65535",
            .devices(.startHost(KnownHost(id: 2, multicast: true), address: "addr=10.0.0.1 iface=eth0", port: 65_535))),
        CommandCase("/start remote host new port=70000", .devices(.startHost(nil, port: .max)), as: "/start remote host new port=65535"),
        CommandCase("/switch remote host local", .devices(.switchHost(nil))),
        CommandCase("/stop remote host 4", .devices(.stopHost(4))),
        CommandCase("/store remote file 1 encrypt=off /a b", .devices(.storeFile(host: 1, encrypt: false, path: "/a b"))),
        CommandCase("/store remote file 1 encrypt=no", .devices(.storeFile(host: 1, path: "encrypt=no"))),
        CommandCase(#"/get remote file 1 {"fileId":5}"#, .devices(.getFile(host: 1, ["fileId": 5]))),
        CommandCase("/crc xrcp:/ab@c", .devices(.connectController("xrcp:/ab@c")), as: "/connect remote ctrl xrcp:/ab@c"),
        CommandCase("/verify remote ctrl 1 2", .devices(.verifyController(code: "1 2"))),
        CommandCase(
            #"/_call invite @4 {"media":"audio","capabilities":{"encryption":true}}"#,
            .calls(.invite(4, ["media": "audio", "capabilities": ["encryption": true]]))),
        CommandCase("/_call status @4 disconnected", .calls(.status(4, "disconnected"))),
        CommandCase("/_call get", .calls(.invitations)),
    ]

    @Test(arguments: core + devices) func suchACommandIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/_start main=", "/_start main=on snd_files=", "/_start main=on  snd_files=on", "/_app suspend", "/_app suspend -1", "/_app activate restore",
        "/_files_folder", "/_temp_folder ", "/set file paths {}", "/_save app settings", "/_save app settings []", "/_get app settings []",
        "/_get app settings{}", "/get subs total", "/get subs detail", "/_quarantine retry", "/_quarantine drop x", "/versions", "/_db export",
        "/_db export {}",
        "/db encrypt", "/db encrypt a b", "/db encrypt é", "/db key a", "/db key a  b", "/sql fast", "/start remote host", "/start remote host 1 addr=a",
        "/start remote host 1 iface=a", "/start remote host new port=", "/get remote file 1 []", "/connect remote ctrl https://a", "/switch remote host -1",
        "/_call invite @4 {}", #"/_call invite @4 {"media":"audio"}"#, #"/_call offer @4 {"callType":{}}"#, "/_call answer @4 []", "/_call status @4 gone",
        "/_call status @4", "/_call end 4",
    ]) func whatIsNotQuiteSuchACommandIsRefused(text: String) { expectRefused(text) }

    /// An id that nothing has: the command is understood, and there is no such profile.
    @Test(arguments: ["9223372036854775807", "9223372036854775808", "99999999999999999999999999", "0009223372036854775807"])
    func aNumberThatIsTooLargeIsTheLargest(digits: String) throws {
        #expect(try ChatCommand(parsing: "/_user \(digits)") == .users(.setActive(UserID(.max))))
        #expect(try ChatCommand(parsing: "/_app suspend \(digits)") == .core(.suspend(timeout: .max)))
        #expect(try ChatCommand(parsing: "/chats \(digits)") == .console(.lastChats(.max)))
    }

    @Test(arguments: ["/users", "/version", "/_stop", "/_check running", "/_ntf get", "/find remote ctrl", "/delete bot commands", "/get queues"])
    func whiteSpaceIsAllowedBehindACommandOnly(text: String) throws {
        let command = try ChatCommand(parsing: text)
        for end in [" ", "\n", "\r\n", "\t\u{B}\u{C} "] { #expect(try ChatCommand(parsing: text + end) == command) }
        for wrong in [" " + text, "\n" + text, text + " x", text + "x", text + "\u{A0}", text + "\0", text.uppercased()] { expectRefused(wrong) }
    }
}
