import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

/// Encodes and authorises the commands of one connection, on the task of the sender.
final class RequestEncoder: Sendable {
    private let context: TransmissionContext
    private let serverKey: X25519.PublicKey?
    private let service: SessionService?
    private let random: any RandomSource
    /// Agreements of queue keys with the router's key, which cost more than everything else about a command.
    private let authorizers = Mutex<[EntityID: (key: PrivateAuthKey, authorizer: CommandAuthorizer)]>([:])

    /// Agreements that are kept, of 300 bytes each; all are dropped when there are more. A relay sends to ten thousand queues in turn.
    private static let capacity = 16_384

    convenience init(_ session: SMPSessionParameters, service: SessionService? = nil, random: any RandomSource) {
        self.init(session.context, serverKey: session.peerKey, service: service, random: random)
    }

    /// - Parameters:
    ///   - serverKey: the router's key of the session.
    ///   - service: signs too.
    init(_ context: TransmissionContext, serverKey: X25519.PublicKey?, service: SessionService? = nil, random: any RandomSource) {
        self.context = context
        self.serverKey = serverKey
        self.service = service
        self.random = random
    }

    func encode<Handle>(
        _ request: SMPRequest, deadline: Duration, handle: Handle?
    ) throws(SMPClientError) -> SMPSessionMachine<Handle>.Request {
        let id = request.correlationID ?? CorrelationID.random(random)
        guard id.bytes.count == CorrelationID.length, request.entity.bytes.count <= 255 else {
            throw SMPClientError(.invalidRequest, "a correlation id has \(CorrelationID.length) bytes, an entity at most 255")
        }
        return SMPSessionMachine<Handle>.Request(
            correlationID: id, entity: request.entity, command: request.command, transmission: try transmission(request, id),
            deadline: deadline, handle: handle)
    }

    /// The command as a batch takes it.
    func transmission(_ request: SMPRequest, _ id: CorrelationID) throws(SMPClientError) -> Bytes {
        guard context.version >= request.command.firstVersion else {
            throw SMPClientError(.transport(.version), "the router speaks version \(context.version), which has no \(request.command.tag.rawValue)")
        }
        let encoded = context.encode(request.command, correlationID: id, entity: request.entity)
        guard let service, request.command.usesServiceSignature else {
            return context.authorized(encoded, try authorize(encoded.authorizedData, request, id))
        }
        return context.authorized(
            encoded, try authorize(service.certificateHash + encoded.authorizedData, request, id),
            serviceSignature: service.key.signature(for: encoded.authorizedData))
    }

    private func authorize(
        _ data: Bytes, _ request: SMPRequest, _ id: CorrelationID
    ) throws(SMPClientError) -> TransmissionAuthorization {
        guard let key = request.authKey else { return .none }
        do {
            return try authorizer(key, for: request.entity).authorize(data, correlationID: id)
        } catch {
            throw SMPClientError(.transport(error), "the command cannot be authorised", cause: error)
        }
    }

    private func authorizer(_ key: PrivateAuthKey, for entity: EntityID) throws(TransportError) -> CommandAuthorizer {
        // Signatures need nothing that could be kept.
        guard case .x25519 = key, !entity.isNone else { return try CommandAuthorizer(key, serverKey: serverKey) }
        if let known = authorizers.withLock({ $0[entity] }), known.key == key { return known.authorizer }
        let authorizer = try CommandAuthorizer(key, serverKey: serverKey)
        authorizers.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[entity] = (key, authorizer)
        }
        return authorizer
    }
}
