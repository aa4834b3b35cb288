package import SMPWire

/// The results of a handshake that determine the format of transmissions.
package struct TransmissionContext: Hashable, Sendable {
    package var version: UInt16
    /// The TLS channel binding: 32 bytes.
    package var sessionID: Bytes

    /// True if the session id is authorised but not sent.
    package var impliesSessionID: Bool

    /// - Parameter impliesSessionID: nil: as message routers have it, from version 7 on. File routers are sent the session id in all versions.
    /// - Precondition: the session id has at most 255 bytes.
    package init(version: UInt16, sessionID: Bytes, impliesSessionID: Bool? = nil) {
        self.version = version
        self.sessionID = sessionID
        self.impliesSessionID = impliesSessionID ?? (version >= SMPVersion.authenticatedCommands)
    }

    /// True if authorised transmissions say if a service signs too.
    package var hasServiceSignature: Bool { version >= SMPVersion.serviceCertificates }
}

/// A transmission before it is authorised.
package struct EncodedTransmission: Hashable, Sendable {
    /// The bytes that are signed or authenticated.
    package let authorizedData: Bytes
    /// The bytes that follow the authorisation on the wire.
    package let sentData: Bytes
}

extension TransmissionContext {
    /// Encodes a message with its ids.
    package func encode(
        _ message: some SMPMessage, correlationID: CorrelationID, entity: EntityID
    ) -> EncodedTransmission {
        var writer = WireWriter(reservingCapacity: 96 + message.sizeHint)
        writer.write(short: sessionID)
        let prefix = writer.bytes.count
        writer.write(correlationID)
        writer.write(entity)
        message.encode(to: &writer, version: version)
        let authorized = writer.bytes
        return EncodedTransmission(
            authorizedData: authorized, sentData: impliesSessionID ? Bytes(authorized[prefix...]) : authorized)
    }

    /// A transmission as a batch takes it.
    ///
    /// - Parameter serviceSignature: 64 bytes by the service's session key; sent from version 16 on.
    package func authorized(
        _ transmission: EncodedTransmission, _ authorization: TransmissionAuthorization, serviceSignature: Bytes? = nil
    ) -> Bytes {
        let authorizationBytes = authorization.bytes
        var writer = WireWriter(reservingCapacity: transmission.sentData.count + authorizationBytes.count + 68)
        writer.write(short: authorizationBytes)
        if hasServiceSignature, !authorization.isNone {
            writer.write(optional: serviceSignature.map(ShortBytes.init))
        }
        writer.write(raw: transmission.sentData)
        return writer.bytes
    }

    /// A transmission of a router: without authorisation.
    package func unauthorized(_ message: some SMPMessage, correlationID: CorrelationID, entity: EntityID) -> Bytes {
        var writer = WireWriter(reservingCapacity: 96 + message.sizeHint)
        writer.write(byte: 0)
        if !impliesSessionID { writer.write(short: sessionID) }
        writer.write(correlationID)
        writer.write(entity)
        message.encode(to: &writer, version: version)
        return writer.bytes
    }
}

/// A transmission of a received block.
package struct ReceivedTransmission<Message: SMPMessage>: Sendable {
    package let correlationID: CorrelationID
    package let entity: EntityID
    package let authorization: TransmissionAuthorization
    /// 64 bytes, from version 16.
    package let serviceSignature: Bytes?
    /// The message, or the answer or replacement of a receiver.
    package let message: Result<Message, SMPErrorType>
    private let context: TransmissionContext
    /// Stands where what is authorised begins, in the content of the block.
    private let body: WireParser

    /// The bytes that the authorisation covers.
    package var authorizedData: Bytes {
        var body = body
        guard context.impliesSessionID else { return body.rest() }
        var writer = WireWriter(reservingCapacity: body.remaining + context.sessionID.count + 1)
        writer.write(short: context.sessionID)
        writer.write(restOf: &body)
        return writer.finish()
    }

    init(_ transmission: WireParser, in context: TransmissionContext) {
        do {
            self = try Self.parse(transmission, in: context)
        } catch {
            self.init(failed: .block, in: context)
        }
    }

    private static func parse(
        _ transmission: WireParser, in context: TransmissionContext
    ) throws(WireError) -> ReceivedTransmission {
        var parser = transmission
        let authorizationBytes = try parser.short()
        var service: Bytes?
        if context.hasServiceSignature, !authorizationBytes.isEmpty {
            service = try parser.optional(ShortBytes.self)?.bytes
            if let service, service.count != 64 { throw parser.error(.invalidValue, "a service signature of 64 bytes") }
        }
        let body = parser
        var content = body
        let sessionID = context.impliesSessionID ? context.sessionID : try content.short()
        let correlationID = try content.read(CorrelationID.self)
        let entity = try content.read(EntityID.self)
        guard sessionID == context.sessionID else {
            return ReceivedTransmission(failed: .session, in: context, correlationID: correlationID)
        }
        guard let authorization = TransmissionAuthorization(authorizationBytes) else {
            return ReceivedTransmission(failed: .block, in: context, correlationID: correlationID)
        }
        let message = Result { () throws(SMPErrorType) in
            let message = try Message(parsing: &content, version: context.version)
            try message.checkCredentials(authorization, entity: entity)
            return message
        }
        return ReceivedTransmission(
            correlationID: correlationID, entity: entity, authorization: authorization, serviceSignature: service,
            message: message, context: context, body: body)
    }

    private init(
        correlationID: CorrelationID, entity: EntityID, authorization: TransmissionAuthorization, serviceSignature: Bytes?,
        message: Result<Message, SMPErrorType>, context: TransmissionContext, body: WireParser
    ) {
        self.correlationID = correlationID
        self.entity = entity
        self.authorization = authorization
        self.serviceSignature = serviceSignature
        self.message = message
        self.context = context
        self.body = body
    }

    init(failed error: SMPErrorType, in context: TransmissionContext, correlationID: CorrelationID = .none) {
        self.context = context
        self.correlationID = correlationID
        entity = .none
        authorization = .none
        serviceSignature = nil
        message = .failure(error)
        body = WireParser([])
    }
}
