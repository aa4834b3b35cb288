import SMPCrypto
import SMPProtocol
import SMPWire

/// The way back to a client whose command came through a proxy.
struct ForwardRoute: Sendable {
    /// The correlation id of the proxy's `RFWD`.
    let proxyCorrelationID: CorrelationID
    /// The correlation id of the client's `PFWD`.
    let clientCorrelationID: CorrelationID
    /// The secret shared with the proxy's session.
    let sessionSecret: BoxSecret
    /// The secret shared with the client for this one command.
    let clientSecret: BoxSecret
    /// The format of the client's transmissions.
    let context: TransmissionContext

    /// Decrypts the layers of a forwarded command.
    ///
    /// - Throws: the error to answer the proxy with.
    static func open(
        _ encrypted: Bytes, correlationID: CorrelationID, sessionSecret: SecretBytes?, sessionKey: X25519.PrivateKey,
        sessionID: Bytes
    ) throws(SMPErrorType) -> (route: ForwardRoute, transmission: ReceivedTransmission<SMPCommand>) {
        guard let sessionSecret, let secret = try? BoxSecret(sessionSecret) else {
            throw .proxy(.broker(.transport(.noServerAuth)))
        }
        let forwarded: ForwardedTransmission
        do {
            forwarded = try ForwardedTransmission(opening: encrypted, correlationID: correlationID, sessionSecret: secret)
        } catch {
            throw error is WireError ? .command(.syntax) : .crypto
        }
        let version = forwarded.command.version
        guard SMPVersion.proxied.contains(version), SMPVersion.encodable.contains(version) else {
            throw .proxy(.broker(.transport(.version)))
        }
        guard let clientSecret = try? BoxSecret(sessionKey, with: forwarded.command.key),
            let batch = try? ProxyEncryption.openTransmission(
                forwarded.command.encryptedTransmission, correlationID: forwarded.correlationID, secret: clientSecret)
        else { throw .crypto }
        let context = TransmissionContext(version: version, sessionID: sessionID)
        let transmissions = context.decode(block: batch, as: SMPCommand.self)
        // One command at a time: the answers to several could not be distinguished by size.
        guard transmissions.count == 1, let transmission = transmissions.first else { throw .block }
        let route = ForwardRoute(
            proxyCorrelationID: correlationID, clientCorrelationID: forwarded.correlationID, sessionSecret: secret,
            clientSecret: clientSecret, context: context)
        return (route, transmission)
    }

    /// Commands that may come through a proxy: those of senders, of who opens links, and of who resolves names.
    static func allows(_ command: SMPCommand) -> Bool {
        switch command {
        case .send, .skey, .lkey, .lget, .rslv: true
        default: false
        }
    }

    /// Encrypts an answer in the layers of the forwarded command.
    func seal(_ message: SMPBrokerMessage, correlationID: CorrelationID, entity: EntityID) -> SMPBrokerMessage {
        let transmission = context.unauthorized(message, correlationID: correlationID, entity: entity)
        guard let batch = TransmissionBatcher.pack(one: transmission),
            let response = try? ProxyEncryption.sealResponse(batch, correlationID: clientCorrelationID, secret: clientSecret),
            let sealed = try? ForwardedResponse(correlationID: clientCorrelationID, encryptedResponse: response)
                .seal(correlationID: proxyCorrelationID, sessionSecret: sessionSecret)
        else { return .err(.block) }
        return .rres(sealed)
    }
}
