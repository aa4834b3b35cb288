import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import XFTPProtocol

/// Descriptions of files with any number of chunks, servers and replicas, and what must not be taken for one.
@Suite struct DescriptionRoundTripTests {
    /// Descriptions from a seed.
    private struct Maker {
        let random: SeededRandomSource

        func number(_ bound: Int) -> Int { Int(UInt16(random.bytes(1)[0]) << 8 | UInt16(random.bytes(1)[0])) % bound }

        func server() throws -> XFTPServerAddress {
            let hosts: [TransportHost] = [
                .domain("files.example"), .domain("a"), .ipv4(10, 0, 0, UInt8(number(256))), .onion("abc234.onion"),
                .ipv6([0xFE, 0x80] + Bytes(repeating: 0, count: 14)),
            ]
            let some = (0...number(3)).map { _ in hosts[number(hosts.count)] }
            // An IPv6 address with a port is written as official clients write it, which is not read as that.
            let port: UInt16? = some.contains { if case .ipv6 = $0 { true } else { false } } ? nil : [nil, 443, 5443][number(3)]
            return try #require(XFTPServerAddress(hosts: some, port: port, keyHash: KeyHash(random.bytes(32))))
        }

        func key() -> PrivateAuthKey {
            switch number(3) {
            case 0: .ed25519(Ed25519.generateKeyPair(random).privateKey)
            case 1: .x25519(X25519.generateKeyPair(random).privateKey)
            default: .ed448(Ed448.generateKeyPair(random).privateKey)
            }
        }

        func description() throws -> FileDescription {
            let servers = try (0...number(3)).map { _ in try server() }
            let sizes: [UInt32] = ChunkPlan.sizes + [1, 1_023, 65_537, .max]
            let chunks = (1...1 + number(12)).map { index in
                FileDescription.Chunk(
                    number: index, size: sizes[number(sizes.count)], digest: random.bytes(32),
                    replicas: (0...number(3)).map { _ in
                        FileDescription.Replica(server: servers[number(servers.count)], id: EntityID(random.bytes(1 + number(40))), key: key())
                    })
            }
            return FileDescription(
                party: number(2) == 0 ? .recipient : .sender, size: chunks.reduce(0) { $0 + Int64($1.size) }, digest: random.bytes(64), key: .random(random),
                nonce: .random(random), chunkSize: sizes[number(sizes.count)], chunks: chunks,
                redirect: number(3) == 0 ? .init(size: Int64(number(60_000)), digest: random.bytes(64)) : nil)
        }
    }

    /// A chunk's replicas are kept by server, so that those of one chunk may change places.
    private func sorted(_ description: FileDescription) -> FileDescription {
        var description = description
        for index in description.chunks.indices {
            description.chunks[index].replicas.sort { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }
        }
        return description
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func aDescriptionOfAnyPartsComesBackFromItsTextAndItsLink(_ seed: UInt64) throws {
        let maker = Maker(random: SeededRandomSource(seed: seed))
        for _ in 0..<8 {
            let description = try maker.description()
            let text = description.text
            let read = try FileDescription(parsing: text)
            #expect(sorted(read) == sorted(description), "seed \(seed)\n\(text)")
            #expect(read.key == description.key && read.redirect == description.redirect)
            // Once the replicas of a chunk stand in the order of their servers, nothing changes any more.
            #expect(try FileDescription(parsing: read.text).text == read.text, "seed \(seed)")
            guard description.party == .recipient else { continue }
            let link = FileDescriptionLink(description: description, clientData: "{\"a b\":\"&=?#%\"}")
            let again = try FileDescriptionLink(wireString: link.wireString)
            #expect(sorted(again.description) == sorted(description) && again.clientData == link.clientData)
        }
    }

    @Test(arguments: [(0, true), (1, false)])
    func aChunkHasSixteenReplicasAtTheMost(_ more: Int, _ isRead: Bool) throws {
        let maker = Maker(random: SeededRandomSource(seed: 5))
        var description = try maker.description()
        while description.chunks[0].replicas.count < FileDescription.maximumReplicas + more {
            description.chunks[0].replicas.append(try #require(try maker.description().chunks.first?.replicas.first))
        }
        if !isRead { #expect(throws: WireError.self) { try FileDescription(parsing: description.text) } }
        description.chunks[0].replicas.removeLast(more)
        #expect(sorted(try FileDescription(parsing: description.text)) == sorted(description))
    }

    private func valid() throws -> String {
        var description = try Maker(random: SeededRandomSource(seed: 77)).description()
        description.redirect = nil
        description.party = .recipient
        return description.text
    }

    @Test(arguments: ["chunkSize", "digest", "key", "nonce", "party", "replicas", "size"])
    func everyMemberIsNeededOnceAndWithAValue(_ member: String) throws {
        let lines = try valid().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let index = try #require(lines.firstIndex { $0.hasPrefix(member + ":") })
        var without = lines
        without[index] = "other: 1"
        if member != "replicas" {
            #expect(throws: WireError.self) { try FileDescription(parsing: without.joined(separator: "\n")) }
            #expect(throws: WireError.self) { try FileDescription(parsing: (lines.dropLast() + [lines[index], ""]).joined(separator: "\n")) }
        }
        // Behind the name of the list its items may stand on lines of their own.
        for value in (member == "replicas" ? [] : [""]) + [" null", " ~", " []", " {}", " -", " 'x", " !a b", " \"\\q\""] {
            var changed = lines
            changed[index] = member + ":" + value
            #expect(throws: WireError.self, "\(member):\(value)") { try FileDescription(parsing: changed.joined(separator: "\n")) }
        }
    }

    @Test(arguments: [
        ("party: recipient", "party: Recipient"), ("party: recipient", "party: other"), ("  server: ", "  server: smp"), ("  server: xftp", "  server: ntf"),
        ("- chunks:", "- chunk:"),
        ("  - 1:", "  - 0:"), ("  - 1:", "  - -1:"), ("  - 1:", "  - +1:"), ("  - 1:", "  - 1.0:"), ("  - 1:", "  - 2:"), ("  - 1:", "  - 999:"),
        ("  - 1:", "  - 1::"), ("  - 1:", "  - :"),
        ("  - 1:", "  - [1]:"), ("  - 1:", "  - 99999999999999999999:"),
    ])
    func aChangedLineMakesItNoDescription(_ old: String, _ new: String) throws {
        let text = try valid()
        try #require(text.contains(old))
        #expect(throws: WireError.self) { try FileDescription(parsing: text.replacing(old, with: new, maxReplacements: 1)) }
    }

    @Test func sizesThatDoNotAddUpAreRefused() throws {
        let description = try Maker(random: SeededRandomSource(seed: 78)).description()
        for size in [description.size - 1, description.size + 1, 0] {
            var other = description
            other.size = size
            #expect(throws: WireError.self) { try FileDescription(parsing: other.text) }
            #expect(throws: WireError.self) { try other.validate() }
        }
        var empty = description
        (empty.chunks, empty.size) = ([], 0)
        #expect(throws: WireError.self) { try FileDescription(parsing: empty.text) }
        var gap = description
        gap.chunks[gap.chunks.count - 1].number += 1
        #expect(throws: WireError.self) { try gap.validate() }
    }

    @Test func aLinkHoldsTheDescriptionOfARecipientOnly() throws {
        var description = try FileDescription(parsing: try valid())
        #expect(try FileDescriptionLink(wireString: FileDescriptionLink(description: description).wireString).description.party == .recipient)
        description.party = .sender
        let link = FileDescriptionLink(description: description).wireString
        #expect(throws: WireError.self) { try FileDescriptionLink(wireString: link) }
        for text in ["simplex:/file#/?", "simplex:/file#/?desc=", "simplex:/file?desc=x", "simplex:/files#/?desc=x", "file#/?desc=x", "simplex:/file#/?data=x"]
        {
            #expect(throws: WireError.self, "\(text)") { try FileDescriptionLink(wireString: text) }
        }
    }

    /// Sizes at the ends of their units.
    @Test func everySizeHasOneTextThatIsReadBack() {
        let powers: [Int64] = (0...62).map { 1 << $0 }
        for size in powers.flatMap({ [$0 - 1, $0, $0 + 1] }) + [.max, 3 << 30, 1_000_000] where size > 0 {
            let text = FileSizeText.text(size)
            #expect(FileSizeText.bytes(text) == size, "\(text)")
            #expect(FileSizeText.bytes(text + "b") == nil && FileSizeText.bytes(" " + text) == nil && FileSizeText.bytes(text + " ") == nil)
        }
        for text in ["8589934592gb", "8796093022208mb", "9007199254740992kb", "9223372036854775808", "1KB", "1Kb", "٣kb", "1kbkb", "0x10", "1_000"] {
            #expect(FileSizeText.bytes(text) == nil, "\(text)")
        }
        #expect(FileSizeText.bytes("8589934591gb") == 8_589_934_591 << 30)
    }
}
