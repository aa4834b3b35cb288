import SMPCrypto
import SMPProtocol
import SMPWire

/// The authorisation that a command requires.
enum AuthorizationRequirement: Sendable {
    /// The holder of one of these keys; an empty list means a missing queue or key.
    case keys([PublicAuthKey])
    /// None: there must be no authorisation.
    case none
    /// The service of the session.
    case service
    /// The command is refused, whatever its authorisation, and the answer reveals nothing about the authorisation.
    case refused(SMPErrorType)
}

extension RouterState {
    /// The authorisation that a command requires.
    func requirement(_ command: SMPCommand, entity: EntityID) -> AuthorizationRequirement {
        switch command {
        case .new(let request): return .keys([request.recipientKey])
        case .sub, .key, .rkey, .lset, .ldel, .nkey, .ndel, .get, .ack, .off, .del, .que:
            return .keys(store.slot(recipient: entity).flatMap { store.read($0) { $0.record.recipientKeys } } ?? [])
        case .skey(let key): return securing(store.slot(sender: entity), with: key)
        case .lkey(let key): return securing(store.slot(link: entity), with: key)
        case .send:
            guard let key = store.slot(sender: entity).flatMap({ store.read($0, \.record.senderKey) }) else { return .keys([]) }
            return key.map { .keys([$0]) } ?? .none
        case .lget:
            let queue = store.slot(link: entity).flatMap(store.queue)
            return queue?.record.isContact == true ? .none : .refused(.auth)
        case .nsub:
            let key = store.slot(notifier: entity).flatMap(store.queue)?.record.notifier?.key
            return .keys(key.map { [$0] } ?? [])
        case .ping, .rfwd, .rslv: return .none
        case .subs, .nsubs: return .service
        case .prxy: return .refused(.proxy(.basicAuth))
        case .pfwd: return .refused(.proxy(.noSession))
        }
    }

    /// Returns the requirement for securing a queue as its sender, which works if the queue is for one sender and has no other key.
    private func securing(_ slot: Int?, with key: PublicAuthKey) -> AuthorizationRequirement {
        guard let record = slot.flatMap(store.queue)?.record, record.mode == .messaging,
            record.senderKey == nil || record.senderKey == key
        else { return .keys([]) }
        return .keys([key])
    }
}

extension SMPCommand {
    /// The role of the services that may send the command; nil: any.
    var serviceRole: SMPClientService.Role? {
        switch self {
        case .new, .sub, .subs, .key, .rkey, .lset, .ldel, .nkey, .ndel, .get, .ack, .off, .del, .que, .skey, .send, .lkey, .lget, .prxy,
            .pfwd, .rslv:
            .messaging
        case .nsub, .nsubs: .notifier
        case .rfwd: .proxy
        case .ping: nil
        }
    }

    /// True if commands after it may be authorised by other keys than before.
    var changesKeys: Bool {
        switch self {
        case .key, .skey, .lkey, .rkey: true
        default: false
        }
    }
}
