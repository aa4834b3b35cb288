import COpenSSL
import SMPWire

/// Writes and signs one certificate.
struct CertificateBuilder {
    enum Kind {
        case authority
        case leaf

        /// The extensions that official servers' certificates have, by their OpenSSL names.
        var extensions: [(nid: Int32, value: String)] {
            switch self {
            case .authority:
                [
                    (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
                    (NID_basic_constraints, "critical,CA:true"),
                ]
            case .leaf:
                [
                    (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid,issuer:always"),
                    (NID_basic_constraints, "critical,CA:false"),
                    (NID_key_usage, "digitalSignature,nonRepudiation,keyAgreement"),
                    (NID_ext_key_usage, "serverAuth,clientAuth"),
                ]
            }
        }
    }

    let commonName: String
    let lifetime: CertificateLifetime
    let key: SigningKey
    /// Nil for a self-signed certificate.
    let issuer: Certificate?
    let issuerKey: SigningKey
    let kind: Kind

    func build() throws(ConnectionError) -> Certificate {
        OpenSSLError.clear()
        guard let pointer = X509_new() else { throw failure("no memory for a certificate") }
        let certificate = X509Handle(owning: pointer)
        let issuerHandle = issuer.flatMap { X509Handle(der: $0.der) } ?? certificate
        guard X509_set_version(pointer, 2) == 1, setSerialNumber(of: pointer), setValidity(of: pointer),
            setName(X509_get_subject_name(pointer)),
            X509_set_issuer_name(pointer, X509_get_subject_name(issuerHandle.pointer)) == 1,
            X509_set_pubkey(pointer, key.pointer) == 1
        else { throw failure("the certificate cannot be written") }
        for (nid, value) in kind.extensions {
            guard addExtension(nid, value, to: pointer, issuedBy: issuerHandle.pointer) else {
                throw failure("the certificate's extensions cannot be written")
            }
        }
        // The Edwards signature schemes hash by themselves and refuse a digest.
        guard X509_sign(pointer, issuerKey.pointer, nil) > 0 else { throw failure("the certificate cannot be signed") }
        return Certificate(certificate)
    }

    private func failure(_ message: String) -> ConnectionError {
        ConnectionError(.invalidCredential, message, cause: OpenSSLError.take())
    }

    private func setSerialNumber(of certificate: OpaquePointer) -> Bool {
        guard let number = BN_new(), let serial = X509_get_serialNumber(certificate) else { return false }
        defer { BN_free(number) }
        // 159 bits: twenty bytes without a sign bit, the most that is allowed. -1 and 0: any top and bottom bits.
        return BN_rand(number, 159, -1, 0) == 1 && BN_to_ASN1_INTEGER(number, serial) != nil
    }

    private func setValidity(of certificate: OpaquePointer) -> Bool {
        let day = 86_400
        func set(_ field: UnsafeMutablePointer<ASN1_TIME>?, _ seconds: Int) -> Bool {
            X509_time_adj_ex(field, Int32(clamping: seconds / day), seconds % day, nil) != nil
        }
        return set(X509_getm_notBefore(certificate), -lifetime.secondsBefore)
            && set(X509_getm_notAfter(certificate), lifetime.secondsAfter)
    }

    private func setName(_ name: OpaquePointer?) -> Bool {
        let text = Bytes(commonName.utf8)
        return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, Int32(clamping: text.count), -1, 0) == 1
    }

    private func addExtension(
        _ nid: Int32, _ value: String, to certificate: OpaquePointer, issuedBy issuer: OpaquePointer
    ) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let encoded = X509V3_EXT_conf_nid(nil, &context, nid, value) else { return false }
        defer { X509_EXTENSION_free(encoded) }
        return X509_add_ext(certificate, encoded, -1) == 1
    }

    private var MBSTRING_UTF8: Int32 { 0x1000 }  // a macro that is not imported
}
