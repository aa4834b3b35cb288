import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport
import XFTPProtocol

@Suite struct DescriptionVectorTests {
    @Test(arguments: try Vectors.cases("xftp", kinds: "file-description"))
    func aDescriptionIsWrittenAsRecordedAndReadsBack(_ item: VectorCase) throws {
        let description = try item["value"].description()
        let yaml = try item.text("yaml")
        #expect(description.text == yaml)
        if try item["valid"].flag() {
            #expect(try FileDescription(parsing: yaml) == description)
        } else {
            #expect(throws: WireError.self) { try FileDescription(parsing: yaml) }
        }
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "file-description-parse"))
    func aDescriptionThatOfficialClientsReadIsReadAndOthersAreRefused(_ item: VectorCase) throws {
        let yaml = try item.text("yaml")
        if item["error"].bool == true {
            #expect(throws: WireError.self) { try FileDescription(parsing: yaml) }
        } else {
            #expect(try FileDescription(parsing: yaml) == item["value"].description())
        }
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "file-description-uri"))
    func aLinkIsWrittenAsRecordedAndReadsBack(_ item: VectorCase) throws {
        let text = try item.text("str")
        let link = try FileDescriptionLink(wireString: text)
        #expect(link.wireString == text)
        #expect(link.description.text == (try item.text("yaml")))
        #expect(link.clientData == item["client_data"].string)
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "size-string"))
    func aSizeIsWrittenAsRecordedAndReadsBack(_ item: VectorCase) throws {
        let (bytes, text) = (try item.integer("bytes"), try item.text("str"))
        #expect(FileSizeText.text(bytes) == text)
        #expect(FileSizeText.bytes(text) == bytes)
    }

    @Test(arguments: ["", "kb", "-1", "+1", "1 kb", "1tb", "1.5mb", "9223372036854775807gb", "99999999999999999999"])
    func whatIsNoSizeIsRefused(_ text: String) { #expect(FileSizeText.bytes(text) == nil) }

    @Test func aNonceThatWouldBeTakenForANumberIsQuotedAndReadsBack() throws {
        let item = try #require(try Vectors.cases("xftp", kinds: "file-description").first)
        var description = try item["value"].description()
        // Base64url of these bytes is 32 digits, and then dashes.
        for text in [String(repeating: "1", count: 32), "----" + String(repeating: "A", count: 28)] {
            let bytes = try #require(Base64URL.decode(text))
            description.nonce = try BoxNonce(bytes)
            #expect(description.text.contains("nonce: '\(text)'"))
            #expect(try FileDescription(parsing: description.text) == description)
        }
    }
}

@Suite struct HostileDescriptionTests {
    private static let valid = ((try? Vectors.cases("xftp", kinds: "file-description")) ?? []).compactMap { $0["yaml"].string }[1]

    @Test func aDescriptionThatIsCutOffAnywhereIsRefused() {
        let bytes = Bytes(Self.valid.utf8)
        // Without its last line feed, and with only a size of fewer digits, there are texts that can be read: those do not add up.
        for count in 0..<bytes.count - 1 {
            #expect(throws: WireError.self, "\(count)") { try FileDescription(parsing: String(decoding: bytes[..<count], as: UTF8.self)) }
        }
    }

    @Test(arguments: [
        "&a [*a, *a]", "a: &b\n  c: 1", "a: *b", "!!str a: 1", "a: |\n  text", "a: >\n  text", "{a: 1}", "[1, 2]", "- - - - - - - - - - - - 1", "a: 1\na: 2",
        "a: 'b", "a: \"\\x41\"", "a: 1\n   b: 2", "\t a: 1", "%YAML 1.1\n---\na: 1", "party", ": x", "? a\n: b",
    ])
    func yamlBeyondTheDialectIsRefused(_ text: String) { #expect(throws: WireError.self) { try FileDescription(parsing: text) } }

    @Test func aDescriptionOfEndlessDepthOrLengthIsRefused() {
        let deep = (0..<10_000).map { String(repeating: " ", count: $0 % 200) + "a:" }.joined(separator: "\n")
        #expect(throws: WireError.self) { try FileDescription(parsing: deep) }
        #expect(throws: WireError.self) { try FileDescription(parsing: String(repeating: "- ", count: 100_000)) }
        #expect(throws: WireError.self) { try FileDescription(parsing: String(repeating: "a", count: FileDescription.maximumTextLength + 1)) }
    }

    @Test func chunksThatContradictEachOtherAreRefused() throws {
        let item = try #require(try Vectors.cases("xftp", kinds: "file-description").first { $0.name.contains("2 replicas") })
        let text = try item.text("yaml")
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("  - 1:") && $0.split(separator: ":").count == 4 })
        let digest = try #require(line.split(separator: ":").last)
        let other = Base64URL.encode(Bytes(repeating: 1, count: 32))
        let doubled = text.replacing(line, with: "\(line)\n\(line.replacing(digest, with: other))")
        #expect(throws: WireError.self) { try FileDescription(parsing: doubled) }
        #expect(throws: WireError.self) { try FileDescription(parsing: text.replacing(":\(digest)", with: "")) }
    }

    @Test func indentationAndQuotesThatOtherProgramsWriteAreRead() throws {
        let expected = try FileDescription(parsing: Self.valid)
        let indented = Self.valid.replacing("- chunks:", with: "  - chunks:").replacing("  - 1:", with: "    - 1:").replacing("  - 2:", with: "    - 2:")
            .replacing("  - 3:", with: "    - 3:").replacing("  server:", with: "    server:")
        #expect(try FileDescription(parsing: "---\n# a comment\n" + indented) == expected)
        #expect(try FileDescription(parsing: Self.valid.replacing("party: recipient", with: "\"party\": \"recipient\" # a comment")) == expected)
        #expect(try FileDescription(parsing: Self.valid.replacing("\n", with: "\r\n")) == expected)
    }
}

extension VectorValue {
    fileprivate func description() throws -> FileDescription {
        let chunks = try self["chunks"].list().map { chunk in
            FileDescription.Chunk(
                number: Int(try chunk["no"].integer()), size: UInt32(try chunk["size"].integer()), digest: try chunk["digest"].bytes(),
                replicas: try chunk["replicas"].list().map {
                    FileDescription.Replica(
                        server: try XFTPServerAddress(wireString: try $0["server"].text()), id: EntityID(try $0["replica_id"].bytes()),
                        key: try PrivateAuthKey(pkcs8: try $0["private_key_pkcs8"].bytes()))
                })
        }
        let redirect = self["redirect"]
        return FileDescription(
            party: try #require(FileDescription.Party(rawValue: try self["party"].text())), size: try self["size"].integer(),
            digest: try self["digest"].bytes(), key: try BoxSecret(SecretBytes(try self["key"].bytes())), nonce: try BoxNonce(try self["nonce"].bytes()),
            chunkSize: UInt32(try self["chunk_size"].integer()), chunks: chunks,
            redirect: redirect.isNull ? nil : .init(size: try redirect["size"].integer(), digest: try redirect["digest"].bytes()))
    }
}
