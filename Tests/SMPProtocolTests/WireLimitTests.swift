import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

/// Values at the limits of what their encodings hold, and one beyond.
@Suite struct WireLimitTests {
    private static let key = KeyHash(Bytes(repeating: 1, count: 32))

    @Test(arguments: [254, 255, 256, 300]) func anIdInTextHasAsManyBytesAsFitItsLength(_ count: Int) throws {
        let text = Base64URL.encode(Bytes(repeating: 7, count: count))
        let reads: [() throws -> Int] = [
            { try EntityID(wireString: text).bytes.count }, { try CorrelationID(wireString: text).bytes.count },
            { try KeyHash(wireString: text).bytes.count }, { try LinkKey(wireString: text).bytes.count },
        ]
        for read in reads {
            if count <= 255 {
                let read = try read()
                #expect(read == count)
            } else {
                #expect { try read() } throws: { ($0 as? WireError)?.code == .tooLong }
            }
        }
    }

    @Test(arguments: [1, 255, 256]) func aServerHasAsManyHostsAsFitTheirCount(_ count: Int) throws {
        let hosts = (0..<count).map { TransportHost.domain("h\($0)") }
        let text = "smp://\(Self.key)@" + hosts.map(\.wireString).joined(separator: ",")
        let isRead = count <= 255
        #expect((SMPServerAddress(hosts: hosts, keyHash: Self.key) != nil) == isRead)
        #expect(((try? SMPServerAddress(wireString: text)) != nil) == isRead)
        let link = "simplex:/a#AAAA?h=" + hosts.map(\.wireString).joined(separator: ",")
        #expect(((try? ConnectionShortLink(wireString: link)) != nil) == isRead)
        if isRead { #expect(try SMPServerAddress(wireBytes: try SMPServerAddress(wireString: text).wireBytes).hosts == hosts) }
    }

    @Test func aServerWithoutHostsIsNone() {
        #expect(SMPServerAddress(hosts: [], keyHash: Self.key) == nil)
        #expect(throws: WireError.self) { try SMPServerAddress(wireBytes: [0, 0] + Self.key.wireBytes) }
        #expect(throws: WireError.self) { try SMPServerAddress(wireString: "smp://\(Self.key)@") }
    }

    @Test(arguments: ["a b", "a,b", "a:1", "a/", "a;b", "[::1]x", "1.2.3.4 ", "", "[::1", "::1]"])
    func aHostInBytesIsWhollyAHost(_ text: String) {
        #expect(throws: WireError.self) { try TransportHost(wireBytes: ShortBytes(Bytes(text.utf8)).wireBytes) }
    }

    @Test(arguments: [0, 1, 16_383, 16_385, 32_768]) func aBlockOfAnotherSizeIsRefusedAndCostsNoKey(_ size: Int) throws {
        let secret = SeededRandomSource(seed: 3).secret(32), session = Bytes(repeating: 1, count: 32)
        var (sender, receiver) = (BlockCipher(for: .client, secret: secret, sessionID: session), BlockCipher(for: .server, secret: secret, sessionID: session))
        var plain = BlockCipher()
        // The beginning says that nothing follows, which any size would satisfy.
        #expect(throws: TransportError.badBlock) { try plain.open(Bytes(repeating: 0, count: size)) }
        #expect(throws: TransportError.badBlock) { try receiver.open(Bytes(repeating: 0, count: size)) }
        #expect(try receiver.open(try sender.seal([1])) == [1])
    }

    @Test(arguments: [1, 2, 254, 255, 256, 510, 511, 1_000]) func blocksHoldAtMost255TransmissionsAndLoseNone(_ count: Int) throws {
        let transmissions = (0..<count).map { UInt16($0).wireBytes }
        let packed = TransmissionBatcher.pack(transmissions)
        #expect(packed.oversized.isEmpty && packed.batches.count == (count + 254) / 255)
        var parsed: [Bytes] = []
        for batch in packed.batches {
            var parser = WireParser(batch.content)
            let number = Int(try parser.byte())
            #expect(number == batch.indices.count && number > 0)
            for _ in 0..<number { parsed.append(try parser.large()) }
            #expect(parser.isAtEnd)
        }
        #expect(parsed == transmissions)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func transmissionsOfAnySizesFillBlocksWithinTheirLimit(_ seed: UInt64) throws {
        let random = SeededRandomSource(seed: seed)
        let sizes = (0..<200).map { _ in [0, 1, 100, 8_180, 8_181, 8_182, 16_362, 16_363, 16_364, 20_000][Int(random.bytes(1)[0]) % 10] }
        let packed = TransmissionBatcher.pack(sizes.map { Bytes(repeating: 1, count: $0) })
        #expect(packed.oversized == sizes.indices.filter { sizes[$0] > TransmissionBatcher.maximumTransmission }, "seed \(seed)")
        #expect((packed.batches.flatMap(\.indices) + packed.oversized).sorted() == Array(sizes.indices))
        #expect(packed.batches.flatMap(\.indices) == packed.batches.flatMap(\.indices).sorted())
        for batch in packed.batches {
            let length = batch.indices.map { sizes[$0] + 2 }.reduce(0, +)
            #expect(length <= TransmissionBatcher.contentLimit && batch.content.count == length + 1)
            var cipher = BlockCipher(for: .client, secret: random.secret(32), sessionID: [])
            #expect(throws: Never.self) { try cipher.seal(batch) }
        }
    }
}
