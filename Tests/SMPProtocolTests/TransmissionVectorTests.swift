import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct TransmissionVectorTests {
    @Test(arguments: try Vectors.cases("smp_transport", kinds: "transmission"))
    func aTransmissionIsAuthorisedAndEncodedAsRecorded(_ item: VectorCase) throws {
        let context = try item.context()
        let command = try SMPCommand(parsing: try item.hex("command"), version: context.version)
        let correlationID = CorrelationID(try item.hex("corr_id"))
        let entity = EntityID(try item.hex("entity_id"))
        let encoded = context.encode(command, correlationID: correlationID, entity: entity)
        #expect(encoded.sentData == (try item.hex("sent_data")))
        #expect(encoded.authorizedData == (try item.hex("signed_data")))

        var authorization = TransmissionAuthorization.none
        var serviceSignature: Bytes?
        if let key = try item.privateKey() {
            let authorizer = try CommandAuthorizer(
                key, serverKey: try X25519.PublicKey(raw: try item.hex("server_session_public_raw")))
            var data = encoded.authorizedData
            if item["service_signature_included"].bool == true {
                let serviceKey = try Ed25519.PrivateKey(raw: try item.hex("service_session_private_raw"))
                serviceSignature = serviceKey.signature(for: data)
                data = try item.hex("service_cert_hash") + data
            }
            authorization = try authorizer.authorize(data, correlationID: correlationID)
        }
        let transmission = context.authorized(encoded, authorization, serviceSignature: serviceSignature)
        #expect(transmission == (try item.hex("transmission")))
        let batch = try #require(TransmissionBatcher.pack(one: transmission))
        #expect(batch == (try item.hex("batch_of_one")))

        let received = context.decode(block: batch, as: SMPCommand.self)
        #expect(received.count == 1)
        let first = try #require(received.first)
        #expect(try first.message.get() == command)
        #expect(first.correlationID == correlationID)
        #expect(first.entity == entity)
        #expect(first.authorization == authorization)
        #expect(first.serviceSignature == serviceSignature)
        #expect(first.authorizedData == encoded.authorizedData)
    }

    @Test func aRouterAcceptsAnAuthorisationByTheQueuesKeyAndNoOther() throws {
        let random = SeededRandomSource(seed: 1)
        let session = X25519.generateKeyPair(random)
        let keys: [PrivateAuthKey] = [
            .x25519(X25519.generateKeyPair(random).privateKey), .ed25519(Ed25519.generateKeyPair(random).privateKey),
            .ed448(Ed448.generateKeyPair(random).privateKey),
        ]
        let data = random.bytes(100)
        let id = CorrelationID.random(random)
        for key in keys {
            let authorization = try CommandAuthorizer(key, serverKey: session.publicKey).authorize(data, correlationID: id)
            for other in keys {
                let verifier = CommandVerifier(other.publicKey, sessionKey: session.privateKey)
                #expect(verifier.isValid(authorization, for: data, correlationID: id) == (key == other))
            }
            let verifier = CommandVerifier(key.publicKey, sessionKey: session.privateKey)
            #expect(!verifier.isValid(authorization, for: data + [0], correlationID: id))
            #expect(!verifier.isValid(.none, for: data, correlationID: id))
            if case .x25519 = key {
                #expect(!verifier.isValid(authorization, for: data, correlationID: .random(random)))
                #expect(!verifier.isValid(authorization, for: data, correlationID: CorrelationID([1, 2, 3])))
            }
        }
    }

    @Test func anX25519KeyNeedsARoutersKey() throws {
        let key = PrivateAuthKey.x25519(X25519.generateKeyPair(SeededRandomSource(seed: 2)).privateKey)
        #expect(throws: TransportError.noServerAuth) { try CommandAuthorizer(key, serverKey: nil) }
        #expect(throws: TransportError.noServerAuth) {
            try CommandAuthorizer(key, serverKey: try X25519.PublicKey(raw: Bytes(repeating: 0, count: 32)))
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "response-transmission"))
    func aRoutersTransmissionIsEncodedAsRecorded(_ item: VectorCase) throws {
        let context = try item.context()
        let response = try SMPBrokerMessage(parsing: try item.hex("response"), version: context.version)
        let transmission = context.unauthorized(
            response, correlationID: CorrelationID(try item.hex("corr_id")), entity: EntityID(try item.hex("entity_id")))
        #expect(transmission == (try item.hex("transmission")))
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "block-decode-client"))
    func aClientDecodesABlockAsRecorded(_ item: VectorCase) throws {
        let context = try item.context()
        try compare(context.decode(block: try item.hex("block_content"), as: SMPBrokerMessage.self), item, "response", context)
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "block-decode-server"))
    func aRouterDecodesABlockAsRecorded(_ item: VectorCase) throws {
        let context = try item.context()
        let received = context.decode(block: try item.hex("block_content"), as: SMPCommand.self)
        try compare(received, item, "command", context)
        for (transmission, expected) in zip(received, try item["results"].list()) where expected["error"].isNull {
            #expect(transmission.authorizedData == expected["authorized_data"].hex)
            let kind =
                switch transmission.authorization {
                case .none: String?.none
                case .signature: "signature"
                case .authenticator: "authenticator"
                }
            #expect(kind.map { transmission.serviceSignature == nil ? $0 : $0 + " + service" } == expected["auth"].string)
        }
    }

    private func compare<Message: SMPMessage>(
        _ received: [ReceivedTransmission<Message>], _ item: VectorCase, _ field: String, _ context: TransmissionContext
    ) throws {
        let results = try item["results"].list()
        #expect(received.count == results.count)
        for (transmission, expected) in zip(received, results) {
            #expect(transmission.correlationID.bytes == expected["corr_id"].hex)
            #expect(transmission.entity.bytes == expected["entity_id"].hex)
            switch transmission.message {
            case .success(let message): #expect(message.bytes(version: context.version) == expected[field].hex)
            case .failure(let error): #expect(error.wireString == expected["error"].string)
            }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "batch"))
    func transmissionsArePackedIntoTheRecordedBlocks(_ item: VectorCase) throws {
        let transmissions = try item["transmissions"].list().map { try $0.bytes() }
        let packed = TransmissionBatcher.pack(transmissions)
        let blocks = try item["blocks"].list()
        #expect(packed.oversized.isEmpty)
        #expect(packed.batches.count == blocks.count)
        #expect(packed.batches.flatMap(\.indices) == Array(transmissions.indices))
        for (batch, block) in zip(packed.batches, blocks) {
            #expect(batch.indices.count == Int(try block["count"].integer()))
            #expect(batch.content.count == Int(try block["content_len"].integer()))
            #expect(Hash.sha256(batch.content) == block["content_sha256"].hex)
            var cipher = BlockCipher()
            #expect(Hash.sha256(try cipher.seal(batch.content)) == block["padded_block_sha256"].hex)
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "block"))
    func aBlockIsPaddedAsRecorded(_ item: VectorCase) throws {
        var cipher = BlockCipher()
        let block = try item.hex("block")
        #expect(try cipher.seal(try item.hex("content")) == block)
        #expect(try cipher.open(block) == (try item.hex("content")))
    }

    @Test func aTransmissionTooLongForABlockIsLeftOutAndTheOthersArePacked() {
        let long = Bytes(repeating: 1, count: TransmissionBatcher.maximumTransmission + 1)
        let longest = Bytes(repeating: 2, count: TransmissionBatcher.maximumTransmission)
        let packed = TransmissionBatcher.pack([[1], long, [2], longest, long, [3], [4]])
        #expect(packed.oversized == [1, 4])
        #expect(packed.batches.map(\.indices) == [0..<1, 2..<3, 3..<4, 5..<7])
        #expect(TransmissionBatcher.pack([]).batches.isEmpty)
        #expect(TransmissionBatcher.pack(one: long) == nil)
        let many = TransmissionBatcher.pack(Array(repeating: [], count: 600))
        #expect(many.batches.map(\.indices.count) == [90, 255, 255])
    }
}

extension VectorCase {
    func context() throws -> TransmissionContext {
        TransmissionContext(version: UInt16(try self["version"].integer()), sessionID: try hex("session_id"))
    }

    /// The key of a recorded case that authorises its command.
    func privateKey() throws -> PrivateAuthKey? {
        guard let algorithm = self["auth_key_alg"].string else { return nil }
        let raw = try hex("auth_private_raw")
        switch algorithm {
        case "X25519": return .x25519(try X25519.PrivateKey(raw: raw))
        case "Ed25519": return .ed25519(try Ed25519.PrivateKey(raw: raw))
        case "Ed448": return .ed448(try Ed448.PrivateKey(raw: raw))
        default: throw VectorError(description: "unknown algorithm \(algorithm)")
        }
    }
}
