import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct AddressVectorTests {
    @Test(arguments: try Vectors.cases("links", kinds: "server"))
    func aRoutersAddressReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let text = try item.text("str")
        guard item["error"].isNull else {
            #expect(throws: WireError.self) { try SMPServerWithAuth(wireString: text) }
            return
        }
        let server = try SMPServerWithAuth(wireString: text)
        try expect(server, item["value"])
        #expect(server.wireString == item["re_encoded"].string ?? text)
        if server.basicAuth != nil {
            #expect(throws: WireError.self) { try SMPServerAddress(wireString: text) }
        } else {
            #expect(try SMPServerAddress(wireString: text) == server.server)
        }
    }

    @Test(arguments: try Vectors.cases("links", kinds: "xftp-server"))
    func aFileRoutersAddressReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let server = try XFTPServerWithAuth(wireString: try item.text("str"))
        try expect(server, item["value"])
        #expect(server.wireString == item["re_encoded"].string)
    }

    @Test(arguments: try Vectors.cases("links", kinds: "ntf-server"))
    func aNotificationServersAddressReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let server = try NotificationServerAddress(wireString: try item.text("str"))
        try expect(server, item["value"])
        #expect(server.wireString == item["re_encoded"].string)
    }

    private func expect<Scheme>(_ server: ServerWithAuth<Scheme>, _ value: VectorValue) throws {
        try expect(server.server, value["server"])
        #expect(server.basicAuth.map { String(decoding: $0.bytes, as: UTF8.self) } == value["basic_auth"].string)
    }

    private func expect<Scheme>(_ server: ServerAddress<Scheme>, _ value: VectorValue) throws {
        #expect(server.hosts.map(\.description) == (try value["hosts"].list().map { try $0.text() }))
        #expect(server.port.map(String.init) ?? "" == value["port"].string)
        #expect(server.keyHash.bytes == value["key_hash"].hex)
    }

    @Test(arguments: try Vectors.cases("links", kinds: "server-binary"))
    func aRoutersAddressHasTheRecordedBytes(_ item: VectorCase) throws {
        let bytes = try item.hex("hex")
        let server = try SMPServerAddress(wireBytes: bytes)
        try expect(server, item["value"])
        #expect(server.wireBytes == bytes)
        for count in bytes.indices {
            #expect(throws: WireError.self) { try SMPServerAddress(wireBytes: Bytes(bytes.prefix(count))) }
        }
        // Client version 1 had the first host without a count.
        let address = SMPQueueAddress(server: server, senderID: EntityID([1]), encryptionKey: Self.key, mode: nil)
        let legacy = SMPQueueInfo(clientVersion: 1, address: address).wireBytes
        #expect(Bytes(legacy.dropFirst(2)).starts(with: try item.hex("legacy_hex_first_host_only")))
    }

    static let key = X25519.generateKeyPair(SeededRandomSource(seed: 8)).publicKey

    @Test(arguments: try Vectors.cases("encoding").filter { $0["type"].string?.hasPrefix("TransportHost") == true })
    func aHostReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let text = try item.text("str")
        switch (item.kind, item["type"].string) {
        case ("string", "TransportHosts"):
            let hosts = try item.list("value").map { try TransportHost(wireString: try $0.text()) }
            var writer = WireWriter()
            writer.write(stringList: hosts)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        case ("string", _):
            #expect(try TransportHost(wireString: text).wireString == text)
        case ("string-decode", _):
            let host = try TransportHost(wireString: text)
            let fields = try #require(item["value"].object)
            switch host {
            case .domain(let name): #expect(fields == ["domain": .string(name)])
            case .ipv4: #expect(fields == ["ipv4": .string(host.description)])
            case .ipv6: #expect(fields == ["ipv6": .string(host.description)])
            case .onion(let name): #expect(fields == ["onion": .string(name)])
            }
        case ("string-decode-error", _): #expect(throws: WireError.self) { try TransportHost(wireString: text) }
        default: throw VectorError(description: "unknown kind \(item.kind)")
        }
    }

    @Test func hostsThatAreNoneAreRefused() {
        for text in ["", ":", "a b", "[::1", "[nonsense]", String(repeating: "a", count: 256), "a/b", "UPPER.onion"] {
            #expect(throws: WireError.self, "\(text)") { try TransportHost(wireString: text) }
        }
        #expect(throws: WireError.self) { try TransportHost(wireBytes: [0]) }
        #expect(throws: WireError.self) { try TransportHost(wireBytes: [3, 0x61, 0x20, 0x62]) }
    }

    @Test func aPasswordDoesNotShowInADescription() throws {
        let auth = try BasicAuth(wireString: "secret")
        #expect("\(auth)" == "(password)")
        #expect(BasicAuth(Bytes("a:b".utf8)) == nil)
        #expect(BasicAuth(Bytes(repeating: 0x61, count: 256)) == nil)
        #expect(throws: WireError.self) { try BasicAuth(wireBytes: [3, 0x61, 0x20, 0x62]) }
    }

    @Test(arguments: try Vectors.cases("encoding").filter { ["SubscriptionMode", "MsgFlags"].contains($0["type"].string) })
    func modesAndFlagsReadAndPrintAsRecorded(_ item: VectorCase) throws {
        switch (item.kind, item["type"].string) {
        case ("string", "SubscriptionMode"):
            let mode = try SubscriptionMode(wireString: try item.text("str"))
            #expect(mode.wireString == item["value"].string)
            #expect(try SubscriptionMode(wireBytes: mode.wireBytes) == mode)
        case ("binary", "MsgFlags"), ("binary-decode", "MsgFlags"):
            let flags = try MessageFlags(wireBytes: try item.hex("hex"))
            #expect(flags.notification == item["value"]["notification"].bool)
            if item.kind == "binary" { #expect(flags.wireBytes == (try item.hex("hex"))) }
        default: throw VectorError(description: "unknown case \(item.name)")
        }
    }

    @Test(arguments: try Vectors.cases("links", kinds: "queue-uri"))
    func aQueueAddressOfALinkReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let queue = try item["value"].queueURI()
        #expect(queue.wireString == (try item.text("str")))
        #expect(queue.wireBytes == (try item.hex("binary")))
        #expect(try SMPQueueURI(wireString: try item.text("str")) == item["parsed_str"].queueURI())
        #expect(try SMPQueueURI(wireBytes: try item.hex("binary")) == item["parsed_binary"].queueURI())
    }

    @Test(arguments: try Vectors.cases("links", kinds: "queue-uri-parse"))
    func aQueueAddressInAnotherFormIsReadOrRefusedAsRecorded(_ item: VectorCase) throws {
        let text = try item.text("str")
        guard item["error"].isNull else {
            #expect(throws: WireError.self) { try SMPQueueURI(wireString: text) }
            return
        }
        let queue = try SMPQueueURI(wireString: text)
        #expect(try queue == item["value"].queueURI())
        #expect(queue.wireString == (try item.text("re_encoded")))
    }

    @Test(arguments: try Vectors.cases("links", kinds: "queue-info"))
    func aQueueAddressOfOneVersionReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let info = SMPQueueInfo(clientVersion: try item.version("version"), address: try item["address"].queueAddress())
        let bytes = try item.hex("binary")
        #expect(info.wireBytes == bytes)
        #expect(
            try SMPQueueInfo(wireBytes: bytes)
                == SMPQueueInfo(clientVersion: info.clientVersion, address: try item["parsed_address"].queueAddress()))
        for count in 0..<bytes.count - 1 {
            #expect(throws: WireError.self) { try SMPQueueInfo(wireBytes: Bytes(bytes.prefix(count))) }
        }
    }

    @Test func aQueueAddressIsUsedAtTheHighestCommonVersion() throws {
        let item = try #require(try Vectors.cases("links", kinds: "queue-uri").first { $0.name.contains("v1-4") })
        let queue = try item["value"].queueURI()
        #expect(queue.compatible()?.clientVersion == 4)
        #expect(queue.compatible(with: VersionRange(2...3))?.clientVersion == 3)
        #expect(queue.compatible(with: VersionRange(5...9)) == nil)
    }
}

extension VectorValue {
    func queueAddress() throws -> SMPQueueAddress {
        SMPQueueAddress(
            server: try SMPServerAddress(wireString: try self["server_str"].text()),
            senderID: EntityID(try self["sender_id"].bytes()),
            encryptionKey: try X25519.PublicKey(spki: try self["dh_key_spki"].bytes()),
            mode: try self["queue_mode"].string.map { try QueueMode(wireBytes: Bytes($0.utf8)) })
    }

    func queueURI() throws -> SMPQueueURI {
        SMPQueueURI(clientVersions: try self["versions"].versionRange(), address: try self["address"].queueAddress())
    }
}
