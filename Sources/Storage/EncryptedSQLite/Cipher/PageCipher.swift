internal import COpenSSL

/// The layout of an encrypted page: that of SQLCipher 4 with its default settings.
enum PageLayout {
    static let pageSize = 4096
    /// The bytes at the end of each page that SQLite leaves free for the vector and the authentication code.
    static let reserved = ivSize + macSize
    static let ivSize = 16
    static let macSize = 64
    static let ivOffset = pageSize - reserved
    static let macOffset = ivOffset + ivSize
    /// The first bytes of a plain database; an encrypted one has its salt there.
    static let header = Array("SQLite format 3\0".utf8)
    /// The offset of the byte with the number of free bytes on each page.
    static let reservedOffset = 20
    /// The page whose bytes SQLite locks, and which it never writes.
    static let lockPage = UInt32(0x4000_0000 / pageSize + 1)

    /// Returns the offset of the encrypted part of a page.
    static func start(of page: UInt32) -> Int { page == 1 ? PageKeys.saltSize : 0 }
}

/// The encryption of pages: AES-256-CBC with a random vector, then HMAC-SHA512 over ciphertext, vector and page number.
///
/// It holds OpenSSL's contexts and is used from one thread at a time.
final class PageCipher {
    private let keys: PageKeys
    private let encrypting: OpaquePointer
    private let decrypting: OpaquePointer
    private let authenticating: OpaquePointer
    private let sealingBlocks: OpaquePointer
    private let openingBlocks: OpaquePointer

    init(_ keys: PageKeys) throws(StorageError) {
        self.keys = keys
        let contexts = (0..<4).map { _ in EVP_CIPHER_CTX_new() }
        let mac = EVP_MAC_fetch(nil, "HMAC", nil)
        let macContext = EVP_MAC_CTX_new(mac)
        EVP_MAC_free(mac)
        guard let encrypting = contexts[0], let decrypting = contexts[1], let sealing = contexts[2], let opening = contexts[3], let macContext,
            keys.start(encrypting, EVP_aes_256_cbc(), keys.encryption, encrypts: true),
            keys.start(decrypting, EVP_aes_256_cbc(), keys.encryption, encrypts: false),
            keys.start(sealing, EVP_aes_256_ecb(), keys.surroundings, encrypts: true),
            keys.start(opening, EVP_aes_256_ecb(), keys.surroundings, encrypts: false), keys.startHMAC(macContext)
        else {
            for context in contexts { EVP_CIPHER_CTX_free(context) }
            EVP_MAC_CTX_free(macContext)
            throw StorageError(.unavailable, "OpenSSL has no AES-256 or HMAC-SHA512")
        }
        self.encrypting = encrypting
        self.decrypting = decrypting
        sealingBlocks = sealing
        openingBlocks = opening
        authenticating = macContext
    }

    deinit {
        for context in [encrypting, decrypting, sealingBlocks, openingBlocks] { EVP_CIPHER_CTX_free(context) }
        EVP_MAC_CTX_free(authenticating)
    }

    /// Encrypts a page.
    ///
    /// - Parameters:
    ///   - page: a page of SQLite, whose reserved bytes are ignored.
    ///   - output: receives the encrypted page.
    /// - Returns: false if OpenSSL has failed.
    func encrypt(_ page: UnsafeRawPointer, number: UInt32, into output: UnsafeMutableRawPointer) -> Bool {
        let start = PageLayout.start(of: number)
        if start > 0 { output.copyMemory(from: keys.salt, byteCount: start) }
        let vector = bytes(output + PageLayout.ivOffset)
        var count: CInt = 0
        guard RAND_bytes(vector, CInt(PageLayout.ivSize)) == 1, EVP_CipherInit_ex(encrypting, nil, nil, nil, vector, -1) == 1,
            EVP_CipherUpdate(encrypting, bytes(output + start), &count, bytes(page + start), CInt(PageLayout.ivOffset - start)) == 1,
            Int(count) == PageLayout.ivOffset - start
        else { return false }
        return authenticate(output, number, into: output + PageLayout.macOffset)
    }

    /// Decrypts a page in place, if it was encrypted under this key with this number. Its reserved bytes become zeros, with which the
    /// checksums of the write-ahead log were computed.
    func decrypt(_ page: UnsafeMutableRawPointer, number: UInt32) -> Bool {
        guard isAuthentic(page, number: number) else { return false }
        let start = PageLayout.start(of: number)
        var count: CInt = 0
        guard EVP_CipherInit_ex(decrypting, nil, nil, nil, bytes(page + PageLayout.ivOffset), -1) == 1,
            EVP_CipherUpdate(decrypting, bytes(page + start), &count, bytes(UnsafeRawPointer(page) + start), CInt(PageLayout.ivOffset - start)) == 1,
            Int(count) == PageLayout.ivOffset - start
        else { return false }
        if start > 0 { page.copyMemory(from: PageLayout.header, byteCount: start) }
        (page + PageLayout.ivOffset).initializeMemory(as: UInt8.self, repeating: 0, count: PageLayout.reserved)
        return true
    }

    /// Checks whether a page was encrypted under this key with this number.
    func isAuthentic(_ page: UnsafeRawPointer, number: UInt32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: PageLayout.macSize, alignment: 8) { mac in
            guard let mac = mac.baseAddress, authenticate(page, number, into: mac) else { return false }
            return CRYPTO_memcmp(mac, page + PageLayout.macOffset, PageLayout.macSize) == 0
        }
    }

    /// Encrypts one block of 16 bytes that is stored beside a page. Blocks must differ.
    func encryptBlock(_ block: UnsafeMutableRawPointer) -> Bool { apply(sealingBlocks, to: block) }

    /// Undoes ``encryptBlock(_:)``.
    func decryptBlock(_ block: UnsafeMutableRawPointer) -> Bool { apply(openingBlocks, to: block) }

    private func apply(_ context: OpaquePointer, to block: UnsafeMutableRawPointer) -> Bool {
        var count: CInt = 0
        return EVP_CipherUpdate(context, bytes(block), &count, bytes(UnsafeRawPointer(block)), 16) == 1 && count == 16
    }

    private func authenticate(_ page: UnsafeRawPointer, _ number: UInt32, into output: UnsafeMutableRawPointer) -> Bool {
        let start = PageLayout.start(of: number)
        var size = 0
        return withUnsafeBytes(of: number.littleEndian) { number in
            EVP_MAC_init(authenticating, nil, 0, nil) == 1
                && EVP_MAC_update(authenticating, bytes(page + start), PageLayout.macOffset - start) == 1
                && EVP_MAC_update(authenticating, number.baseAddress.map(bytes), 4) == 1
                && EVP_MAC_final(authenticating, bytes(output), &size, PageLayout.macSize) == 1
        }
    }
}

private func bytes(_ pointer: UnsafeRawPointer) -> UnsafePointer<UInt8> { pointer.assumingMemoryBound(to: UInt8.self) }
private func bytes(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> { pointer.assumingMemoryBound(to: UInt8.self) }

extension PageKeys {
    fileprivate func start(_ context: OpaquePointer, _ cipher: OpaquePointer?, _ key: SecretMemory, encrypts: Bool) -> Bool {
        key.withBytes { key in
            EVP_CipherInit_ex(context, cipher, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, encrypts ? 1 : 0) == 1
                && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        }
    }

    fileprivate func startHMAC(_ context: OpaquePointer) -> Bool {
        authentication.withBytes { key in
            var digest = Array("SHA512\0".utf8).map { CChar(bitPattern: $0) }
            return digest.withUnsafeMutableBufferPointer { digest in
                let parameters = [parameter("digest", text: digest), OSSL_PARAM_construct_end()]
                return EVP_MAC_init(context, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, parameters) == 1
            }
        }
    }
}

/// Creates a parameter of OpenSSL. It holds the address of its name, so the name must be static.
private func parameter(_ name: StaticString, text: UnsafeMutableBufferPointer<CChar>) -> OSSL_PARAM {
    name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
        OSSL_PARAM_construct_utf8_string($0, text.baseAddress, 0)
    }
}
