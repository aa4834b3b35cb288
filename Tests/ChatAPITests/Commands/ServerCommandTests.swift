import ChatAPI
import ChatProtocol
import SMPWire
import Testing

/// Commands about servers, the network and files.
@Suite struct ServerCommandTests {
    private static let key = Base64URL.encode(Array(repeating: 7, count: 32))
    private static let router = "smp://\(key)@a.example:5223"
    private static let fileRouter = "xftp://\(key):password@b.example,c.onion"
    private static let relay = "https://a.example/r#\(key)?p=5223"
    private static let on = ServerRoles(storage: true, proxy: true, names: true)
    private static let off = ServerRoles(storage: false, proxy: false, names: false)
    private static let description = ["party", "size", "digest", "key", "nonce", "chunkSize", "replicas"].map { "\($0)%3A%20x%0A" }.joined()
    private static let file = "simplex:/file#/?desc=\(description)"

    static let servers: [CommandCase] = [
        CommandCase("/_servers 1", .servers(.userServers(user: 1))),
        CommandCase(
            #"/_servers 1 [{"smpServers":[],"xftpServers":[],"chatRelays":[]}]"#,
            .servers(.setUserServers(user: 1, [UserOperatorServers(smpServers: [], xftpServers: [], chatRelays: [])]))),
        CommandCase("/_validate_servers 1 []", .servers(.validate(user: 1, []))),
        CommandCase("/smp", .servers(.protocolServers(.smp))),
        CommandCase("/xftp default", .servers(.setProtocolServers(.xftp, []))),
        CommandCase(
            "/smp \(router);\(router) \(router)", .servers(.setProtocolServers(.smp, [router, router, router])), as: "/smp \(router) \(router) \(router)"),
        CommandCase("/xftp \(fileRouter)", .servers(.setProtocolServers(.xftp, [fileRouter]))),
        CommandCase("/_server test 1 \(router)", .servers(.test(user: 1, server: router))),
        CommandCase("/xftp test \(fileRouter)", .servers(.test(user: nil, server: fileRouter))),
        CommandCase("/ntf test ntf://\(key)@n.example", .servers(.test(user: nil, server: "ntf://\(key)@n.example"))),
        CommandCase("/_relay test 1 \(relay)", .servers(.testRelay(user: 1, address: relay))),
        CommandCase("/relay test \(relay)", .servers(.testRelay(user: nil, address: relay))),
        CommandCase("/relays", .servers(.relays)),
        CommandCase(
            "/relays name=a \(relay) name= \(relay)",
            .servers(.setRelays([NewChatRelay(name: "a", address: relay), NewChatRelay(name: "", address: relay)]))),
        CommandCase("/_operators", .servers(.operators)),
        CommandCase(
            "/operators 1:on,2:off:smp=proxy:xftp=storage", .servers(.setOperatorRoles([roles(1, true), roles(2, false, proxy, storage)])),
            as: "/operators 1:on:smp=on:xftp=on,2:off:smp=proxy:xftp=storage"),
        CommandCase("/operators 1:on:xftp=off", .servers(.setOperatorRoles([roles(1, true, on, off)])), as: "/operators 1:on:smp=on:xftp=off"),
        CommandCase("/_conditions", .servers(.conditions)),
        CommandCase("/_conditions_notified 2", .servers(.setConditionsNotified(2))),
        CommandCase("/_accept_conditions 2 1,3", .servers(.acceptConditions(2, operators: [1, 3]))),
        CommandCase("/net", .servers(.networkConfig), as: "/network"),
        CommandCase("/network socks=off smp-proxy=never timeout=10", .servers(.changeNetwork("socks=off smp-proxy=never timeout=10"))),
        CommandCase(#"/_network info {"networkType":"none","online":false}"#, .servers(.setNetworkInfo(UserNetworkInfo(networkType: "none", online: false)))),
        CommandCase("/reconnect", .servers(.reconnectAll)),
        CommandCase("/reconnect 1 \(router)", .servers(.reconnect(user: 1, server: router))),
    ]

    private static let proxy = ServerRoles(storage: false, proxy: true, names: false)
    private static let storage = ServerRoles(storage: true, proxy: false, names: false)

    private static func roles(_ id: ServerOperatorID, _ enabled: Bool, _ smp: ServerRoles = on, _ xftp: ServerRoles = on) -> ServerOperatorRoles {
        ServerOperatorRoles(operatorID: id, enabled: enabled, smpRoles: smp, xftpRoles: xftp)
    }

    static let files: [CommandCase] = [
        CommandCase("/fr 1", .files(.receive(1)), as: "/freceive 1"),
        CommandCase(
            "/freceive 1 approved_relays=on encrypt=off inline=on /a b", .files(.receive(1, approvedRelays: true, encrypt: false, inline: true, path: "/a b"))),
        CommandCase("/freceive 1  encrypt=on", .files(.receive(1, path: " encrypt=on"))),
        CommandCase(
            "/_set_file_to_receive 1 approved_relays=off encrypt=on", .files(.setToReceive(1, encrypt: true)), as: "/_set_file_to_receive 1 encrypt=on"),
        CommandCase("/fc 1", .files(.cancel(1)), as: "/fcancel 1"),
        CommandCase("/fs 1", .files(.status(1)), as: "/fstatus 1"),
        CommandCase("/_upload 1 /a b", .files(.upload(user: 1, CryptoFile(filePath: "/a b")))),
        CommandCase(
            "/_upload 1  key=K nonce=N /a b",
            .files(.upload(user: 1, CryptoFile(filePath: "/a b", cryptoArguments: CryptoFileArguments(fileKey: "K", fileNonce: "N"))))),
        CommandCase("/_download info \(file)", .files(.linkInfo(file))),
        CommandCase("/_download 1 \(file) approved_relays=off /a", .files(.download(user: 1, link: file, CryptoFile(filePath: "/a"), approvedRelays: false))),
    ]

    @Test(arguments: servers + files) func suchACommandIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/_servers 1 []", "/_servers 1 {}", "/smp x", "/smp \(fileRouter)", "/xftp \(router)", "/smp smp://\(key)", "/smp smp://\(key)@",
        "/smp smp://AAAA@a.example",
        "/smp default \(router)", "/smp test \(fileRouter)", "/_server test 1 https://\(key)@a", "/_server test \(router)",
        "/relay test https://a.example/r", "/relay test https://a.example/r#AAAA", "/relays \(relay)", "/relays name=a", "/_operators []", "/operators",
        "/operators 1", "/operators 1:on,", "/operators 1:on:smp=all", "/operators 1:on:xftp=on:smp=on", "/_accept_conditions 2", "/_accept_conditions 2 ",
        "/_network {}", "/_network info {}", "/network socks=", "/network timeout=10", "/network socks=off timeout=-1", "/network socks=off timeout=4294967296",
        "/network socks=off log=on timeout=1", "/network socks=off  log=on", "/network socks=off smp-proxy=sometimes", "/reconnect 1",
        "/reconnect 1 \(fileRouter)",
    ]) func whatIsNotQuiteACommandAboutServersIsRefused(text: String) { expectRefused(text) }

    @Test(arguments: [
        "/fr", "/fr x", "/_set_file_to_receive 1 /path", "/fc", "/_upload", "/_upload /a", "/_download info \(file.dropLast(30))",
        "/_download info http://a.example/file#/?desc=\(description)", "/_download 1 \(file)", "/_download \(file) /a",
        "/_download 1 simplex:/file#/?desc= /a", "/_download 1 simplex:/contact#/?desc=\(description) /a",
    ]) func whatIsNotQuiteACommandAboutFilesIsRefused(text: String) { expectRefused(text) }

    @Test(arguments: [
        "socks=on", "socks=127.0.0.1:9050 socks-mode=onion host-mode=onionViaSocks required-host-mode", "socks=off smp-proxy=unknown smp-proxy-fallback=no",
        "socks=off smp-web-port", "socks=off smp-web-port-servers=preset timeout=4294967295 log=off",
    ]) func optionsOfTheNetworkStandInTheirOrder(options: String) throws {
        #expect(try ChatCommand(parsing: "/net \(options)") == .servers(.changeNetwork(options)))
    }
}
