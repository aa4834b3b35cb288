import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct EncryptionVectorTests {
    @Test(arguments: try Vectors.cases("smp_transport", kinds: "received-message-body"))
    func aReceivedBodyIsEncryptedAsRecorded(_ item: VectorCase) throws {
        let secret = try BoxSecret(
            try X25519.PrivateKey(raw: try item.hex("recipient_private_raw")),
            with: try X25519.PublicKey(raw: try item.hex("server_public_raw")))
        #expect(secret.secret.bytes == (try item.hex("dh_secret")))
        let timestamp = try item["ts_seconds"].integer()
        let body: ReceivedMessageBody =
            try item.bool("quota")
            ? .quotaExceeded(timestamp: timestamp)
            : .message(
                timestamp: timestamp, flags: MessageFlags(notification: try item.bool("notification")), body: try item.hex("body")
            )
        #expect(body.wireBytes == (try item.hex("plaintext_unpadded")))
        let id = MessageID(try item.hex("msg_id"))
        let encrypted = try body.seal(id: id, secret: secret)
        #expect(encrypted == (try item.hex("encrypted")))
        #expect(encrypted.count == ReceivedMessageBody.encryptedLength)
        #expect(try ReceivedMessageBody(opening: ReceivedMessage(id: id, encryptedBody: encrypted), secret: secret) == body)
        #expect(throws: CryptoError.self) {
            try ReceivedMessageBody(opening: ReceivedMessage(id: MessageID([1]), encryptedBody: encrypted), secret: secret)
        }
    }

    @Test func theLongestBodyFitsAndALongerOneIsRefused() throws {
        let secret = BoxSecret.random(SeededRandomSource(seed: 7))
        let id = MessageID(Bytes(repeating: 1, count: 24))
        let longest = Bytes(repeating: 1, count: ReceivedMessageBody.maximumBody)
        let body = ReceivedMessageBody.message(timestamp: 1, flags: MessageFlags(), body: longest)
        #expect(throws: Never.self) { try body.seal(id: id, secret: secret) }
        let tooLong = ReceivedMessageBody.message(
            timestamp: 1, flags: MessageFlags(), body: longest + Bytes(repeating: 0, count: 10))
        #expect(throws: CryptoError.self) { try tooLong.seal(id: id, secret: secret) }
        #expect(ReceivedMessageBody.maximumBody(version: 7) == 16_088)
        #expect(ReceivedMessageBody.maximumBody(version: 8) == 16_064)
        #expect(ReceivedMessageBody.maximumBody(version: 11) == 16_048)
    }

    @Test func aTruncatedBodyIsRefusedAtEveryByteOfItsHeader() {
        let body = ReceivedMessageBody.message(timestamp: 1, flags: MessageFlags(notification: true), body: [1, 2]).wireBytes
        for count in 0..<10 { #expect(throws: WireError.self) { try ReceivedMessageBody(wireBytes: Bytes(body.prefix(count))) } }
        let quota = ReceivedMessageBody.quotaExceeded(timestamp: 1).wireBytes
        for count in quota.indices {
            #expect(throws: WireError.self) { try ReceivedMessageBody(wireBytes: Bytes(quota.prefix(count))) }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "ntf-message-meta"))
    func notificationMetaIsEncryptedAsRecorded(_ item: VectorCase) throws {
        let secret = try BoxSecret(SecretBytes(try item.hex("dh_secret")))
        let nonce = try BoxNonce(try item.hex("nonce"))
        let meta = NotificationMessageMeta(id: MessageID(try item.hex("msg_id")), timestamp: try item["ts_seconds"].integer())
        #expect(meta.wireBytes == (try item.hex("plaintext")))
        let encrypted = try meta.seal(nonce: nonce, secret: secret)
        #expect(encrypted == (try item.hex("encrypted")))
        #expect(try NotificationMessageMeta(opening: encrypted, nonce: nonce, secret: secret) == meta)
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "proxied-command"))
    func aProxiedCommandHasTheRecordedLayers(_ item: VectorCase) throws {
        let version = UInt16(try item["relay_version"].integer())
        let relay = TransmissionContext(version: version, sessionID: try item.hex("relay_session_id"))
        let correlationID = CorrelationID(try item.hex("corr_id_nonce"))
        let sender = EntityID(try item.hex("sender_id"))
        let relayKey = try X25519.PrivateKey(raw: try item.hex("relay_private_raw"))
        let commandKey = try X25519.PrivateKey(raw: try item.hex("command_private_raw"))

        // The client.
        let command = try SMPCommand(parsing: try item.hex("command"), version: version)
        let encoded = relay.encode(command, correlationID: correlationID, entity: sender)
        #expect(encoded.authorizedData == (try item.hex("signed_data")))
        var authorization = TransmissionAuthorization.none
        if let key = try item.privateKey() {
            authorization = try CommandAuthorizer(key, serverKey: relayKey.publicKey)
                .authorize(encoded.authorizedData, correlationID: correlationID)
        }
        let batch = try #require(TransmissionBatcher.pack(one: relay.authorized(encoded, authorization)))
        #expect(batch == (try item.hex("batch")))
        let secret = try BoxSecret(commandKey, with: relayKey.publicKey)
        #expect(secret.secret.bytes == (try item.hex("shared_secret")))
        let transmission = try ProxyEncryption.sealTransmission(batch, correlationID: correlationID, secret: secret)
        #expect(Hash.sha256(transmission) == (try item.hex("encrypted_transmission_sha256")))
        let forwarded = ForwardedCommand(version: version, key: commandKey.publicKey, encryptedTransmission: transmission)
        #expect(SMPCommand.pfwd(forwarded).bytes(version: 18).starts(with: try item.hex("pfwd_command_prefix")))

        // The proxy.
        let sessionSecret = try BoxSecret(SecretBytes(try item.hex("proxy_relay_secret")))
        let proxyID = CorrelationID(try item.hex("proxy_relay_nonce"))
        let wrapped = ForwardedTransmission(correlationID: correlationID, command: forwarded)
        #expect(wrapped.wireBytes.starts(with: try item.hex("fwd_transmission_prefix")))
        let sealed = try wrapped.seal(correlationID: proxyID, sessionSecret: sessionSecret)
        #expect(Hash.sha256(sealed) == (try item.hex("encrypted_fwd_transmission_sha256")))

        // The destination.
        let opened = try ForwardedTransmission(opening: sealed, correlationID: proxyID, sessionSecret: sessionSecret)
        #expect(opened == wrapped)
        let inner = try ProxyEncryption.openTransmission(
            opened.command.encryptedTransmission, correlationID: opened.correlationID,
            secret: try BoxSecret(relayKey, with: opened.command.key))
        let received = try #require(relay.decode(block: inner, as: SMPCommand.self).first)
        #expect(try received.message.get() == command)
        let answer = try #require(
            TransmissionBatcher.pack(one: relay.unauthorized(SMPBrokerMessage.ok, correlationID: correlationID, entity: sender)))
        #expect(answer == (try item.hex("response_batch")))
        let response = try ProxyEncryption.sealResponse(answer, correlationID: correlationID, secret: secret)
        #expect(Hash.sha256(response) == (try item.hex("encrypted_response_sha256")))
        let forwardedResponse = ForwardedResponse(correlationID: correlationID, encryptedResponse: response)
        let sealedResponse = try forwardedResponse.seal(correlationID: proxyID, sessionSecret: sessionSecret)
        #expect(Hash.sha256(sealedResponse) == (try item.hex("encrypted_fwd_response_sha256")))

        // And back.
        let returned = try ForwardedResponse(opening: sealedResponse, correlationID: proxyID, sessionSecret: sessionSecret)
        #expect(returned == forwardedResponse)
        #expect(
            try ProxyEncryption.openResponse(returned.encryptedResponse, correlationID: correlationID, secret: secret) == answer)
        #expect(throws: CryptoError.self) {
            try ProxyEncryption.openTransmission(transmission, correlationID: CorrelationID([]), secret: secret)
        }
    }
}
