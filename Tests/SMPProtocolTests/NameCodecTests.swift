import Foundation
import SMPProtocol
import SMPWire
import Testing

/// Names of the network, the command that resolves them, and what it is answered with.
@Suite struct NameCodecTests {
    static let domains = ["acme.simplex", "a.b.acme.simplex", "acme.testing", "acme.com", "a-1.b2.co.uk"].compactMap { try? SimpleXDomain(wireString: $0) }
    static let recordJSON =
        #"{"name":"acme.simplex","nickname":"Acme","website":"","location":"","simplexContact":["simplex:/a#1","simplex:/a#2"],"#
        + #""simplexChannel":[],"eth":null,"xmr":"48a","owner":"0x00000000000000000000000000000000000000aa","resolver":"0x00","later":{"a":[1]}}"#
    static let records = [Bytes(recordJSON.utf8)].compactMap { try? NameRecord(json: $0) }

    @Test func aDomainHasItsPartsAndIsWrittenInLowerCase() throws {
        #expect(Self.domains.count == 5 && Self.records.count == 1)
        let deep = try SimpleXDomain(wireString: "A.b.ACME.Simplex")
        #expect(deep.topLevel == .simplex && deep.domain == "acme" && deep.subdomains == ["b", "a"])
        #expect(deep.wireString == "a.b.acme.simplex" && deep.fullName == "a.b.acme.simplex")
        let test = try SimpleXDomain(wireString: "x.testing")
        #expect(test.topLevel == .testing && test.domain == "x" && test.subdomains.isEmpty)
        let web = try SimpleXDomain(wireString: "News.Acme.co.uk")
        #expect(web.topLevel == .web && web.domain == "news.acme.co.uk" && web.subdomains.isEmpty)
        // `web` is a top level that somebody may have.
        #expect(try SimpleXDomain(wireString: "acme.web").topLevel == .web)
        for domain in Self.domains { #expect(try SimpleXDomain(wireBytes: domain.wireBytes) == domain) }
    }

    @Test(arguments: [
        ("", 0), ("acme", 0), (".simplex", 0), ("acme.", 5), ("acme..simplex", 5), ("-acme.simplex", 0), ("acme-.simplex", 5), ("ac--me.simplex", 3),
        ("acme.simplex-", 13), ("ac_me.simplex", 2), ("\u{430}cme.simplex", 0), ("acme.simplex\u{0}", 12), ("acme.simplex/", 12), ("acme simplex", 0),
        ("acme.simplex ", 12), ("acme\n.simplex", 0), ("@acme.simplex", 0), ("xn--acme.simplex", 3),
    ])
    func aDomainThatIsNoneIsRefusedWithItsPlace(_ text: String, _ offset: Int) {
        let error = #expect(throws: WireError.self) { try SimpleXDomain(wireString: text) }
        #expect(error?.offset == offset, "\(String(describing: error))")
    }

    @Test func lengthsAreBounded() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try SimpleXDomain(wireString: label + ".simplex").domain == label)
        #expect(throws: WireError.self) { try SimpleXDomain(wireString: label + "a.simplex") }
        let longest = [label, label, label, String(repeating: "b", count: 53), "simplex"].joined(separator: ".")
        #expect(longest.utf8.count == 253)
        #expect(try SimpleXDomain(wireString: longest).wireString == longest)
        #expect(throws: WireError(.tooLong, "a name of at most 253 bytes", at: 0)) { try SimpleXDomain(wireString: "c" + longest) }
        #expect(throws: WireError.self) { try SimpleXDomain(wireString: String(repeating: "a.", count: 200_000) + "simplex") }
    }

    @Test(arguments: [
        ("#news", "#news.simplex", "#news"), ("news", "#news.simplex", "#news"), ("#News.simplex", "#news.simplex", "#news"),
        ("news.simplex", "#news.simplex", "#news"), ("#a.news.simplex", "#a.news.simplex", "#a.news.simplex"), ("#news.com", "#news.com", "#news.com"),
        ("@ann.simplex", "@ann.simplex", "@ann.simplex"), ("simplex:/name@ann.testing", "@ann.testing", "@ann.testing"),
        ("simplex:/name#news", "#news.simplex", "#news"), ("simplex:/namenews", "#news.simplex", "#news"),
    ])
    func aNameIsReadAndPrinted(_ text: String, _ whole: String, _ short: String) throws {
        let name = try SimpleXName(wireString: text)
        #expect(name.wireString == whole && name.shortName == short)
        #expect(try SimpleXName(wireString: whole) == name && SimpleXName(wireString: short) == name)
        #expect(name.kind == (whole.hasPrefix("@") ? .contact : .publicGroup))
        #expect(try JSONDecoder().decode(SimpleXName.self, from: try JSONEncoder().encode(name)) == name)
    }

    @Test(arguments: ["", "@", "#", "@ann", "##news", "@#news", "#@ann.simplex", "simplex:/name", "simplex:/name@ann", "#news..simplex", "#news simplex"])
    func aNameThatIsNoneIsRefused(_ text: String) { #expect(throws: WireError.self) { try SimpleXName(wireString: text) } }

    @Test func theJSONOfANameHasTheMembersOfTheProtocol() throws {
        let json = #"{"nameType":"contact","nameDomain":{"nameTLD":"simplex","domain":"acme","subDomain":["b","a"]}}"#
        let name = try JSONDecoder().decode(SimpleXName.self, from: Data(json.utf8))
        #expect(name.wireString == "@a.b.acme.simplex")
        let again = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(name)) as? [String: Any]
        #expect(again?["nameType"] as? String == "contact")
        #expect((again?["nameDomain"] as? [String: Any])?["subDomain"] as? [String] == ["b", "a"])
        for wrong in [
            #"{"nameTLD":"simplex","domain":"ac me","subDomain":[]}"#, #"{"nameTLD":"simplex","domain":"","subDomain":[]}"#,
            #"{"nameTLD":"web","domain":"acme.simplex","subDomain":[]}"#, #"{"nameTLD":"web","domain":"acme.com","subDomain":["a"]}"#,
            #"{"nameTLD":"simplex","domain":"a.acme","subDomain":[]}"#, #"{"nameTLD":"x","domain":"acme","subDomain":[]}"#,
        ] { #expect(throws: DecodingError.self, "\(wrong)") { try JSONDecoder().decode(SimpleXDomain.self, from: Data(wrong.utf8)) } }
    }

    @Test func theCommandCarriesTheWholeName() throws {
        for domain in Self.domains {
            let bytes = SMPCommand.rslv(domain).bytes(version: 20)
            #expect(bytes == Bytes("RSLV \(domain.fullName)".utf8))
            #expect(try SMPCommand(parsing: bytes, version: 20) == .rslv(domain))
            // What a later version may add is not read.
            #expect(try SMPCommand(parsing: bytes + Bytes(" later".utf8), version: 20) == .rslv(domain))
        }
        for text in ["RSLV", "RSLV ", "RSLV acme", "RSLV acme.simplex\u{0}", "RSLV  acme.simplex", "RSLV " + String(repeating: "a.", count: 8_000)] {
            #expect(throws: SMPErrorType.command(.syntax)) { try SMPCommand(parsing: Bytes(text.utf8), version: 20) }
        }
    }

    @Test func aRecordIsReadAndPassedOnAsItCame() throws {
        let bytes = Bytes(("RNAME " + Self.recordJSON).utf8)
        guard case .rname(let record) = try SMPBrokerMessage(parsing: bytes, version: 20) else {
            Issue.record("another answer")
            return
        }
        #expect(record.name == "acme.simplex" && record.nickname == "Acme" && record.website.isEmpty)
        #expect(record.contactLinks == ["simplex:/a#1", "simplex:/a#2"] && record.channelLinks.isEmpty)
        #expect(record.coins == ["xmr": "48a"] && record.owner.hasSuffix("aa") && record.resolver == "0x00")
        #expect(SMPBrokerMessage.rname(record).bytes(version: 20) == bytes, "with what this version does not know")
    }

    @Test func whatIsNoRecordIsRefused() {
        var texts = ["", "{}", "[]", "null", "{", Self.recordJSON + "}", String(repeating: "[", count: 16_000)]
        for member in ["name", "nickname", "website", "location", "simplexContact", "simplexChannel", "owner", "resolver"] {
            texts.append(Self.recordJSON.replacing("\"\(member)\":", with: "\"x\":"))
            texts.append(Self.recordJSON.replacing("\"\(member)\":", with: "\"\(member)\":5,\"x\":"))
        }
        for text in texts {
            #expect(throws: SMPErrorType.command(.syntax), "\(text.prefix(60))") {
                try SMPBrokerMessage(parsing: Bytes(("RNAME " + text).utf8), version: 20)
            }
        }
    }

    @Test func errorsOfResolutionHaveTheirWords() {
        #expect(SMPErrorType.name(.noResolver).wireString == "NAME NO_RESOLVER")
        #expect(SMPErrorType.name(.notFound).wireBytes == Bytes("NAME NOT_FOUND".utf8))
        #expect(SMPErrorType.name(.resolver("HTTP 502")).wireBytes == Bytes("NAME RESOLVER HTTP 502".utf8))
        let json = try? JSONEncoder().encode(SMPErrorType.name(.resolver("x")))
        let object = (try? JSONSerialization.jsonObject(with: json ?? Data())) as? [String: Any]
        #expect(object?["type"] as? String == "NAME")
        #expect(object?["nameErr"] as? [String: String] == ["type": "RESOLVER", "resolverErr": "x"])
    }
}
