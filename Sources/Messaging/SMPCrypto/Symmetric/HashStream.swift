internal import COpenSSL
package import SMPWire

/// A hash of bytes in pieces: of files, which are never in memory as a whole.
package final class HashStream {
    package enum Function: Sendable { case sha256, sha512 }

    private let context: OpaquePointer?
    private let size: Int

    package init(_ function: Function) {
        OpenSSLLibrary.prepare()
        context = EVP_MD_CTX_new()
        size = function == .sha256 ? 32 : 64
        let done = EVP_DigestInit_ex(context, function == .sha256 ? EVP_sha256() : EVP_sha512(), nil)
        precondition(done == 1, "OpenSSL has no SHA-2 in its default provider, or no memory")
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ piece: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, piece.baseAddress, piece.count) }

    package func update(_ piece: Bytes) { piece.withUnsafeBytes { update($0) } }

    /// Returns the hash of all pieces: 32 or 64 bytes. To be called once, at the end.
    package func finish() -> Bytes {
        Bytes(unsafeUninitializedCapacity: size) { output, written in
            var count: UInt32 = 0
            let done = EVP_DigestFinal_ex(context, output.baseAddress, &count)
            precondition(done == 1 && Int(count) == size, "a digest can be finished only once")
            written = size
        }
    }
}
