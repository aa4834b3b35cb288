import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport
import XFTPProtocol

@Suite struct TransmissionVectorTests {
    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-transmission"))
    func aCommandMakesTheRecordedBlockAndIsReadAndVerified(_ item: VectorCase) throws {
        let context = try item.context()
        let command = try XFTPCommand(parsing: try item.hex("command"), version: context.version)
        let id = CorrelationID(try item.hex("corr_id"))
        let entity = EntityID(try item.hex("entity_id"))
        let serverKey = try X25519.PublicKey(raw: try item.hex("server_session_public_raw"))
        let key = try item.privateKey()
        let authorizer = try key.map { try CommandAuthorizer($0, serverKey: serverKey) }
        let block = try XFTPBlock.encode(command, entity: entity, correlationID: id, authorizer: authorizer, in: context)
        #expect(block.count == Int(try item.integer("block_len")))
        #expect(try XFTPBlock.unpad(block) == item.hex("block_unpadded"))
        #expect(Hash.sha256(block) == (try item.hex("block_sha256")))
        let read = try XFTPBlock.decode(block, as: XFTPCommand.self, in: context)
        #expect(try read.message.get() == command)
        #expect(read.correlationID == id)
        #expect(read.entity == entity)
        if let key, case .signature(let signature) = read.authorization {
            #expect(key.publicKey.isValidSignature(signature, for: read.authorizedData))
        } else {
            #expect((key == nil) == read.authorization.isNone)
        }
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-transmission"))
    func aBlockOfAnotherSessionOrSizeOrWithTwoTransmissionsIsRefused(_ item: VectorCase) throws {
        let context = try item.context()
        let block = try XFTPBlock.pad(try item.hex("block_unpadded"))
        var other = context
        other.sessionID = Bytes(repeating: 9, count: 32)
        if !context.impliesSessionID { #expect(try XFTPBlock.decode(block, as: XFTPCommand.self, in: other).message == .failure(.session)) }
        #expect(throws: XFTPErrorType.block) { try XFTPBlock.decode(Bytes(block.dropLast()), as: XFTPCommand.self, in: context) }
        #expect(throws: XFTPErrorType.block) { try XFTPBlock.decode(block + [0], as: XFTPCommand.self, in: context) }
        let one = Bytes(try item.hex("block_unpadded").dropFirst())
        let two = try XFTPBlock.pad([2] + one + one)
        #expect(throws: XFTPErrorType.block) { try XFTPBlock.decode(two, as: XFTPCommand.self, in: context) }
    }

    @Test func aCommandForMoreRecipientsThanABlockHoldsIsRefusedAndForAsManyAsAreAllowedItFits() throws {
        let context = TransmissionContext(version: 3, sessionID: Bytes(repeating: 1, count: 32))
        let key = try Ed448.PrivateKey(raw: Bytes(repeating: 7, count: 57)).publicKey
        let small = try Ed25519.PrivateKey(raw: Bytes(repeating: 7, count: 32)).publicKey
        let many = XFTPCommand.add(recipients: Array(repeating: .ed448(key), count: 255))
        #expect(throws: TransportError.largeMessage) {
            try XFTPBlock.encode(many, entity: EntityID([1]), correlationID: .none, authorizer: nil, in: context)
        }
        let most = XFTPCommand.add(recipients: Array(repeating: .ed25519(small), count: XFTPLimits.recipientsPerCommand))
        #expect(throws: Never.self) { try XFTPBlock.encode(most, entity: EntityID([1]), correlationID: .none, authorizer: nil, in: context) }
    }
}

extension VectorCase {
    /// The recorded blocks of version 3 leave the session id out, as those of message routers do. Official clients and file routers send it in
    /// all versions.
    fileprivate func context() throws -> TransmissionContext {
        let version = UInt16(try integer("version"))
        return TransmissionContext(version: version, sessionID: try hex("session_id"), impliesSessionID: version >= 2)
    }

    fileprivate func privateKey() throws -> PrivateAuthKey? {
        guard !self["auth_private_raw"].isNull else { return nil }
        let raw = try hex("auth_private_raw")
        return try text("auth_key_alg") == "X25519" ? .x25519(try X25519.PrivateKey(raw: raw)) : .ed25519(try Ed25519.PrivateKey(raw: raw))
    }
}
