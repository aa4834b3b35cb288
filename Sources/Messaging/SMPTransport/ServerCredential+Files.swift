import SMPWire
import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ServerCredential {
    /// Reads the credential from a folder, or makes one there when the folder has none.
    ///
    /// The files have the names and the form that official servers give them: `ca.crt`, `ca.key`, `server.crt`, `server.key`.
    /// Keys are readable by their owner only, and so is a folder made here. `ca.key` is not needed to run: it can be moved to
    /// a safer place. A folder with only a part of the files is refused, because a new identity would break every link; the making of a credential
    /// that was interrupted is finished.
    ///
    /// - Parameters:
    ///   - lifetime: of the certificate for handshakes; the identity's is unlimited.
    ///   - mayGenerate: false if the folder has had a credential, so that a missing one is refused.
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package static func loadOrGenerate(
        in folder: String, algorithm: CertificateAlgorithm = .ed448, lifetime: CertificateLifetime = .unlimited, mayGenerate: Bool = true
    ) throws(ConnectionError) -> ServerCredential {
        let files = CredentialFiles(folder: folder)
        let needed = [files.leafCertificate, files.leafKey, files.authorityCertificate]
        var missing = try CredentialFiles.missing(needed)
        let hasAuthorityKey = try CredentialFiles.missing([files.authorityKey]).isEmpty
        if missing.count < needed.count || hasAuthorityKey {
            try files.finishMaking()
            missing = try CredentialFiles.missing(needed)
            guard missing.isEmpty else {
                throw ConnectionError(
                    .invalidCredential,
                    "\(folder) holds a part of a credential; missing: \(missing.joined(separator: ", ")). Restore it from a backup: with a new one the address would change"
                )
            }
            return try load(from: folder)
        }
        guard mayGenerate else {
            throw ConnectionError(
                .invalidCredential,
                "the certificates and keys of \(folder) are missing. Restore ca.crt, ca.key, server.crt and server.key from a backup: with new ones the address would change"
            )
        }
        let authority = try CertificateAuthority.generate(algorithm: algorithm)
        let credential = try authority.issue(lifetime: lifetime)
        try files.store(credential, authority)
        return credential
    }

    /// Reads `server.crt`, `ca.crt` and `server.key` from a folder, and checks that they belong together.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package static func load(from folder: String) throws(ConnectionError) -> ServerCredential {
        let files = CredentialFiles(folder: folder)
        try files.finishReplacing()
        let authorities = try PEM.certificates(in: CredentialFiles.read(files.authorityCertificate))
        let credential = try ServerCredential(
            certificatePEM: CredentialFiles.read(files.leafCertificate), keyPEM: CredentialFiles.read(files.leafKey)
        ).appending(authorities)
        if let reason = PeerVerification.refusal(of: credential.certificates) {
            throw ConnectionError(.invalidCredential, "\(folder): \(reason)")
        }
        return credential
    }
}

extension ServerCredential {
    /// Replaces the leaf in the folder by a new one with a new key. The identity, and so the address, stays.
    ///
    /// The folder has the old pair or the new one whenever the process is killed.
    ///
    /// - Parameters:
    ///   - authorityKey: the identity's key; nil: the one of `ca.key` in the folder.
    /// - Throws: ``ConnectionError`` `invalidCredential`, also if the key is not there or not the identity's.
    package static func renew(
        in folder: String, authorityKey: AuthorityKey? = nil, lifetime: CertificateLifetime = .unlimited
    ) throws(ConnectionError) -> ServerCredential {
        let present = try load(from: folder)
        let files = CredentialFiles(folder: folder)
        let authorityKey = if let authorityKey { authorityKey } else { try AuthorityKey(contentsOf: files.authorityKey) }
        // Of a chain with an operator's certificate the identity is the first authority.
        let authorities = Array(present.certificates.dropFirst())
        guard let identity = authorities.first, let handle = X509Handle(der: identity.der), authorityKey.key.belongs(to: handle) else {
            throw ConnectionError(.invalidCredential, "\(authorityKey.path) is not the key of \(files.authorityCertificate)")
        }
        let issued = try CertificateAuthority(certificate: identity, key: authorityKey.key).issue(lifetime: lifetime)
        try files.replaceLeaf(issued)
        return try issued.appending(Array(authorities.dropFirst()))
    }

    /// Checks whether `ca.key` is in the folder, so that ``renew(in:authorityKey:lifetime:)`` needs nobody.
    package static func hasAuthorityKey(in folder: String) -> Bool { access(CredentialFiles(folder: folder).authorityKey, R_OK) == 0 }
}

/// The key of a router's identity, which issues its certificates. It may lie where the router cannot read it.
package struct AuthorityKey: Sendable {
    fileprivate let key: SigningKey
    fileprivate let path: String

    /// Reads the key; the file is not needed any more after that.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package init(contentsOf path: String) throws(ConnectionError) {
        key = try SigningKey.read(pem: try CredentialFiles.read(path))
        self.path = path
    }
}

/// Where a credential lies, and how it gets there whole or not at all.
private struct CredentialFiles {
    let folder: String

    var leafCertificate: String { folder + "/server.crt" }
    var leafKey: String { folder + "/server.key" }
    var authorityCertificate: String { folder + "/ca.crt" }
    var authorityKey: String { folder + "/ca.key" }

    func store(_ credential: ServerCredential, _ authority: CertificateAuthority) throws(ConnectionError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.failure("cannot make the folder", folder) }
        // All are there as `.new` before the first gets its name: after a kill in between ``finishMaking()`` does the rest.
        let leaf = try PEM.text(of: credential.certificates[0]), leafSecret = try credential.key.pem()
        let identity = try PEM.text(of: authority.certificate), identitySecret = try authority.key.pem()
        for (path, bytes) in [(leafCertificate, leaf), (leafKey, leafSecret), (authorityCertificate, identity), (authorityKey, identitySecret)] {
            _ = try writeNew(path, bytes)
        }
        try synchronizeFolder()
        for path in all { try move(path + ".new", path) }
        try synchronizeFolder()
    }

    private var all: [String] { [leafCertificate, leafKey, authorityCertificate, authorityKey] }

    /// Gives the files of a credential their names whose making was interrupted.
    func finishMaking() throws(ConnectionError) {
        var hasMoved = false
        for path in try Self.missing(all) {
            guard try Self.missing([path + ".new"]).isEmpty else { continue }
            try move(path + ".new", path)
            hasMoved = true
        }
        if hasMoved { try synchronizeFolder() }
    }

    /// The missing files. A file that cannot be checked does not count as missing.
    static func missing(_ paths: [String]) throws(ConnectionError) -> [String] {
        var missing: [String] = []
        for path in paths where access(path, F_OK) != 0 {
            guard errno == ENOENT else { throw failure("cannot look for", path) }
            missing.append(path)
        }
        return missing
    }

    /// Both files are there as `.new` before the first takes its place: after a kill in between ``finishReplacing()`` does the rest.
    func replaceLeaf(_ credential: ServerCredential) throws(ConnectionError) {
        let key = try writeNew(leafKey, credential.key.pem())
        let certificate = try writeNew(leafCertificate, PEM.text(of: credential.certificates[0]))
        try synchronizeFolder()
        try move(key, leafKey)
        try move(certificate, leafCertificate)
        try synchronizeFolder()
    }

    /// Puts a new certificate in its place if its key is in place already.
    func finishReplacing() throws(ConnectionError) {
        let new = leafCertificate + ".new"
        guard access(new, F_OK) == 0, (try? ServerCredential(certificatePEM: Self.read(new), keyPEM: Self.read(leafKey))) != nil else {
            return
        }
        try move(new, leafCertificate)
        try synchronizeFolder()
    }

    private func synchronizeFolder() throws(ConnectionError) {
        // What was renamed is there after a power failure only if the folder is, too.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("cannot open the folder", folder) }
        defer { closeFile(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot write the folder", folder) }
    }

    private func move(_ temporary: String, _ path: String) throws(ConnectionError) {
        guard rename(temporary, path) == 0 else { throw Self.failure("cannot write", path) }
    }

    private func writeNew(_ path: String, _ bytes: Bytes) throws(ConnectionError) -> String {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot make", temporary) }
        defer { closeFile(descriptor) }
        do throws(SystemError) {
            try WholeFile.write(bytes, to: descriptor)
        } catch {
            throw Self.failure("cannot write", temporary, error)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot write", temporary) }
        return temporary
    }

    static func read(_ path: String) throws(ConnectionError) -> Bytes {
        let bytes: Bytes
        do throws(SystemError) {
            bytes = try WholeFile.contents(ofFile: path, upTo: PEM.maximumSize + 1)
        } catch {
            throw failure("cannot read", path, error)
        }
        guard bytes.count <= PEM.maximumSize else {
            throw ConnectionError(.invalidCredential, "\(path) is longer than \(PEM.maximumSize) bytes")
        }
        return bytes
    }

    private static func failure(_ what: String, _ path: String, _ error: SystemError = SystemError()) -> ConnectionError {
        ConnectionError(.invalidCredential, "\(what) \(path): \(error)")
    }
}

// Inside the type the system's function is hidden by its own of the same name.
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
