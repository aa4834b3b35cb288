import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import Testing
import VectorSupport

@Suite struct LinkVectorTests {
    @Test(arguments: try Vectors.cases("links", kinds: "e2e-params"))
    func ratchetParametersReadAndPrintAsRecorded(_ item: VectorCase) throws {
        let parameters = try item["value"].ratchetParameters()
        let text = try item.text("str")
        let bytes = try item.hex("binary")
        #expect(parameters.wireString == text)
        #expect(parameters.wireBytes == bytes)
        #expect(try RatchetParametersURI(wireString: text) == item["parsed"].ratchetParameters())
        #expect(try RatchetParametersURI(wireBytes: bytes) == parameters)
    }

    /// What answers a link's parameters: of one version, and the KEM may be accepted.
    @Test(arguments: try Vectors.cases("links", kinds: "e2e-params-binary"))
    func ratchetParametersOfOneVersionReadAndPrintAsRecorded(_ item: VectorCase) throws {
        var kem: RatchetParameters.KEM?
        if let proposed = item["kem"]["proposed_key"].hex { kem = .proposed(try SNTRUP761.PublicKey(proposed)) }
        if let ciphertext = item["kem"]["ciphertext"].hex {
            kem = .accepted(try SNTRUP761.Ciphertext(ciphertext), try SNTRUP761.PublicKey(try item["kem"]["key"].bytes()))
        }
        let parameters = RatchetParameters(
            version: try item.version("version"), key1: try X448.PublicKey(raw: try item.hex("x448_key1_raw")),
            key2: try X448.PublicKey(raw: try item.hex("x448_key2_raw")), kem: kem)
        let bytes = try item.hex("binary")
        #expect(parameters.wireBytes == bytes)
        #expect(try RatchetParameters(wireBytes: bytes) == parameters)
    }

    @Test(arguments: try Vectors.cases("links", kinds: "connection-request"))
    func aFullLinkReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let link = try item["value"].connectionRequest()
        let text = try item.text("str")
        let bytes = try item.hex("binary")
        #expect(link.wireString == text)
        #expect(link.wireBytes == bytes)
        #expect(try ConnectionRequestURI(wireString: text) == item["parsed"].connectionRequest())
        #expect(try ConnectionRequestURI(wireBytes: bytes) == item["parsed_binary"].connectionRequest())
        #expect(try ConnectionLink(wireString: text) == .full(item["parsed"].connectionRequest()))
    }

    @Test(arguments: try Vectors.cases("links", kinds: "connection-request-parse"))
    func aFullLinkInAnotherFormIsReadOrRefusedAsRecorded(_ item: VectorCase) throws {
        let text = try item.text("str")
        guard item["error"].isNull else {
            #expect(throws: WireError.self) { try ConnectionRequestURI(wireString: text) }
            #expect(throws: WireError.self) { try ConnectionLink(wireString: text) }
            return
        }
        #expect(try ConnectionRequestURI(wireString: text).wireString == item.text("re_encoded"))
    }

    @Test(arguments: try Vectors.cases("links", kinds: "short-link"))
    func aShortLinkReadsAndPrintsAsRecorded(_ item: VectorCase) throws {
        let link = try item["value"].shortLink()
        let text = try item.text("str")
        let bytes = try item.hex("binary")
        #expect(link.wireString == text)
        #expect(link.wireBytes == bytes)
        #expect(try ConnectionShortLink(wireString: text) == item["parsed"].shortLink())
        #expect(try ConnectionShortLink(wireBytes: bytes) == item["parsed_binary"].shortLink())
        #expect(try ConnectionLink(wireString: text) == .short(item["parsed"].shortLink()))
        for count in bytes.indices {
            #expect(throws: WireError.self) { try ConnectionShortLink(wireBytes: Bytes(bytes.prefix(count))) }
        }
    }

    @Test(arguments: try Vectors.cases("links", kinds: "short-link-parse"))
    func aShortLinkInAnotherFormIsReadOrRefusedAsRecorded(_ item: VectorCase) throws {
        let text = try item.text("str")
        guard item["error"].isNull else {
            #expect(throws: WireError.self) { try ConnectionShortLink(wireString: text) }
            return
        }
        #expect(try ConnectionShortLink(wireString: text).wireString == item.text("re_encoded"))
    }

    @Test(arguments: try Vectors.cases("links", kinds: "short-link-shorten"))
    func aShortLinkIsShortenedAndRestoredAsRecorded(_ item: VectorCase) throws {
        let servers = try item.list("preset_servers").map { try SMPServerAddress(wireString: try $0.text()) }
        let full = try ConnectionShortLink(wireString: try item.text("full"))
        let short = full.shortened(for: servers)
        #expect(short.wireString == (try item.text("shortened")))
        #expect(short.restored(for: servers).wireString == (try item.text("restored")))
    }

    @Test func linksThatLeadToOnePlaceAreTheSameContact() throws {
        let item = try #require(try Vectors.cases("links", kinds: "connection-request").first { $0.name == "contact simplex:" })
        let link = try item["value"].connectionRequest()
        var request = link.request
        request.agentVersions = VersionRange(7)
        request.queues[0].address.encryptionKey = AddressVectorTests.key
        #expect(ConnectionRequestURI.contact(request).isSameContact(as: link))
        request.queues[0].address.senderID = EntityID([1])
        #expect(!ConnectionRequestURI.contact(request).isSameContact(as: link))
    }

    @Test func aKeyDoesNotShowInADescription() { #expect("\(LinkKey([1, 2, 3]))" == "(link key)") }
}

@Suite struct LinkAttackTests {
    @Test func fullLinksTruncatedAtEveryByteNeverTrap() throws {
        for item in try Vectors.cases("links", kinds: "connection-request") {
            let text = Bytes(try item.text("str").utf8)
            for count in stride(from: 0, to: text.count, by: text.count > 1_000 ? 7 : 1) {
                var parser = WireParser(Bytes(text.prefix(count)))
                _ = try? parser.read(string: ConnectionRequestURI.self)
            }
            let bytes = try item.hex("binary")
            // The last byte is the tag of absent client data or the end of present data: nothing may be missing.
            for count in bytes.indices {
                #expect(throws: WireError.self) { try ConnectionRequestURI(wireBytes: Bytes(bytes.prefix(count))) }
            }
        }
    }

    @Test func linksOfAPersonsFatFingersAreRefusedNotTrapped() {
        let texts = [
            "", "simplex:", "simplex:/", "https://", "https://simplex.chat/contact#/?v=2-7", "simplex:/contact#/?v=9-1&smp=x",
            "simplex:/a#", "simplex:/a#AAAA?h=", "https://h/i#AAAA", "https://h/i#AAAA/", "https:///a#AAAA", "simplex:/a#A?h=h",
            "https://h/a#AAAA?p=99999", "https://h/a#AAAA?p=abc", "https://h/a#AAAA?c=%%%", "https://h/a#AAAA?h=a b",
            "simplex:/contact#/?v=2&smp=%", "https://h/a#" + String(repeating: "A", count: 400),
            "https://h/i#" + String(repeating: "A", count: 400) + "/AAAA",
        ]
        for text in texts {
            #expect(throws: WireError.self, "\(text)") { try ConnectionShortLink(wireString: text) }
            #expect(throws: WireError.self, "\(text)") { try ConnectionRequestURI(wireString: text) }
        }
    }

    @Test func whatIsReadFromAHostileLinkCanBeEncoded() throws {
        let hosts = Array(repeating: "a", count: 255).joined(separator: ",")
        let link = try ConnectionShortLink(wireString: "simplex:/a#AAAA?h=\(hosts)")
        #expect(try ConnectionShortLink(wireBytes: link.wireBytes).with(scheme: .simplex) == link)
        #expect(throws: WireError.self) { try ConnectionShortLink(wireString: "simplex:/a#AAAA?h=\(hosts),a") }
        let item = try #require(try Vectors.cases("links", kinds: "connection-request").first { $0.name == "contact simplex:" })
        let text = try item.text("str")
        let data = String(repeating: "x", count: 65_535)
        let longest = try ConnectionRequestURI(wireString: text + "&data=" + data)
        #expect(try ConnectionRequestURI(wireBytes: longest.wireBytes).request.clientData == data)
        #expect(throws: WireError.self) { try ConnectionRequestURI(wireString: text + "&data=x" + data) }
    }

    @Test func ratchetParametersThatALinkMustNotHaveAreRefused() throws {
        let item = try #require(try Vectors.cases("links", kinds: "e2e-params").last { $0.name.contains("kem proposed") })
        let text = try item.text("str")
        #expect(throws: WireError.self) { try RatchetParametersURI(wireString: text + "&kem_ct=AAAA") }
        #expect(throws: WireError.self) { try RatchetParametersURI(wireString: "v=2-3&x3dh=AAAA,AAAA") }
        #expect(throws: WireError.self) { try RatchetParametersURI(wireString: "v=2-3") }
        let oneKey = text.prefix { $0 != "," }
        #expect(throws: WireError.self) { try RatchetParametersURI(wireString: String(oneKey)) }
        let bytes = try item.hex("binary")
        for count in stride(from: 0, to: bytes.count, by: 3) {
            #expect(throws: WireError.self) { try RatchetParametersURI(wireBytes: Bytes(bytes.prefix(count))) }
        }
    }
}

extension VectorValue {
    func ratchetParameters() throws -> RatchetParametersURI {
        RatchetParametersURI(
            versions: try self["versions"].versionRange(), key1: try X448.PublicKey(raw: try self["x448_key1_raw"].bytes()),
            key2: try X448.PublicKey(raw: try self["x448_key2_raw"].bytes()),
            kemKey: self["kem"].isNull ? nil : try SNTRUP761.PublicKey(try self["kem"]["proposed_key"].bytes()))
    }

    func connectionRequest() throws -> ConnectionRequestURI {
        let request = ConnectionRequest(
            scheme: try LinkScheme(wireString: try self["scheme"].text()),
            agentVersions: try self["agent_versions"].versionRange(),
            queues: try self["queues"].list().map { try $0.queueURI() }, clientData: self["client_data"].string)
        switch try self["mode"].text() {
        case "invitation": return .invitation(request, try self["e2e"].ratchetParameters())
        case "contact": return .contact(request)
        default: throw VectorError(description: "unknown mode")
        }
    }

    func shortLink() throws -> ConnectionShortLink {
        let scheme: ShortLinkScheme = try self["scheme"].text() == "simplex" ? .simplex : .server
        let port = try self["server"]["port"].text()
        let server = try #require(
            SMPServerAddress(
                hosts: try self["server"]["hosts"].list().map { try TransportHost(wireString: try $0.text()) },
                port: UInt16(port),
                keyHash: KeyHash(try self["server"]["key_hash"].bytes())))
        let key = LinkKey(try self["link_key"].bytes())
        let letter = try #require(try self["type"].text().utf8.first)
        if letter == UInt8(ascii: "i") {
            return .invitation(scheme: scheme, server: server, linkID: LinkID(try self["link_id"].bytes()), key: key)
        }
        return .contact(scheme: scheme, type: try #require(ContactLinkType(rawValue: letter & 0xDF)), server: server, key: key)
    }
}
