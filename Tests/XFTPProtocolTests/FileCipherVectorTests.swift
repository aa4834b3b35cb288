import SMPCrypto
import SMPWire
import Testing
import VectorSupport
import XFTPProtocol

@Suite struct ChunkPlanVectorTests {
    @Test(arguments: try Vectors.cases("xftp", kinds: "chunk-plan"))
    func aPayloadIsDividedAsRecorded(_ item: VectorCase) throws {
        let payload = try item.integer("payload_size")
        let chunks = try #require(ChunkPlan.chunks(payload: payload))
        #expect(chunks == (try item.chunks()))
        #expect(ChunkPlan.total(chunks) == (try item.integer("total")))
        #expect(ChunkPlan.singleChunk(payload: payload).map(Int64.init) == item["single_chunk_size"].int)
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "file-plan"))
    func aFileIsDividedAsRecorded(_ item: VectorCase) throws {
        let header = try #require(FileHeader(name: try item.text("file_name")))
        let plan = try #require(FilePlan(header: header, contentSize: try item.integer("file_size")))
        #expect(plan.chunks == (try item.chunks()))
        #expect(plan.encryptedSize == (try item.integer("encrypted_size")))
        #expect(plan.sizeWithHeader == (try item.integer("size_with_header")))
    }

    @Test func aFileThatIsTooLargeHasNoPlan() throws {
        let header = try #require(FileHeader(name: "a"))
        #expect(FilePlan(header: header, contentSize: -1) == nil)
        #expect(FilePlan(header: header, contentSize: XFTPLimits.hardFileSize) == nil)
        #expect(FilePlan(header: header, contentSize: .max) == nil)
        #expect(ChunkPlan.chunks(payload: 0) == nil)
        #expect(FilePlan(header: header, contentSize: 4 << 20, asOneChunk: true) == nil)
        #expect(FileHeader(name: String(repeating: "ä", count: 128)) == nil)
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "file-header"))
    func aHeaderHasTheRecordedEncoding(_ item: VectorCase) throws {
        let header = try #require(FileHeader(name: try item.text("file_name"), extra: item["file_extra"].string))
        #expect(header.wireBytes == (try item.hex("hex")))
        #expect(try FileHeader(wireBytes: try item.hex("hex")) == header)
    }
}

@Suite struct FileCipherVectorTests {
    @Test(arguments: try Vectors.cases("xftp", kinds: "file-encryption"), [1, 63, 64, 1_000, 65_536])
    func aFileIsEncryptedAsRecordedInPiecesOfAnySizeAndDecrypted(_ item: VectorCase, _ step: Int) throws {
        let (key, nonce) = try item.boxKey()
        let content = try item.plaintext(count: Int(try item.integer("file_size")))
        guard content.count < 100_000 || step > 64 else { return }
        // The recorded files have chunks of sizes of their own.
        let size = try item.integer("encrypted_size")
        let encrypted = try item.encrypt(content, step: step)
        #expect(Int64(encrypted.count) == size)
        #expect(Hash.sha512(encrypted) == (try item.hex("encrypted_sha512")))
        if let recorded = item["encrypted"].hex { #expect(encrypted == recorded) }
        var offset = 0
        for (chunk, digest) in zip(try item.list("chunk_sizes"), try item.list("chunk_sha256")) {
            let end = offset + Int(try chunk.integer())
            #expect(Hash.sha256(Bytes(encrypted[offset..<end])) == (try digest.bytes()))
            offset = end
        }
        let (header, decrypted) = try decrypt(encrypted, key, nonce, step: step)
        #expect(decrypted == content)
        #expect(header?.name == (try item.text("file_name")))
    }

    private func decrypt(_ encrypted: Bytes, _ key: BoxSecret, _ nonce: BoxNonce, size: Int64? = nil, step: Int) throws -> (FileHeader?, Bytes) {
        var decryptor = try FileDecryptor(size: size ?? Int64(encrypted.count), key: key, nonce: nonce)
        var content = Bytes()
        var offset = 0
        while offset < encrypted.count {
            let end = min(offset + step, encrypted.count)
            content += try decryptor.decrypt(Bytes(encrypted[offset..<end]))
            offset = end
        }
        let header = decryptor.header
        try decryptor.finish()
        return (header, content)
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "file-encryption"))
    func aFileThatWasChangedOrCutOffOrMadeWithAnotherKeyIsRefused(_ item: VectorCase) throws {
        let (key, nonce) = try item.boxKey()
        let content = try item.plaintext(count: Int(try item.integer("file_size")))
        let encrypted = try item.encrypt(content, step: 65_536)
        for position in [0, 9, encrypted.count / 2, encrypted.count - 17, encrypted.count - 1] {
            var changed = encrypted
            changed[position] ^= 1
            #expect(throws: FileFormatError.self, "\(position)") { try decrypt(changed, key, nonce, step: 1_000) }
        }
        #expect(throws: FileFormatError.self) { try decrypt(Bytes(encrypted.dropLast()), key, nonce, size: Int64(encrypted.count), step: 1_000) }
        #expect(throws: FileFormatError.self) { try decrypt(encrypted + [0], key, nonce, size: Int64(encrypted.count), step: 1_000) }
        let other = try BoxSecret(SecretBytes(Bytes(repeating: 1, count: 32)))
        #expect(throws: FileFormatError.self) { try decrypt(encrypted, other, nonce, step: 1_000) }
        #expect(throws: FileFormatError.self) { try decrypt(Bytes(encrypted[..<20]), key, nonce, step: 1_000) }
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "chunk-transfer"))
    func aChunkIsEncryptedForItsTransferAsRecorded(_ item: VectorCase) throws {
        let nonce = try BoxNonce(try item.hex("nonce"))
        let server = try X25519.PrivateKey(raw: try item.hex("server_private_raw"))
        let recipient = try X25519.PrivateKey(raw: try item.hex("recipient_private_raw"))
        let secret = try BoxSecret(server, with: recipient.publicKey)
        #expect(secret == (try BoxSecret(recipient, with: server.publicKey)))
        #expect(secret.secret.bytes == (try item.hex("dh_secret")))
        #expect(secret.sealWithTagAtEnd(try item.hex("chunk"), nonce: nonce) == (try item.hex("body")))
    }

    @Test func aFileThatChangesItsSizeWhileItIsEncryptedIsRefused() throws {
        let header = try #require(FileHeader(name: "a"))
        let plan = try #require(FilePlan(header: header, contentSize: 10))
        let key = BoxSecret.random(SeededRandomSource(seed: 1))
        let nonce = BoxNonce.random(SeededRandomSource(seed: 2))
        var encryptor = FileEncryptor(plan, key: key, nonce: nonce)
        _ = encryptor.begin()
        #expect(throws: FileFormatError.self) { try encryptor.padding() }
        var piece = Bytes(repeating: 0, count: 11)
        #expect(throws: FileFormatError.self) { try piece.withUnsafeMutableBytes { try encryptor.encrypt(inPlace: $0) } }
    }
}

extension VectorCase {
    fileprivate func chunks() throws -> [UInt32] {
        try list("chunks").flatMap { Array(repeating: UInt32(try $0["size"].integer()), count: Int(try $0["count"].integer())) }
    }

    fileprivate func encrypt(_ content: Bytes, step: Int) throws -> Bytes {
        let (key, nonce) = try boxKey()
        let header = try #require(FileHeader(name: try text("file_name")))
        let sizes = try list("chunk_sizes").map { UInt32(try $0.integer()) }
        let plan = FilePlan(header: header, contentSize: Int64(content.count), exactly: sizes)
        var encryptor = FileEncryptor(plan, key: key, nonce: nonce)
        var encrypted = encryptor.begin()
        var offset = 0
        while offset < content.count {
            let end = min(offset + step, content.count)
            var piece = Bytes(content[offset..<end])
            try piece.withUnsafeMutableBytes { try encryptor.encrypt(inPlace: $0) }
            encrypted += piece
            offset = end
        }
        while let padding = try encryptor.padding() { encrypted += padding }
        return encrypted + encryptor.tag()
    }
}
