import COpenSSL
package import SMPWire

/// An X.509 certificate, kept as the bytes that its fingerprint and signature cover.
package struct Certificate: Sendable, Hashable {
    /// The DER encoding, at most ``maximumSize`` bytes.
    package let der: Bytes

    /// Bytes of the longest certificate that is accepted.
    package static let maximumSize = 16_384

    /// Accepts a certificate that parses and has nothing after it.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package init(der: Bytes) throws(ConnectionError) {
        guard der.count <= Self.maximumSize, X509Handle(der: der) != nil else {
            throw ConnectionError(.invalidCredential, "not an X.509 certificate")
        }
        self.der = der
    }

    init(_ handle: X509Handle) { der = handle.der }

    /// The SHA-256 hash of the certificate: 32 bytes. Server addresses carry the one of the server's identity certificate.
    package var fingerprint: Bytes { Self.fingerprint(ofDER: der) }

    /// The certificate's public key as SubjectPublicKeyInfo DER.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential` for a key of a kind that OpenSSL does not know.
    package func publicKeySPKI() throws(ConnectionError) -> Bytes {
        guard let handle = X509Handle(der: der), let key = X509_get0_pubkey(handle.pointer),
            let spki = encodedDER({ i2d_PUBKEY(key, $0) })
        else { throw ConnectionError(.invalidCredential, "the certificate's public key cannot be read") }
        return spki
    }

    /// Seconds until the certificate expires, negative after that; nil if the certificate has no readable end.
    package var remainingLifetime: Int? {
        guard let handle = X509Handle(der: der), let end = X509_get0_notAfter(handle.pointer) else { return nil }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, nil, end) == 1 else { return nil }
        return Int(days) * 86_400 + Int(seconds)
    }

    static func fingerprint(ofDER der: Bytes) -> Bytes {
        var digest = Bytes(repeating: 0, count: 32)
        var length: UInt32 = 0
        // Only a lack of memory makes this fail; a digest of zeros then matches no fingerprint.
        _ = EVP_Digest(der, der.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }
}

/// An OpenSSL certificate object; released with the last reference.
final class X509Handle {
    let pointer: OpaquePointer

    /// Takes over a reference that the caller owns.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    init?(der: Bytes) {
        let parsed = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            guard var cursor = buffer.baseAddress else { return nil }
            let end = cursor + buffer.count
            var input: UnsafePointer<UInt8>? = cursor
            guard let certificate = d2i_X509(nil, &input, buffer.count) else { return nil }
            cursor = input ?? cursor
            guard cursor == end else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        OpenSSLError.clear()
        guard let parsed else { return nil }
        pointer = parsed
    }

    deinit { X509_free(pointer) }

    var der: Bytes { encodedDER { i2d_X509(pointer, $0) } ?? [] }
}

/// Runs one of OpenSSL's `i2d` functions with room for what it writes.
func encodedDER(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> Bytes? {
    let length = encode(nil)
    guard length > 0 else { return nil }
    return Bytes(unsafeUninitializedCapacity: Int(length)) { buffer, count in
        var cursor = buffer.baseAddress
        count = max(0, Int(encode(&cursor)))
    }
}
