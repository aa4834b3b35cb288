internal import COpenSSL
public import SMPWire

/// The hash functions of the protocols (FIPS 180-4, FIPS 202).
public enum Hash {
    private struct Function: @unchecked Sendable {
        // An EVP_MD is immutable and counted; this one lives as long as the process.
        let digest: OpaquePointer?
        let size: Int

        init(_ name: String, size: Int) {
            OpenSSLLibrary.prepare()
            digest = EVP_MD_fetch(nil, name, nil)
            self.size = size
        }
    }

    private static let md5Function = Function("MD5", size: 16)
    private static let sha256Function = Function("SHA2-256", size: 32)
    private static let sha512Function = Function("SHA2-512", size: 64)
    private static let sha3x256Function = Function("SHA3-256", size: 32)
    private static let sha3x384Function = Function("SHA3-384", size: 48)

    /// MD5, 16 bytes. It protects nothing; the protocol compares sets of ids by it.
    public static func md5(_ bytes: Bytes) -> Bytes { bytes.withUnsafeBytes { compute(md5Function, $0) } }
    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: Bytes) -> Bytes { bytes.withUnsafeBytes { compute(sha256Function, $0) } }
    /// Computes the SHA-512 hash, 64 bytes.
    public static func sha512(_ bytes: Bytes) -> Bytes { bytes.withUnsafeBytes { compute(sha512Function, $0) } }
    /// Computes the SHA3-256 hash, 32 bytes.
    public static func sha3_256(_ bytes: Bytes) -> Bytes { bytes.withUnsafeBytes { compute(sha3x256Function, $0) } }
    /// Computes the SHA3-384 hash, 48 bytes.
    public static func sha3_384(_ bytes: Bytes) -> Bytes { bytes.withUnsafeBytes { compute(sha3x384Function, $0) } }

    /// Computes the SHA3-256 hash of secret bytes, as a secret.
    static func sha3_256(_ secret: SecretBytes) -> SecretBytes {
        SecretBytes(wiping: secret.withBytes { compute(sha3x256Function, $0) })
    }

    /// Computes the SHA-512 hash of a buffer.
    static func sha512(_ buffer: UnsafeRawBufferPointer) -> Bytes { compute(sha512Function, buffer) }

    private static func compute(_ function: Function, _ input: UnsafeRawBufferPointer) -> Bytes {
        Bytes(unsafeUninitializedCapacity: function.size) { output, written in
            let done = EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, function.digest, nil)
            precondition(done == 1, "OpenSSL has no \(function.size)-byte digest of its default provider")
            written = function.size
        }
    }
}
