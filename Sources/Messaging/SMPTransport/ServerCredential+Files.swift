import SMPWire

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
    /// a safer place. A folder with only a part of the files is refused, because a new identity would break every link.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    public static func loadOrGenerate(
        in folder: String, algorithm: CertificateAlgorithm = .ed448
    ) throws(ConnectionError) -> ServerCredential {
        let files = CredentialFiles(folder: folder)
        let needed = [files.leafCertificate, files.leafKey, files.authorityCertificate]
        let present = needed.filter { access($0, F_OK) == 0 }
        if present.count == needed.count { return try load(from: folder) }
        guard present.isEmpty else {
            let missing = needed.filter { !present.contains($0) }.joined(separator: ", ")
            throw ConnectionError(.invalidCredential, "\(folder) holds a part of a credential; missing: \(missing)")
        }
        let authority = try CertificateAuthority.generate(algorithm: algorithm)
        let credential = try authority.issue()
        try files.store(credential, authority)
        return credential
    }

    /// Reads `server.crt`, `ca.crt` and `server.key` from a folder, and checks that they belong together.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    public static func load(from folder: String) throws(ConnectionError) -> ServerCredential {
        let files = CredentialFiles(folder: folder)
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

/// Where a credential lies, and how it gets there whole or not at all.
private struct CredentialFiles {
    let folder: String

    var leafCertificate: String { folder + "/server.crt" }
    var leafKey: String { folder + "/server.key" }
    var authorityCertificate: String { folder + "/ca.crt" }
    var authorityKey: String { folder + "/ca.key" }

    func store(_ credential: ServerCredential, _ authority: CertificateAuthority) throws(ConnectionError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.failure("cannot make the folder", folder) }
        try write(authorityKey, authority.key.pem())
        try write(authorityCertificate, PEM.text(of: authority.certificate))
        try write(leafKey, credential.key.pem())
        try write(leafCertificate, PEM.text(of: credential.certificates[0]))
        // What was renamed is there after a power failure only if the folder is, too.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else { throw Self.failure("cannot open the folder", folder) }
        defer { closeFile(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot write the folder", folder) }
    }

    private func write(_ path: String, _ bytes: Bytes) throws(ConnectionError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot make", temporary) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { writeFile(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            offset += count
        }
        let isWritten = offset == bytes.count && fsync(descriptor) == 0
        closeFile(descriptor)
        guard isWritten, rename(temporary, path) == 0 else { throw Self.failure("cannot write", path) }
    }

    static func read(_ path: String) throws(ConnectionError) -> Bytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot read", path) }
        defer { closeFile(descriptor) }
        var bytes = Bytes(repeating: 0, count: PEM.maximumSize + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                readFile(descriptor, $0.baseAddress.map { $0 + length }, $0.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("cannot read", path) }
            if count == 0 { return Bytes(bytes.prefix(length)) }
            length += count
        }
        throw ConnectionError(.invalidCredential, "\(path) is longer than \(PEM.maximumSize) bytes")
    }

    private static func failure(_ what: String, _ path: String) -> ConnectionError {
        ConnectionError(.invalidCredential, "\(what) \(path): \(String(cString: strerror(errno)))")
    }
}

// Inside the type the system's functions are hidden by its own of the same names.
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
private func writeFile(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
private func readFile(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(descriptor, bytes, count) }
