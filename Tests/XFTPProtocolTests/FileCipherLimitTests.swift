import SMPCrypto
import SMPWire
import Testing
import XFTPProtocol

/// Files at the limits of their chunks, and encrypted files that somebody made to be wrong.
@Suite struct FileCipherLimitTests {
    private let key = BoxSecret.random(SeededRandomSource(seed: 95))
    private let nonce = BoxNonce.random(SeededRandomSource(seed: 96))

    /// Payloads around every place where the division changes.
    private static let payloads: [Int64] = {
        let quarters = ChunkPlan.sizes.flatMap { size in (1...4).map { Int64(size) * $0 / 4 } }
        let sums = quarters + quarters.map { $0 + 4 << 20 } + [XFTPLimits.softFileSize, XFTPLimits.hardFileSize]
        return sums.flatMap { [$0 - 1, $0, $0 + 1] }.filter { $0 > 0 && $0 <= XFTPLimits.hardFileSize } + [1]
    }()

    @Test func chunksHoldThePayloadAndWasteLittle() throws {
        for payload in Self.payloads {
            let chunks = try #require(ChunkPlan.chunks(payload: payload))
            let total = ChunkPlan.total(chunks)
            #expect(total >= payload, "\(payload)")
            // Without the last chunk it would not fit; and no more than a quarter of a large chunk, or a small one, is padding.
            #expect(total - Int64(try #require(chunks.last)) < payload, "\(payload)")
            #expect(total - payload <= max(Int64(chunks.max() ?? 0) / 4, 65_535), "\(payload): \(total)")
            #expect(Set(chunks).isSubset(of: ChunkPlan.sizes) && chunks == chunks.sorted(by: >))
        }
        #expect(ChunkPlan.chunks(payload: XFTPLimits.hardFileSize + 1) == nil)
        for (payload, size) in [(1, 65_536), (65_536, 65_536), (65_537, 262_144), (4 << 20, 4 << 20)] as [(Int64, UInt32)] {
            #expect(ChunkPlan.singleChunk(payload: payload) == size)
        }
        #expect(ChunkPlan.singleChunk(payload: 4 << 20 + 1) == nil)
    }

    private func encrypt(_ content: Bytes, _ plan: FilePlan) throws -> Bytes {
        var encryptor = FileEncryptor(plan, key: key, nonce: nonce)
        var encrypted = encryptor.begin()
        var piece = content
        try piece.withUnsafeMutableBytes { try encryptor.encrypt(inPlace: $0) }
        encrypted += piece
        while let padding = try encryptor.padding() { encrypted += padding }
        return encrypted + encryptor.tag()
    }

    private func decrypt(_ encrypted: Bytes, step: Int) throws -> (FileHeader?, Bytes) {
        var decryptor = try FileDecryptor(size: Int64(encrypted.count), key: key, nonce: nonce)
        var content = Bytes()
        for start in stride(from: 0, to: encrypted.count, by: step) {
            content += try decryptor.decrypt(Bytes(encrypted[start..<min(start + step, encrypted.count)]))
        }
        let header = decryptor.header
        try decryptor.finish()
        return (header, content)
    }

    /// Names and contents that fill the first chunk, or do not by one byte.
    @Test(arguments: [0, 1, 255], [65_536, 65_537, 65_535])
    func aFileThatFillsItsChunksComesBackWithItsName(_ nameLength: Int, _ payload: Int) throws {
        let header = try #require(
            FileHeader(name: String(repeating: "n", count: nameLength), extra: nameLength == 255 ? String(repeating: "e", count: 255) : nil))
        let size = payload - header.wireBytes.count - 8 - XFTPLimits.tagSize
        let plan = try #require(FilePlan(header: header, contentSize: Int64(size)))
        let content = SeededRandomSource(seed: 97).bytes(size)
        let encrypted = try encrypt(content, plan)
        #expect(Int64(encrypted.count) == plan.encryptedSize && plan.chunks.first == 65_536 && (plan.chunks.count == 1) == (payload <= 65_536))
        for step in [1_000, 65_536, encrypted.count] {
            let (read, back) = try decrypt(encrypted, step: step)
            #expect(read == header && back == content)
        }
    }

    @Test func anEmptyFileIsOneChunkOfPadding() throws {
        let plan = try #require(FilePlan(header: .unnamed, contentSize: 0))
        let encrypted = try encrypt([], plan)
        #expect(encrypted.count == 65_536)
        let (header, content) = try decrypt(encrypted, step: 7)
        #expect(header?.name == "" && content.isEmpty)
    }

    /// Encrypts any bytes as if they were a length, a header and a content.
    private func forge(_ bytes: Bytes) -> Bytes { key.sealWithTagAtEnd(bytes, nonce: nonce) }

    private func code(_ encrypted: Bytes, step: Int = 50) -> FileFormatError.Code? {
        do {
            _ = try decrypt(encrypted, step: step)
            return nil
        } catch {
            return (error as? FileFormatError)?.code
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 101, 1_000, .max])
    func aLengthThatCannotBeIsRefusedThoughTheTagIsRight(_ length: Int64) {
        // 100 bytes behind the length, of which a header takes two at least.
        let forged = forge(length.wireBytes + FileHeader.unnamed.wireBytes + Bytes(repeating: 7, count: 98))
        for step in [1, 50, 1_000] { #expect(code(forged, step: step) == .invalidHeader, "step \(step)") }
    }

    @Test(arguments: [[], [5], [1, 0x61], [0], [0, 0x32], [0, 0x31], [0, 0x31, 9, 1], [200, 1, 1]] as [Bytes])
    func aHeaderThatIsCutOffOrNoneIsRefused(_ header: Bytes) {
        #expect(code(forge(Int64(header.count).wireBytes + header)) == (header.count < 2 ? .invalidSize : .invalidHeader), "shorter than any is, or no header")
    }

    @Test(arguments: [2, 3, 50, 100]) func theContentEndsWhereItsLengthSays(_ length: Int64) throws {
        let forged = forge(length.wireBytes + FileHeader.unnamed.wireBytes + Bytes(repeating: 7, count: 98))
        let (_, content) = try decrypt(forged, step: 9)
        #expect(content == Bytes(repeating: 7, count: Int(length) - 2))
    }

    @Test(arguments: [Int64.min, -1, 0, 16, 25]) func aFileShorterThanItsFrameIsRefusedAtOnce(_ size: Int64) {
        var refusal: FileFormatError.Code?
        do { _ = try FileDecryptor(size: size, key: key, nonce: nonce) } catch { refusal = error.code }
        #expect(refusal == .invalidSize)
    }

    @Test(arguments: [1, 15, 16, 17, 40, 99]) func aFileThatEndsEarlyOrLateIsRefused(_ count: Int) throws {
        let forged = forge(Int64(50).wireBytes + FileHeader.unnamed.wireBytes + Bytes(repeating: 7, count: 98))
        for bytes in [Bytes(forged.dropLast(count)), forged + Bytes(repeating: 0, count: count)] {
            var decryptor = try FileDecryptor(size: Int64(forged.count), key: key, nonce: nonce)
            var refusal: FileFormatError.Code?
            do throws(FileFormatError) {
                _ = try decryptor.decrypt(bytes)
                try decryptor.finish()
            } catch { refusal = error.code }
            #expect(refusal == .invalidSize)
        }
    }

    @Test func namesAreShownWhateverBytesTheyHave() throws {
        let header = try FileHeader(wireBytes: [3, 0xFF, 0x61, 0xC3] + Bytes("11".utf8.prefix(1)) + [1, 0xFE])
        #expect(header.name == "\u{FFFD}a\u{FFFD}" && header.extra == "\u{FFFD}")
        #expect(FileHeader(name: String(repeating: "é", count: 127)) != nil && FileHeader(name: String(repeating: "é", count: 128)) == nil)
        #expect(FileHeader(name: "", extra: String(repeating: "x", count: 256)) == nil)
    }
}
