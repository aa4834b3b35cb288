package import SMPProtocol
package import SMPWire

/// The block of 16,384 bytes that contains a command or an answer: a batch of one transmission, padded and not encrypted. TLS is all that
/// protects it.
package enum XFTPBlock {
    /// - Parameters:
    ///   - authorizer: nil for `PING`.
    /// - Throws: ``TransportError`` `largeMessage` if the command does not fit; what ``CommandAuthorizer`` throws.
    package static func encode(
        _ command: XFTPCommand, entity: EntityID, correlationID: CorrelationID, authorizer: CommandAuthorizer?, in context: TransmissionContext
    ) throws(TransportError) -> Bytes {
        let transmission = context.encode(command, correlationID: correlationID, entity: entity)
        let authorization = try authorizer?.authorize(transmission.authorizedData, correlationID: correlationID) ?? TransmissionAuthorization.none
        return try block(context.authorized(transmission, authorization))
    }

    /// - Throws: ``TransportError`` `largeMessage` if the answer does not fit.
    package static func encode(
        _ response: XFTPResponse, entity: EntityID, correlationID: CorrelationID, in context: TransmissionContext
    ) throws(TransportError) -> Bytes {
        try block(context.unauthorized(response, correlationID: correlationID, entity: entity))
    }

    private static func block(_ transmission: Bytes) throws(TransportError) -> Bytes {
        guard let content = TransmissionBatcher.pack(one: transmission) else { throw .largeMessage }
        return try pad(content)
    }

    /// Reads the one transmission of a block. The message of the error says what is wrong.
    ///
    /// - Throws: ``XFTPErrorType`` `block` if it is not a padded block with exactly one transmission.
    package static func decode<Message: SMPMessage>(
        _ block: Bytes, as _: Message.Type = Message.self, in context: TransmissionContext
    ) throws(XFTPErrorType) -> ReceivedTransmission<Message> {
        let transmissions = context.decode(block: try unpad(block), as: Message.self)
        guard transmissions.count == 1 else { throw .block }
        return transmissions[0]
    }

    /// - Throws: ``TransportError`` `largeMessage`.
    package static func pad(_ content: Bytes) throws(TransportError) -> Bytes {
        do {
            return try Padding.pad(content, to: XFTPLimits.blockSize)
        } catch {
            throw .largeMessage
        }
    }

    /// - Throws: ``XFTPErrorType`` `block`.
    package static func unpad(_ block: Bytes) throws(XFTPErrorType) -> Bytes {
        do {
            guard block.count == XFTPLimits.blockSize else { throw XFTPErrorType.block }
            return try Padding.unpad(block)
        } catch {
            throw .block
        }
    }
}
