package import SMPCrypto
package import SMPWire

/// Why the data of a short link cannot be made or must not be believed.
package struct LinkDataError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The data does not fit its padded length.
        case tooLarge
        /// The data was not encrypted with the link's key.
        case decryption
        case malformed
        /// The hash of the fixed data is not the key of the link.
        case hash
        case fixedDataSignature
        case userDataSignature
        /// An owner is listed twice, has the root key or is not authorised.
        case owner
        /// Data of a contact behind an invitation link, or the reverse.
        case mode
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }
}

/// The secrets that the holder of a short link's key can derive from it.
package struct LinkSecrets: Sendable {
    /// Encrypts the data on the router.
    package let dataKey: BoxSecret
    /// Where the data of a contact link is; an invitation link has the id in its text.
    package let linkID: LinkID?

    package init(_ key: LinkKey, mode: ConnectionMode) throws(CryptoError) {
        let secret = SecretBytes(key.bytes)
        switch mode {
        case .invitation:
            dataKey = try BoxSecret(HKDF.derive(from: secret, salt: [], info: "SimpleXInvLink", count: 32))
            linkID = nil
        case .contact:
            let derived = HKDF.derive(from: secret, salt: [], info: "SimpleXContactLink", count: 56)
            linkID = LinkID(derived[0..<24].bytes)
            dataKey = try BoxSecret(derived[24..<56])
        }
    }
}

/// Data behind its signature: one byte of length, 64 of signature, the data.
package struct SignedLinkData: Hashable, Sendable {
    /// Of fixed data: 2,048 less 24 bytes of nonce and 16 of tag.
    package static let fixedPaddedLength = 2008
    /// Of user data: 13,824 less 40.
    package static let userPaddedLength = 13_784

    package let bytes: Bytes
    private let paddedLength: Int

    /// - Parameter rootKey: the private key of `data.rootKey`.
    package init(_ data: FixedLinkData, signedBy rootKey: Ed25519.PrivateKey) {
        self.init(signing: data.wireBytes, with: rootKey, paddedLength: Self.fixedPaddedLength)
    }

    /// - Parameter ownerKey: the root's private key or an owner's.
    package init(_ data: ConnectionLinkData, signedBy ownerKey: Ed25519.PrivateKey) {
        self.init(signing: data.wireBytes, with: ownerKey, paddedLength: Self.userPaddedLength)
    }

    private init(signing data: Bytes, with key: Ed25519.PrivateKey, paddedLength: Int) {
        var writer = WireWriter()
        writer.write(short: key.signature(for: data))
        writer.write(raw: data)
        bytes = writer.bytes
        self.paddedLength = paddedLength
    }

    /// The key of the link whose fixed data this is.
    package var linkKey: LinkKey { LinkKey(hashing: Bytes(bytes.dropFirst(1 + Ed25519.signatureSize))) }

    /// The form in which the router stores the data: the nonce and the padded, encrypted data.
    ///
    /// - Throws: ``LinkDataError`` `tooLarge`.
    package func seal(_ key: BoxSecret, nonce: BoxNonce) throws(LinkDataError) -> Bytes {
        do {
            return nonce.bytes + (try key.seal(bytes, nonce: nonce, paddedTo: paddedLength))
        } catch {
            throw LinkDataError(.tooLarge, "link data of \(bytes.count) bytes does not fit \(paddedLength) with its padding")
        }
    }
}

extension QueueLinkData {
    /// Encrypts both parts of a link's data.
    package static func seal(
        fixed: SignedLinkData, user: SignedLinkData, key: BoxSecret, random: any RandomSource
    ) throws(LinkDataError) -> QueueLinkData {
        QueueLinkData(
            fixedData: try fixed.seal(key, nonce: .random(random)), userData: try user.seal(key, nonce: .random(random)))
    }

    /// Decrypts the data of a link and checks that it is what the link's maker made it, and shows what an owner wants.
    ///
    /// - Throws: ``LinkDataError``.
    package func open(
        _ linkKey: LinkKey, mode: ConnectionMode, dataKey: BoxSecret
    ) throws(LinkDataError) -> (fixed: FixedLinkData, user: ConnectionLinkData) {
        let (fixedSignature, fixedBytes) = try Self.decrypt(fixedData, dataKey)
        let (userSignature, userBytes) = try Self.decrypt(userData, dataKey)
        guard LinkKey(hashing: fixedBytes) == linkKey else {
            throw LinkDataError(.hash, "the router's data is not that of the link")
        }
        let fixed: FixedLinkData
        let user: ConnectionLinkData
        do {
            fixed = try FixedLinkData(wireBytes: fixedBytes)
            user = try ConnectionLinkData(wireBytes: userBytes)
        } catch {
            throw LinkDataError(.malformed, "\(error)")
        }
        guard fixed.connectionRequest.mode == mode, user.mode == mode else {
            throw LinkDataError(.mode, "the link's data is of another kind of link")
        }
        guard fixed.rootKey.isValidSignature(fixedSignature, for: fixedBytes) else {
            throw LinkDataError(.fixedDataSignature, "the link's data is not signed by its root key")
        }
        var signers = [fixed.rootKey]
        if case .contact(let contact) = user.content {
            try contact.validateOwners(root: fixed.rootKey)
            signers += contact.owners.map(\.key)
        }
        guard signers.contains(where: { $0.isValidSignature(userSignature, for: userBytes) }) else {
            throw LinkDataError(.userDataSignature, "the data of the link is not signed by an owner")
        }
        return (fixed, user)
    }

    private static func decrypt(_ data: Bytes, _ key: BoxSecret) throws(LinkDataError) -> (signature: Bytes, data: Bytes) {
        let content: Bytes
        do {
            guard data.count > BoxNonce.size else { throw LinkDataError(.malformed, "link data shorter than its nonce") }
            content = try key.openPadded(
                Bytes(data.dropFirst(BoxNonce.size)), nonce: try BoxNonce(Bytes(data.prefix(BoxNonce.size))))
        } catch let error as LinkDataError {
            throw error
        } catch {
            throw LinkDataError(.decryption, "the link's data cannot be decrypted with its key")
        }
        do {
            var parser = WireParser(content)
            return (try parser.short(), parser.rest())
        } catch {
            throw LinkDataError(.malformed, "\(error)")
        }
    }
}

extension UserContactData {
    /// Checks that every owner is authorised by the root or by an owner before, and that none is listed twice.
    ///
    /// - Throws: ``LinkDataError`` `owner`.
    package func validateOwners(root: Ed25519.PublicKey) throws(LinkDataError) {
        for (index, owner) in owners.enumerated() {
            let name = Base64URL.encode(owner.id, padded: false)
            let previous = owners[..<index]
            guard owner.key != root else { throw LinkDataError(.owner, "owner \(name) has the root key") }
            guard !previous.contains(where: { $0.id == owner.id || $0.key == owner.key }) else {
                throw LinkDataError(.owner, "owner \(name) is listed twice")
            }
            guard owner.isAuthorized(by: root) || previous.contains(where: { owner.isAuthorized(by: $0.key) }) else {
                throw LinkDataError(.owner, "owner \(name) is not authorised")
            }
        }
    }
}
