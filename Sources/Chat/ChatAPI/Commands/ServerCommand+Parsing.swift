import ChatProtocol
import SMPWire

extension ServerCommand {
    static let forms: [CommandForm] = lists + operatorForms + networkForms

    private static let lists: [CommandForm] = [
        CommandForm("/_servers ") { r throws(CommandMismatch) in .servers(.userServers(user: try r.id())) },
        CommandForm("/_servers ") { r throws(CommandMismatch) in
            let user = try r.idSpace(UserID.self)
            let servers: [UserOperatorServers] = try r.json()
            guard !servers.isEmpty else { throw CommandMismatch() }
            return .servers(.setUserServers(user: user, servers))
        },
        CommandForm("/_validate_servers ") { r throws(CommandMismatch) in
            .servers(.validate(user: try r.idSpace(), try r.json()))
        },
        CommandForm("/_server test ") { r throws(CommandMismatch) in
            .servers(.test(user: try r.idSpace(), server: try r.server(nil)))
        },
        CommandForm("/smp test ") { r throws(CommandMismatch) in .servers(.test(user: nil, server: try r.server(.smp))) },
        CommandForm("/xftp test ") { r throws(CommandMismatch) in .servers(.test(user: nil, server: try r.server(.xftp))) },
        CommandForm("/ntf test ") { r throws(CommandMismatch) in .servers(.test(user: nil, server: try r.server(.ntf))) },
        CommandForm("/smp ") { r throws(CommandMismatch) in .servers(.setProtocolServers(.smp, try r.servers(.smp))) },
        CommandForm("/xftp ") { r throws(CommandMismatch) in .servers(.setProtocolServers(.xftp, try r.servers(.xftp))) },
        CommandForm("/smp") { _ in .servers(.protocolServers(.smp)) },
        CommandForm("/xftp") { _ in .servers(.protocolServers(.xftp)) },
        CommandForm("/_relay test ") { r throws(CommandMismatch) in
            .servers(.testRelay(user: try r.idSpace(), address: try r.relayAddress()))
        },
        CommandForm("/relay test ") { r throws(CommandMismatch) in
            .servers(.testRelay(user: nil, address: try r.relayAddress()))
        },
        CommandForm("/relays ") { r throws(CommandMismatch) in
            var relays: [NewChatRelay] = []
            repeat {
                try r.expect("name=")
                let name = r.word()
                try r.expect(" ")
                relays.append(NewChatRelay(name: name, address: try r.relayAddress()))
            } while r.skip(" ")
            return .servers(.setRelays(relays))
        },
        CommandForm("/relays") { _ in .servers(.relays) },
    ]

    private static let operatorForms: [CommandForm] = [
        CommandForm("/_operators ") { r throws(CommandMismatch) in
            let operators: [ServerOperator] = try r.json()
            guard !operators.isEmpty else { throw CommandMismatch() }
            return .servers(.setOperators(operators))
        },
        CommandForm("/_operators") { _ in .servers(.operators) },
        CommandForm("/operators ") { r throws(CommandMismatch) in
            var roles = [try r.operatorRoles()]
            while r.skip(",") { roles.append(try r.operatorRoles()) }
            return .servers(.setOperatorRoles(roles))
        },
        CommandForm("/_conditions") { _ in .servers(.conditions) },
        CommandForm("/_conditions_notified ") { r throws(CommandMismatch) in
            .servers(.setConditionsNotified(try r.id()))
        },
        CommandForm("/_accept_conditions ") { r throws(CommandMismatch) in
            .servers(.acceptConditions(try r.idSpace(), operators: try r.ids()))
        },
    ]

    private static let networkForms: [CommandForm] = [
        CommandForm("/_network info ") { r throws(CommandMismatch) in .servers(.setNetworkInfo(try r.json())) },
        CommandForm("/_network ") { r throws(CommandMismatch) in .servers(.setNetworkConfig(try r.json())) },
        CommandForm("/network ", "/net ") { r throws(CommandMismatch) in
            .servers(.changeNetwork(try r.networkOptions()))
        },
        CommandForm("/network", "/net") { _ in .servers(.networkConfig) },
        CommandForm("/reconnect ") { r throws(CommandMismatch) in
            .servers(.reconnect(user: try r.idSpace(), server: try r.server(.smp)))
        },
        CommandForm("/reconnect") { _ in .servers(.reconnectAll) },
    ]
}

extension CommandReader {
    /// The address of a server of one protocol, or of any: `smp://fingerprint@host`.
    fileprivate mutating func server(_ kind: ServerProtocol?) throws(CommandMismatch) -> String {
        let address = take { !Self.isSpace($0) && $0 != UInt8(ascii: ";") }
        let parts = address.split(separator: "://", maxSplits: 1)
        guard parts.count == 2, let found = ServerProtocol(rawValue: String(parts[0])), kind ?? found == found,
            let at = parts[1].firstIndex(of: "@")
        else { throw CommandMismatch() }
        let fingerprint = parts[1][..<at].prefix { $0 != ":" }
        let host = parts[1][parts[1].index(after: at)...]
        guard Base64URL.decode(String(fingerprint))?.count == 32, !host.isEmpty else { throw CommandMismatch() }
        return address
    }

    /// Addresses with spaces or semicolons between them, or `default` for none of one's own.
    fileprivate mutating func servers(_ kind: ServerProtocol) throws(CommandMismatch) -> [String] {
        if skip("default") { return [] }
        var servers = [try server(kind)]
        while skip(" ") || skip(";") { servers.append(try server(kind)) }
        return servers
    }

    /// The address of a chat relay: a short link.
    fileprivate mutating func relayAddress() throws(CommandMismatch) -> String {
        let link = word()
        guard ServerCommand.isRelayAddress(link) else { throw CommandMismatch() }
        return link
    }

    /// `1:on`, optionally with `:smp=` and `:xftp=` after it.
    fileprivate mutating func operatorRoles() throws(CommandMismatch) -> ServerOperatorRoles {
        let id = try id(ServerOperatorID.self)
        try expect(":")
        let enabled = try flag()
        let all = ServerRoles(storage: true, proxy: true, names: true)
        let smp = skip(":smp=") ? try roles() : all
        let xftp = skip(":xftp=") ? try roles() : all
        return ServerOperatorRoles(operatorID: id, enabled: enabled, smpRoles: smp, xftpRoles: xftp)
    }

    private mutating func roles() throws(CommandMismatch) -> ServerRoles {
        switch take(while: { !":,".utf8.contains($0) }) {
        case "on": return ServerRoles(storage: true, proxy: true, names: true)
        case "storage": return ServerRoles(storage: true, proxy: false, names: false)
        case "proxy": return ServerRoles(storage: false, proxy: true, names: false)
        case "off": return ServerRoles(storage: false, proxy: false, names: false)
        default: throw CommandMismatch()
        }
    }

    private static let networkOptions: [(name: String, isValid: @Sendable (String) -> Bool)] = [
        ("socks-mode=", { ["always", "onion"].contains($0) }),
        ("host-mode=", { ["public", "onion", "onionViaSocks"].contains($0) }),
        ("required-host-mode", \.isEmpty),
        ("smp-proxy=", { ["always", "unknown", "unprotected", "never"].contains($0) }),
        ("smp-proxy-fallback=", { ["yes", "protected", "no"].contains($0) }),
        ("smp-web-port-servers=", { ["all", "preset", "off"].contains($0) }),
        ("smp-web-port", \.isEmpty),
        ("timeout=", { UInt32($0) != nil }),
        ("log=", { ["on", "off"].contains($0) }),
    ]

    /// `socks=`, then other options in a fixed order.
    fileprivate mutating func networkOptions() throws(CommandMismatch) -> String {
        let text = rest()
        var words = text.split(separator: " ", omittingEmptySubsequences: false)[...]
        guard let socks = words.popFirst(), socks.hasPrefix("socks="), socks.count > 6 else { throw CommandMismatch() }
        for option in Self.networkOptions {
            guard let word = words.first, word.hasPrefix(option.name) else { continue }
            guard option.isValid(String(word.dropFirst(option.name.count))) else { continue }
            words.removeFirst()
        }
        guard words.isEmpty else { throw CommandMismatch() }
        return text
    }
}

extension ServerCommand {
    /// Tells whether a text can be the address of a chat relay: a short link with a key of 32 bytes.
    package static func isRelayAddress(_ link: String) -> Bool {
        guard LinkShape(link) == .short, let hash = link.firstIndex(of: "#") else { return false }
        let key = link[link.index(after: hash)...].prefix { $0 != "?" }
        return Base64URL.decode(String(key))?.count == 32
    }
}
