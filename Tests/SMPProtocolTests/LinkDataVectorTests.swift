import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct LinkDataVectorTests {
    @Test(arguments: try Vectors.cases("links", kinds: "link-data"))
    func linkDataIsSignedEncryptedAndOpenedAsRecorded(_ item: VectorCase) throws {
        let mode: ConnectionMode = try item.text("mode") == "contact" ? .contact : .invitation
        let rootKey = try Ed25519.PrivateKey(raw: try item.hex("root_private_raw"))
        let versions = try item["agent_versions"].versionRange()
        let fixed = FixedLinkData(
            agentVersions: versions, rootKey: rootKey.publicKey,
            connectionRequest: try ConnectionRequestURI(wireString: try item.text("connection_request")),
            linkEntityID: item["link_entity_id"].hex)
        let user = ConnectionLinkData(agentVersions: versions, content: try item.userData(mode))

        let signedFixed = SignedLinkData(fixed, signedBy: rootKey)
        let signedUser = SignedLinkData(user, signedBy: try Ed25519.PrivateKey(raw: try item.hex("user_data_signer_private_raw")))
        #expect(signedFixed.bytes == (try item.hex("fixed_data_signed")))
        #expect(signedUser.bytes == (try item.hex("user_data_signed")))
        let key = LinkKey(try item.hex("link_key"))
        #expect(signedFixed.linkKey == key)

        let secrets = try LinkSecrets(key, mode: mode)
        #expect(secrets.linkID?.bytes == item["link_id"].hex)
        #expect(secrets.dataKey.secret.bytes == (try item.hex("key")))
        let sealedFixed = try item.hex("encrypted_fixed")
        let sealedUser = try item.hex("encrypted_user")
        #expect(try signedFixed.seal(secrets.dataKey, nonce: try BoxNonce(Bytes(sealedFixed.prefix(24)))) == sealedFixed)
        #expect(try signedUser.seal(secrets.dataKey, nonce: try BoxNonce(try item.hex("encrypted_user_nonce"))) == sealedUser)
        #expect(Hash.sha256(sealedUser) == (try item.hex("encrypted_user_sha256")))
        #expect(sealedUser.count == Int(try item.integer("encrypted_user_len")))

        let data = QueueLinkData(fixedData: sealedFixed, userData: sealedUser)
        guard let error = item["decrypt_ok"]["error"].string else {
            let opened = try data.open(key, mode: mode, dataKey: secrets.dataKey)
            #expect(opened.fixed == fixed)
            #expect(opened.user == user)
            return
        }
        let code: LinkDataError.Code = error.contains("user data signature") ? .userDataSignature : .owner
        #expect { try data.open(key, mode: mode, dataKey: secrets.dataKey) } throws: { ($0 as? LinkDataError)?.code == code }
    }

    @Test(
        arguments: try Vectors.cases("smp_transport", kinds: "decode-with-tail").filter {
            // Values of other rooms are tested there.
            !["AgentMessage", "XFTPClientHandshake", "XFTPClientHello"].contains($0["type"].string)
        })
    func bytesAfterAValueArePassedOverOrRefusedAsRecorded(_ item: VectorCase) throws {
        let read: (Bytes) throws -> any WireEncodable =
            switch try item.text("type") {
            case "FixedLinkData contact": { try FixedLinkData(wireBytes: $0) }
            case "ConnLinkData contact", "ConnLinkData invitation": { try ConnectionLinkData(wireBytes: $0) }
            case "NMsgMeta": { try NotificationMessageMeta(wireBytes: $0) }
            case "SMPQueueInfo": { try SMPQueueInfo(wireBytes: $0) }
            case "SMPServer": { try SMPServerAddress(wireBytes: $0) }
            case "OwnerAuth": { try LinkOwner(wireBytes: $0) }
            case let type: throw VectorError(description: "unknown type \(type)")
            }
        let valid = try item.hex("valid_hex")
        #expect(try read(valid).wireBytes == valid)
        if try item.bool("accepted") {
            let value = try read(try item.hex("hex"))
            // Appended bytes can look like the link's entity id.
            if item["type"].string != "FixedLinkData contact" { #expect(value.wireBytes == valid) }
        } else {
            #expect(throws: WireError.self) { try read(try item.hex("hex")) }
        }
    }
}

@Suite struct LinkDataAttackTests {
    let random = SeededRandomSource(seed: 9)
    let rootKey: Ed25519.PrivateKey
    let fixed: FixedLinkData

    init() throws {
        rootKey = Ed25519.generateKeyPair(random).privateKey
        let item = try #require(try Vectors.cases("links", kinds: "connection-request").first { $0.name == "contact simplex:" })
        fixed = FixedLinkData(rootKey: rootKey.publicKey, connectionRequest: try item["value"].connectionRequest())
    }

    private func user(_ data: Bytes = [1], owners: [LinkOwner] = []) -> ConnectionLinkData {
        ConnectionLinkData(content: .contact(UserContactData(owners: owners, userData: UserLinkData(data))))
    }

    private func code(_ data: QueueLinkData, _ key: LinkKey, _ secret: BoxSecret, _ mode: ConnectionMode = .contact)
        -> LinkDataError.Code?
    {
        do {
            _ = try data.open(key, mode: mode, dataKey: secret)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aRouterCannotReplaceAnyPartOfALink() throws {
        let signed = SignedLinkData(fixed, signedBy: rootKey)
        let key = signed.linkKey
        let secret = try LinkSecrets(key, mode: .contact).dataKey
        let data = try QueueLinkData.seal(
            fixed: signed, user: SignedLinkData(user(), signedBy: rootKey), key: secret, random: random)
        #expect(code(data, key, secret) == nil)
        #expect(code(data, key, secret, .invitation) == .mode)
        #expect(code(data, LinkKey(random.bytes(32)), secret) == .hash)
        #expect(code(data, key, BoxSecret.random(random)) == .decryption)
        #expect(code(QueueLinkData(fixedData: data.userData, userData: data.fixedData), key, secret) == .hash)
        #expect(code(QueueLinkData(fixedData: [], userData: []), key, secret) == .malformed)
        for index in stride(from: 0, to: data.fixedData.count, by: 97) {
            var altered = data
            altered.fixedData[index] ^= 1
            #expect(code(altered, key, secret) == .decryption)
        }
        for count in stride(from: 0, to: data.userData.count, by: 499) {
            let truncated = QueueLinkData(fixedData: data.fixedData, userData: Bytes(data.userData.prefix(count)))
            #expect(code(truncated, key, secret) != nil)
        }

        let other = Ed25519.generateKeyPair(random).privateKey
        let forgedUser = try QueueLinkData.seal(
            fixed: signed, user: SignedLinkData(user([9]), signedBy: other), key: secret, random: random)
        #expect(code(forgedUser, key, secret) == .userDataSignature)
        let forgedFixed = SignedLinkData(fixed, signedBy: other)
        let forged = try QueueLinkData.seal(
            fixed: forgedFixed, user: SignedLinkData(user(), signedBy: rootKey), key: secret, random: random)
        #expect(code(forged, key, secret) == .fixedDataSignature)
    }

    @Test func ownersAreAuthorisedInAChainFromTheRoot() throws {
        let first = Ed25519.generateKeyPair(random).privateKey
        let second = Ed25519.generateKeyPair(random).privateKey
        let one = LinkOwner(id: [1], key: first.publicKey, authorizedBy: rootKey)
        let two = LinkOwner(id: [2], key: second.publicKey, authorizedBy: first)
        func check(_ owners: [LinkOwner]) throws {
            try UserContactData(owners: owners, userData: UserLinkData([])).validateOwners(root: rootKey.publicKey)
        }
        #expect(throws: Never.self) { try check([one, two]) }
        #expect(throws: LinkDataError.self) { try check([two, one]) }
        #expect(throws: LinkDataError.self) { try check([two]) }
        #expect(throws: LinkDataError.self) { try check([one, one]) }
        #expect(throws: LinkDataError.self) { try check([LinkOwner(id: [3], key: rootKey.publicKey, authorizedBy: rootKey)]) }
        #expect(throws: LinkDataError.self) {
            try check([one, LinkOwner(id: [4], key: first.publicKey, authorizedBy: rootKey)])
        }
    }

    @Test func dataThatDoesNotFitIsRefused() throws {
        let secret = BoxSecret.random(random)
        let nonce = BoxNonce.random(random)
        let largest = SignedLinkData(user(Bytes(repeating: 1, count: 13_784 - 2 - 65 - 5 - 3 - 3)), signedBy: rootKey)
        #expect(throws: Never.self) { try largest.seal(secret, nonce: nonce) }
        let tooLarge = SignedLinkData(user(Bytes(repeating: 1, count: 13_784)), signedBy: rootKey)
        #expect { try tooLarge.seal(secret, nonce: nonce) } throws: { ($0 as? LinkDataError)?.code == .tooLarge }
    }

    @Test func truncatedLinkDataIsRefusedAtEveryByte() {
        let bytes = user(owners: [LinkOwner(id: [1], key: rootKey.publicKey, authorizedBy: rootKey)]).wireBytes
        for count in bytes.indices {
            #expect(throws: WireError.self) { try ConnectionLinkData(wireBytes: Bytes(bytes.prefix(count))) }
        }
        for count in 0..<fixed.wireBytes.count {
            #expect(throws: WireError.self) { try FixedLinkData(wireBytes: Bytes(fixed.wireBytes.prefix(count))) }
        }
    }
}

extension VectorCase {
    func userData(_ mode: ConnectionMode) throws -> UserConnectionLinkData {
        let data = UserLinkData(try hex("user_data"))
        guard mode == .contact else { return .invitation(data) }
        let owners = try list("owners").map { value in
            let owner = LinkOwner(
                id: try value["owner_id"].bytes(), key: try Ed25519.PublicKey(spki: try value["owner_key_spki"].bytes()),
                signature: try value["auth_signature"].bytes())
            #expect(owner.wireBytes == value["binary"].hex)
            #expect(try LinkOwner(wireBytes: try value["binary"].bytes()) == owner)
            return owner
        }
        return .contact(
            UserContactData(
                isDirect: try bool("direct"), owners: owners,
                relays: try list("relays").map { try ConnectionShortLink(wireString: try $0.text()) }, userData: data))
    }
}
